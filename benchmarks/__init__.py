"""Benchmarks on the treebanks beside the checkout. Results are dated JSON and one page, `benchmarks/RESULTS.md`."""
