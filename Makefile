# What one does with this project; `make help` lists it. CI runs `make test` and nothing else.
.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

BEGIN := $(shell date +%s)
heading = @printf '\n== %d s: %s\n' $$(($$(date +%s) - $(BEGIN))) '$(1)'

# All building is of the whole workspace: cargo unites the features of what it is told to build, and
# a part of the workspace would compile the dependencies once more with fewer of them.
END_TO_END := $(patsubst tests/tests/%.rs,--test %,$(wildcard tests/tests/*.rs))

.PHONY: help run test test-full packages test-packages bench fmt lint toolchain fmt-check console build unit end-to-end

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

run: ## builds, starts a server and an agent on the sample, says what to try
	@scripts/console.sh build-if-possible
	@scripts/run-sample.sh

test: toolchain fmt-check lint build unit end-to-end ## everything that CI runs: format, lints, unit, property and end-to-end tests
	$(call heading,done)

test-full: export PROPTEST_CASES := 512
test-full: export SEXTANT_KILLS := 500
test-full: export SEXTANT_HISTORIES := 2000
test-full: export SEXTANT_FUZZ_SECONDS := 600
test-full: test test-packages ## the same with more seeds and longer loops, and the packages installed

packages: console ## the .deb and .rpm packages of server and agent, into target/packages
	@scripts/packages.sh

test-packages: packages
	$(call heading,packages)
	@tests/packages.sh
	@tests/units.sh

bench: console ## measurements, written to docs/benchmarks.md
	cargo build --release --workspace --bins
	target/release/sextant-bench $(ONLY)

fmt: ## formats the code
	cargo fmt --all
	cd console && npm run --silent fmt

lint: ## lints the code and the scripts
	$(call heading,lints)
	bash -n .ci/run $$(find scripts tests packaging -name '*.sh') packaging/debian/*/*
	@scripts/console.sh check
	cargo clippy --locked --workspace --all-targets -- -D warnings

toolchain:
	$(call heading,toolchain)
	@scripts/check-toolchain.sh

fmt-check:
	$(call heading,format)
	cargo fmt --all --check

console:
	$(call heading,console)
	@scripts/console.sh build

build: console ## builds the console, and the programs with it inside
	$(call heading,build)
	cargo build --locked --workspace --bins --tests

unit: build
	$(call heading,unit and property tests)
	cargo test --locked --workspace --exclude sextant-tests
	@scripts/console.sh unit

end-to-end: build
	$(call heading,services for the end-to-end tests)
	@tests/realcluster/prepare.sh
	$(call heading,end-to-end tests)
	cargo test --locked --workspace $(END_TO_END)
	$(call heading,the console in a browser)
	@scripts/console.sh end-to-end
