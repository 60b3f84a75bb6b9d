# The daily commands. tools/setup.sh fetches what they need.
JOBS ?= $(shell nproc)
SCENARIO ?= scenarios/llama405b_a4_224.yaml
export JOBS

PREFIX ?= /usr/local

.PHONY: run build install package test bench fuzz format clean

run: build
	build/release/simtrain $(SCENARIO)

build:
	tools/setup.sh build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

install:
	test -x build/release/simtrain || $(MAKE) build
	cmake --install build/release --prefix $(PREFIX) --strip

package: build
	tools/setup.sh package
	cmake --build --preset release --target package

test:
	tools/setup.sh test
	tools/check

bench: build
	build/release/simtrain bench

fuzz: export FUZZ_SECONDS ?= 600
fuzz:
	tools/setup.sh test
	tools/fuzz

format:
	tools/format

clean:
	rm -rf build
