# Every target creates the environment it needs; `make clean` removes them all.
PYTHON  ?= python3
WORKERS ?= 2

BIN    := .venv/bin
OLDEST := .venv-oldest/bin
PIP    := -m pip install -qq --disable-pip-version-check

# One solver thread per test worker: two workers with two threads each are slower on two cores.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# A module's tests share one worker, hence its fixtures; tests/conftest.py puts slow ones first.
# (loadgroup would be finer, but loses its groups under pytest 9.2: pytest-xdist issue 1386.)
PARALLEL := -n $(WORKERS) --dist loadscope --no-loadscope-reorder

# The development environment contains the demo's, so the smaller one is built only when alone.
DEMO_READY := $(if $(wildcard .venv/dev.stamp),.venv/dev.stamp,.venv/demo.stamp)
BENCHMARKS := $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))

.PHONY: help demo test lint format docs notebooks bench experiments nightly clean

help:
	@echo "make demo       solve an example, write pictures and a report to build/demo/"
	@echo "make test       every test but the nightly ones, slowest printed"
	@echo "make lint       ruff and mypy"
	@echo "make format     let ruff rewrite what it can"
	@echo "make docs       API documentation from the docstrings, to build/docs/"
	@echo "make notebooks  run the notebooks again and keep what they show"
	@echo "make bench      every benchmark in benchmarks/"
	@echo "make experiments  the paper's experiments, to build/experiments/ (DATA=dir: data files; hours)"
	@echo "make nightly    the long profiles, then the oldest supported dependencies"
	@echo "make clean      remove environments, caches and build/"

demo: $(DEMO_READY)
	$(BIN)/python notebooks/demo.py

test: .venv/dev.stamp
	$(TEST_ENV) $(BIN)/python -m pytest $(PARALLEL)

lint: .venv/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/dev.stamp
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# A warning is an error here. Excluded are modules that have the name of a function they define.
docs: .venv/dev.stamp
	$(BIN)/python -W error -m pdoc --docformat numpy --no-show-source --output-directory build/docs \
	    lexiprog lexiprog.plots lexiprog_boost lexiprog_boost.plots '!lexiprog\.(tradeoff|plots\.)'
	@echo "Written: build/docs/index.html"

notebooks: .venv/dev.stamp
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace notebooks/*.ipynb

bench: .venv/dev.stamp
	@set -e; for file in $(BENCHMARKS); do echo "== $$file"; $(BIN)/python $$file; done

experiments: .venv/dev.stamp
	$(BIN)/python -m lexiprog_boost.experiments all $(if $(DATA),--data-dir $(DATA))

nightly: .venv/dev.stamp .venv-oldest/dev.stamp
	$(TEST_ENV) LEXIPROG_PROFILE=nightly $(BIN)/python -m pytest $(PARALLEL) -m "nightly or not nightly"
	$(TEST_ENV) $(OLDEST)/python -m pytest $(PARALLEL)

clean:
	rm -rf .venv .venv-oldest build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

%/bin/python:
	$(PYTHON) -m venv $*

.venv/demo.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) --editable ".[boost,plot]"
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) --editable ".[dev]"
	@touch $@

.venv-oldest/dev.stamp: pyproject.toml .ci/oldest.py | .venv-oldest/bin/python
	$(OLDEST)/python .ci/oldest.py > .venv-oldest/oldest.txt
	$(OLDEST)/python $(PIP) --editable ".[dev]" --constraint .venv-oldest/oldest.txt
	@touch $@
