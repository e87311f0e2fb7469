# Every target creates the environment it needs; `make clean` removes them all.
PYTHON  ?= python3
WORKERS ?= 2

BIN    := .venv/bin
OLDEST := .venv-oldest/bin
NEWEST := .venv-newest/bin
# Modules are compiled when they are first imported: most of what comes along never is.
PIP    := -m pip install -qq --disable-pip-version-check --no-compile
# ... and kept, whatever the caller's shell says: each of the tests' many processes imports them.
export PYTHONDONTWRITEBYTECODE :=
# Pythons that `make nightly` tries besides $(PYTHON), where they are installed.
PYTHONS ?= 3.12 3.13 3.14

# One solver thread per test worker: two workers with two threads each are slower on two cores.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# A module's tests share one worker, hence its fixtures; tests/conftest.py puts slow ones first.
# (loadgroup would be finer, but loses its groups under pytest 9.2: pytest-xdist issue 1386.)
PARALLEL := -n $(WORKERS) --dist loadscope --no-loadscope-reorder

# The development environment contains the demo's, so the smaller one is built only when alone.
DEMO_READY := $(if $(wildcard .venv/dev.stamp),.venv/dev.stamp,.venv/demo.stamp)
# Needs a package of the extra `clients`.
WITH_CLIENTS := notebooks/7_what_the_first_priority_costs.ipynb
BENCHMARKS := $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))

# `make nightly` is these in turn; each is a target of its own, too.
NIGHTLY := nightly-long nightly-oldest nightly-newest nightly-clients coverage series try-dist $(PYTHONS:%=nightly-python-%)

.PHONY: help demo test lint format house golden docs site notebooks gallery bench experiments mutants coverage series dist nightly $(NIGHTLY) clean

help:
	@echo "make demo       solve an example, write pictures and a report to build/demo/"
	@echo "make test       every test but the nightly ones, slowest printed"
	@echo "make lint       ruff and mypy"
	@echo "make format     let ruff rewrite what it can"
	@echo "make house      the size and shape of the code beside their limits"
	@echo "make docs       the documentation: guide, gallery and API, to build/docs/"
	@echo "make site       the same in a folder for this version, beside those of other versions, to build/site/"
	@echo "make notebooks  run the notebooks again and keep what they show"
	@echo "make gallery    the same for those of the gallery, with the packages they compare with"
	@echo "make bench      every benchmark in benchmarks/"
	@echo "make golden     compare today's answers with the recorded ones"
	@echo "make experiments  the paper's experiments, to build/experiments/ (DATA=dir: data files; an hour and a half)"
	@echo "make mutants    change the code in small ways and count the changes that tests notice"
	@echo "make coverage   the lines and branches that tests reach, to build/coverage/ (an hour)"
	@echo "make series     a few benchmarks at this commit, added to benchmarks/results/series.json"
	@echo "make dist       the wheel and the sdist, checked, to dist/ (try-dist: installed on every Python at hand)"
	@echo "make nightly    the long profiles, the oldest and newest dependencies, other Pythons (hours)"
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

house: .venv/dev.stamp
	PYTHONPATH=. $(BIN)/python .ci/house.py

# A warning is an error here; nothing is fetched from a network.
docs: .venv/dev.stamp
	$(BIN)/python .ci/site.py build/docs
	@echo "Written: build/docs/index.html"

# A folder a version; every page has a menu of the versions that lie beside it.
site: .venv/dev.stamp
	$(BIN)/python .ci/site.py build/site --version-folder
	@echo "Written: build/site/index.html"

