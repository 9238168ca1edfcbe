"""Benchmarks on treebanks and corpora.

Each benchmark writes a JSON file to `benchmarks/results`. `python -m benchmarks.report` turns all of them into
`benchmarks/RESULTS.md`.
"""
