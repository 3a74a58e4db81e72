# Each target sets up .venv by itself; nothing else has to be run first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip takes from an index only what lock.txt names, and compares it with the hashes there.
INSTALL := $(BIN)/pip install --quiet --require-hashes -c lock.txt
NEEDS = $$($(BIN)/python .ci/requirements.py $(1))
NATIVE := CMakeLists.txt $(shell find native -name '*.h' -o -name '*.cpp' -o -name 'CMakeLists.txt')
CXX_SOURCES := $(shell find native -name '*.h' -o -name '*.cpp')

.DEFAULT_GOAL := help
.PHONY: help setup run play test test-slow test-cuda test-native test-torture lint format lock bench results docs wasm site \
	check-cross release-check coverage clean

help: ## show the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-14s %s\n", $$1, $$2}'

# The tools come first so that the package builds without isolation: rebuilding
# after a change in native/ is then incremental.
$(VENV)/.tools: pyproject.toml lock.txt
	$(PYTHON) -m venv $(VENV)
	sed -n '/^pip==/,/[^\\]$$/p' lock.txt > $(VENV)/pip.txt  # an older pip reads no hashes of constraints
	$(BIN)/pip install --quiet --require-hashes -r $(VENV)/pip.txt
	$(INSTALL) scikit-build-core nanobind cmake ninja
	@touch $@

# The package and what draws its figures: all that `make run` needs.
$(VENV)/.package: $(VENV)/.tools $(NATIVE)
	@echo "building the package"
	$(INSTALL) $(call NEEDS,plots)
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed: $(VENV)/.package
	@echo "installing the development tools, PyTorch and Ray among them"
	@$(BIN)/pip install --quiet --no-compile --no-deps --require-hashes -r .ci/torch-cpu.txt 2>/dev/null || true
	$(INSTALL) --no-compile $(call NEEDS,dev)
	@touch $@

setup: $(VENV)/.installed ## create .venv and install the package with the dev extras

run: $(VENV)/.package ## evaluate PHYRE's baselines beside the paper's numbers and write a report
	$(BIN)/topple reproduce quick --out runs/quick

play: setup ## open the player in the browser
	$(BIN)/topple play

# The native tests are compiled while the development tools are installed and mypy runs.
test: $(VENV)/.tools ## lint, native tests under sanitizers, Python tests
	$(MAKE) -j 2 --output-sync=line lint test-native
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: setup ## the tests that take minutes, which `make test` leaves out
	$(BIN)/python -m pytest -m slow

test-cuda: setup ## compare a million attempts on this machine's GPU with the CPU
	$(INSTALL) $(call NEEDS,cuda)
	$(BIN)/python -m pytest -m cuda

test-torture: setup ## an hour of fuzzing, damage, kills and hostile clients (MINUTES, SEED)
	PYTHONPATH=tests $(BIN)/python -m torture --minutes $(or $(MINUTES),60) --seed $(or $(SEED),1)

test-native: $(VENV)/.tools ## C++ unit tests with address and undefined-behaviour sanitizers
	$(BIN)/cmake -S native/tests -B build/native-tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja
	$(BIN)/cmake --build build/native-tests
	$(BIN)/ctest --test-dir build/native-tests --output-on-failure

lint: setup ## ruff, clang-format, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES)
	$(BIN)/mypy

format: setup ## format the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_SOURCES)

# What lock.txt has stays, hashes included, unless pyproject.toml or constraints.txt ask for
# something else; without the file, everything is the newest that these allow.
lock: $(VENV)/.tools ## write lock.txt: every package for every Python and platform, with hashes
	$(INSTALL) uv
	printf 'pip\nuv\n' | UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet pyproject.toml - \
		--extra dev --extra bench --extra cuda --extra release --extra vision -c constraints.txt \
		--python-version 3.10 --universal --generate-hashes --no-emit-index-url --no-annotate -o lock.txt

bench: setup ## measure the engine beside the PyPI package box2d
	$(INSTALL) $(call NEEDS,bench)
	$(BIN)/python benchmarks/engine.py

results: setup ## write the tables of docs/results from the records in results/
	$(BIN)/python website/result_tables.py

docs: setup ## build the documentation site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html in a browser"

wasm: setup ## build both engines for WebAssembly into build/wasm
	$(INSTALL) ziglang
	$(BIN)/python native/cross/build_wasm.py --out build/wasm

site: wasm ## build the player and the documentation for any static host into build/site
	$(BIN)/python website/build_site.py --out build/site

check-cross: setup ## build the engines for Linux, Windows and macOS, and compare their bits where possible
	$(INSTALL) ziglang
	$(BIN)/python native/cross/check_cross.py

release-check: $(VENV)/.tools ## build the sdist and the wheel, and test the wheel in a fresh venv
	$(INSTALL) build cyclonedx-bom
	$(BIN)/python .ci/release_check.py $(foreach python,$(PYTHONS),--python $(python))

coverage: setup ## run the tests with coverage and write a report to build/coverage
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage html --quiet
	$(BIN)/python -m coverage report --skip-covered --sort=cover

clean: ## remove .venv and build outputs
	rm -rf $(VENV) build dist site