notebooks: .venv/dev.stamp
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False \
		$(filter-out $(WITH_CLIENTS),$(wildcard notebooks/*.ipynb))

# Those whose packages `dev` leaves out, in an environment that has them.
gallery: .venv-clients/dev.stamp
	.venv-clients/bin/python $(PIP) --editable ".[clients]"
	.venv-clients/bin/jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False notebooks/gallery/*.ipynb $(WITH_CLIENTS)

bench: .venv/dev.stamp
	@set -e; for file in $(BENCHMARKS); do echo "== $$file"; $(BIN)/python $$file; done

golden: .venv/dev.stamp
	$(BIN)/python benchmarks/golden.py compare

experiments: .venv/dev.stamp
	$(BIN)/python -m lexiprog_boost.experiments all $(if $(DATA),--data-dir $(DATA))

mutants: .venv/dev.stamp
	$(BIN)/python .ci/mutants.py --report benchmarks/results/mutants.md

# Fails below `fail_under` of pyproject.toml.
coverage: .venv/dev.stamp
	$(TEST_ENV) $(BIN)/python -m pytest $(PARALLEL) --cov --cov-report=term:skip-covered --cov-report=html:build/coverage

series: .venv/dev.stamp
	$(TEST_ENV) $(BIN)/python benchmarks/series.py

# An environment of its own: twine's packages are no business of the tests.
dist: .venv-dist/dist.stamp
	rm -rf dist
	.venv-dist/bin/python -m build --outdir dist
	.venv-dist/bin/python -m twine check --strict dist/*

try-dist: dist
	@set -e; for version in 3.11 $(PYTHONS); do python=$$(.ci/find_python $$version); \
	if [ -z "$$python" ]; then echo "Python $$version is not installed here, so nothing was tried with it."; \
	else $$python .ci/try_dist.py dist/*; fi; done

# One after the other, also under `make -j`: each uses all cores. One that fails does not hide the
# others: all are run, and those that failed are named at the end.
nightly:
	@failed=; for step in $(NIGHTLY); do echo "== $$step"; \
	$(MAKE) --no-print-directory $$step || failed="$$failed $$step"; done; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed"; exit 1; fi

nightly-long: .venv/dev.stamp
	$(TEST_ENV) LEXIPROG_PROFILE=nightly $(BIN)/python -m pytest $(PARALLEL) -m "nightly or not nightly"

nightly-oldest: .venv-oldest/dev.stamp
	$(TEST_ENV) $(OLDEST)/python -m pytest $(PARALLEL)

# No stamp: what is newest changes from night to night.
nightly-newest: | .venv-newest/bin/python
	$(NEWEST)/python $(PIP) --upgrade --upgrade-strategy eager --editable ".[dev]"
	$(TEST_ENV) $(NEWEST)/python -m pytest $(PARALLEL)

# What concerns packages that `dev` leaves out: the bridges to them and the gallery.
nightly-clients: .venv-clients/dev.stamp
	.venv-clients/bin/python $(PIP) --editable ".[clients]"
	$(TEST_ENV) .venv-clients/bin/python -m pytest $(PARALLEL) tests/lexiprog/contrib tests/lexiprog/files tests/notebooks \
		tests/house/test_public_api.py

$(PYTHONS:%=nightly-python-%): nightly-python-%:
	@set -e; python=$$(.ci/find_python $*); \
	if [ -z "$$python" ]; then echo "Python $* is not installed here, so nothing was tested with it."; \
	else $(MAKE) --no-print-directory .venv-$*/dev.stamp PYTHON=$$python; \
	$(TEST_ENV) .venv-$*/bin/python -m pytest $(PARALLEL); fi

clean:
	rm -rf .venv .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

%/bin/python:
	$(PYTHON) -m venv $*

# The version is in lexiprog/__init__.py, so that an environment made before a new one is stale.
DECLARED := pyproject.toml lexiprog/__init__.py

.venv/demo.stamp: $(DECLARED) | .venv/bin/python
	$(BIN)/python $(PIP) --editable ".[boost,plot]"
	@touch $@

.venv-dist/dist.stamp: | .venv-dist/bin/python
	.venv-dist/bin/python $(PIP) build twine
	@touch $@

.venv-oldest/dev.stamp: $(DECLARED) .ci/oldest.py | .venv-oldest/bin/python
	$(OLDEST)/python .ci/oldest.py > .venv-oldest/oldest.txt
	$(OLDEST)/python $(PIP) --editable ".[test]" --constraint .venv-oldest/oldest.txt
	@touch $@

.venv/dev.stamp .venv-clients/dev.stamp $(PYTHONS:%=.venv-%/dev.stamp): %/dev.stamp: $(DECLARED) | %/bin/python
	$*/bin/python $(PIP) --editable ".[dev]"
	@touch $@
