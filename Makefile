# make dev    compile the core next to the Python sources; then run things with PYTHONPATH=src
# make test   the tests against that build          make checked   the same under the sanitizers
# make fuzz   the tests with other random problems, and the fuzzers of tests/fuzz
# make style  formatters, linters and types         make stubs     regenerate _core/*.pyi
# make bench  measure accuracy, cost and speed      make results   regenerate benchmarks/RESULTS.md
# make docs   the documentation site, in build/docs
.PHONY: dev test fuzz checked style stubs docs bench results
export PYTHONPATH := src

dev:
	cmake -S . -B build/dev -G Ninja -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=$(CURDIR)/src/headlong > build-dev.log || (cat build-dev.log; false)
	@rm -f build-dev.log
	cmake --build build/dev

test: dev
	python -m pytest -q -n auto

fuzz: dev
	python -m pytest -q -n auto --hypothesis-profile=fuzz
	python -m tests.fuzz all --seed $$(date +%s)

checked:
	bash tests/run_checked.sh

style:
	ruff check . && ruff format --check .
	clang-format --dry-run -Werror $$(git ls-files 'core/*.cpp' 'core/*.hpp')
	mypy

stubs: dev
	python -m nanobind.stubgen -r -m headlong._core -O src/headlong

docs:
	python tools/cli_reference.py > docs/reference/cli.md
	python -m mkdocs build

bench:
	python -m benchmarks.orders

results:
	python -m benchmarks.report
