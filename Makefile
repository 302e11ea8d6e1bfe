# SPDX-License-Identifier: Apache-2.0
#
# The front door. `make demo` shows what ImageCoders does, `make test` proves it. Each target is a short list of ordinary
# commands; the first build on a new machine installs the libraries that are missing.

PREFIX ?= /usr/local
IMAGES ?=
NAME ?=
FILTER ?=
RELEASE ?= trixie
CONFIGURATION ?= release
# Libraries of codecs: the distribution's, or the pinned set of scripts/codecs.
CODECS ?= system
export CODECS
SWIFT_FLAGS := -c $(CONFIGURATION) $(shell scripts/metadata-flags)
# SwiftPM lists the traits of a package in the order of a hash, and a new order builds everything anew.
SWIFT_BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build --quiet
SWIFT_TEST := SWIFT_DETERMINISTIC_HASHING=1 swift test
PLUGINS := $(shell scripts/plugin-names)
STAGE := build
# What a manifest of SwiftPM came to is kept by its text and the environment: a new folder of a plugin has to show in one of them.
export CODERS_FOLDERS := $(shell scripts/plugin-names)
PLUGINS_BUILD := $(if $(filter pinned,$(CODECS)),Plugins/.build-pinned,Plugins/.build)

.DEFAULT_GOAL := stage

.PHONY: help deps codecs check-codecs build demo-programs plugins touch-plugins plugin stage documentation demo test test-products test-plugin test-plugins test-core test-imageio facade wheel test-python test-facade test-engines scale templates examples compatibility check check-allocations check-bounds check-forks conformance bench sanitize sanitize-fixtures sanitize-thread fuzz install uninstall check-install deb check-deb dist dist-archive dist-packages dist-server check-dist check-reproducible check-distribution check-aarch64 clean

help:
	@sed -n 's/^#: //p' Makefile

#: make demo [IMAGES="~/Pictures/*"]  list, probe, thumbnails and a contact sheet of sample pictures, or your own
#: make test [SLOW="compatibility examples server loading"]  build everything and run all tests; SLOW= leaves out what takes longest
#: make plugin NAME=PNG               one plugin alone, built and put into build/lib/coders/1
#: make test-plugin NAME=PNG          the unit tests of one plugin, or of the code that plugins share: NAME=Parts
#: make codecs                        the pinned codec libraries from source, once; CODECS=pinned builds and tests plugins with them
#: make check-codecs                  what of them is older than Debian's and Python's newest, and which advisories are open
#: make test-imageio                  Apple's ImageIO over ImageCoders: its tests, the table of its names, packages that depend on it
#: make facade                        the library for C and other languages: build/facade/lib/libimagecoders.so.1 and its header
#: make test-facade                   the same, held to its header and to the fixtures by programs in C
#: make wheel                         the Python package in build/wheels; test-python tests it
#: make test-engines                  the same package with many files, on Ray and on Spark; make scale measures 20,000 (FILES=5000)
#: make test-core FILTER=CanvasTests  tests of the libraries and of the command by name, without optimization
#: make templates                     the plugins that coders new writes, and the commands of the pages for authors
#: make documentation                 the reference of the public modules as a web site in build/documentation
#: make examples                      the programs with built-in coders: dynamic, static, and a server
#: make compatibility                 plugins of each version of the interface under hosts of each
#: make                                stage build/bin/coders, build/lib/coders/1/*.so, build/include/imgcoder
#: make install [PREFIX=/usr/local] [DESTDIR=]    copy that tree
#: make uninstall [PREFIX=/usr/local] [DESTDIR=]  remove what was installed there
#: make check-install                 install into an empty folder, move it, use it, uninstall
#: make deb                           Debian packages in build/deb
#: make dist [PARTS=archive]          what people take who compile nothing, in build/dist: an archive, packages, images of containers
#: make check-reproducible            the archive made in two clones: the same bytes (builds everything twice)
#: make check-dist                    install the archive in a Debian that has nothing, and use it there (needs root and the network)
#: make check-deb                     install these in a new Debian 12, use them, purge them (needs root and the network)
#: make check-distribution RELEASE=trixie  build the plugins with the libraries of another Debian, and test them there
#: make conformance                   score against public test suites (downloads them)
#: make bench [PARTS=everything]      our speed beside the raw libraries, in a few minutes; everything takes far longer
#: make sanitize                      every test picture through an AddressSanitizer build
#: make sanitize-fixtures             the fixtures alone through that build: a few minutes
#: make sanitize-thread               tests in which threads meet, under ThreadSanitizer
#: make fuzz [TARGET=all] [TIME=60]   each target of libFuzzer for so many seconds; see docs/fuzzing.md
#: make check                         formatting, documentation of public names, circles, the headers' layout and warnings of C
#: make check-aarch64                 all C compiles for AArch64; kernels, filters and a plugin in C run there under qemu
#: make check-forks                   100 children of fork() for each state of threads and workers
#: make check-allocations             each large allocation fails once, for each format and verb: never a crash
#: make check-bounds                  tests of C that reads bytes of files, with bounds that the compiler checks
#: make clean                         remove what was built

deps:
	@scripts/install-dependencies

codecs:
	@scripts/codecs build

check-codecs:
	@scripts/check-codecs

# Without $ORIGIN among the folders of its libraries: the loader looks in places below it for each.
build: deps
	@echo "building the command"
	@$(SWIFT_BUILD) $(SWIFT_FLAGS) --disable-local-rpath --product coders

# SwiftPM sees neither new files of the package above, unless it plans anew, nor a change of a module that is imported
# through another one, unless the importer changes: younger files make it look.
touch-plugins:
	@touch Plugins/Package.swift
	@if [ -n "$$(find Sources/CImageCoder Sources/ImageCoderModel Sources/ImageCoderPlugin -newer $(PLUGINS_BUILD)/built 2>&1)" ]; then \
	  find Plugins/*/Sources Plugins/Formats -name "*.swift" -exec touch {} +; fi

plugins: deps touch-plugins
	@scripts/build-plugins $(CONFIGURATION) $(PLUGINS)
	@touch $(PLUGINS_BUILD)/built

# The others stay as they are, in the tree and in the plan of the next build.
plugin: touch-plugins
	@scripts/plugin-names | grep -qx "$(NAME)" || { echo "make plugin NAME=…, one of:" $(PLUGINS) >&2; exit 2; }
	@scripts/build-plugins $(CONFIGURATION) $(NAME)
	@scripts/stage-plugins $(STAGE) $(CONFIGURATION) $(NAME)

# The modules of the command need one another in a row, and each is compiled by one processor: no plugin is to hold them up.
PROGRAMS := build
stage: deps
	@scripts/side-by-side "$(MAKE) --no-print-directory $(PROGRAMS)" "nice -n 10 $(MAKE) --no-print-directory plugins"
	@scripts/stage $(STAGE) $(CONFIGURATION) $(PLUGINS)
	@scripts/make-man-pages $(STAGE)/bin/coders $(STAGE)/share/man/man1
	@scripts/make-completions $(STAGE)/bin/coders $(STAGE)/share

# Plain files for any server, which has them at its root, or at the path of DOCUMENTATION_BASE.
documentation: deps
	@scripts/make-documentation $(STAGE)/documentation $(DOCUMENTATION_BASE)

demo-programs: build
	@echo "building the demonstration"
	@$(SWIFT_BUILD) $(SWIFT_FLAGS) --product make-samples
	@$(SWIFT_BUILD) $(SWIFT_FLAGS) --product contact-sheet

demo: PROGRAMS := demo-programs
demo: stage
	@CONFIGURATION=$(CONFIGURATION) scripts/demo $(STAGE) $${IMAGES:+"$$IMAGES"}

# Not --build-tests, which builds all targets of the package: the coders' modules, too, with all their libraries.
test-products: stage
	$(SWIFT_BUILD) $(SWIFT_FLAGS) --product ImageCodersPackageTests
	$(SWIFT_BUILD) $(SWIFT_FLAGS) --product coder-digest
	$(SWIFT_BUILD) $(SWIFT_FLAGS) --product coder-bench
	$(SWIFT_BUILD) $(SWIFT_FLAGS) --product coder-fuzz
	$(SWIFT_BUILD) $(SWIFT_FLAGS) --product cache-writer

# Parts of the tests that build much of their own: plugins and hosts of all versions of the interface, and applications.
SLOW ?= compatibility examples server loading
slow = $(if $(filter $(1),$(SLOW)),$(2),:)
# What needs packages of others is documented where it is tested.
without_loading = $(if $(filter loading,$(SLOW)),,--without 'ImageLoading ImageCodersNIO')

# All builds first, and tests of threads alone. What is left runs side by side, the longest first: each needs its own build, or
# one processor, or waits for a clock.
test: deps
	@scripts/side-by-side "$(MAKE) --no-print-directory test-products" \
	  "$(call slow,server,scripts/build-server); $(call slow,compatibility,scripts/build-compatibility-hosts)"
	CODERS_ALL_PLUGINS=$${CODERS_ALL_PLUGINS:-$$(scripts/installed-plugins --all)} swift test $(SWIFT_FLAGS) --skip-build
	@scripts/check-fuzzing $(STAGE) .build/$(CONFIGURATION)/coder-fuzz
	@scripts/check-memory $(STAGE) .build/$(CONFIGURATION)/coder-bench
	@scripts/side-by-side \
	  "$(call slow,server,scripts/check-server $(STAGE))" \
	  "$(call slow,examples,scripts/check-examples $(STAGE))" \
	  "$(call slow,compatibility,scripts/check-compatibility $(STAGE))" \
	  "$(MAKE) --no-print-directory test-plugins" \
	  "scripts/check-package-graphs; $(call slow,loading,SWIFT_DETERMINISTIC_HASHING=1 swift test --package-path Tests/Loading); \
	   scripts/make-documentation $(without_loading) $(STAGE)/documentation; scripts/check-api $(without_loading) $(STAGE)/symbol-graphs" \
	  "scripts/check-templates $(STAGE); scripts/check-transcript $(STAGE) docs/ten-minutes.md docs/writing-a-plugin.md" \
	  "scripts/check-terminal $(STAGE)" \
	  "scripts/check-forks $(STAGE) .build/$(CONFIGURATION)/coder-digest" \
	  "scripts/check-growth $(addprefix --turn=,$(CODERS_TURN)) $(STAGE)" \
	  "scripts/check-help-examples $(STAGE)" \
	  "scripts/check-cache $(STAGE) .build/$(CONFIGURATION)/cache-writer" \
	  "scripts/check-sheets $(STAGE)" \
	  "scripts/check-install $(STAGE)" \
	  "scripts/check-confinements $(STAGE)" \
	  "scripts/check-thumbnailer $(STAGE)"

# The manifest's cache knows nothing of folders of tests that are new.
test-plugins:
	CODERS_PLUGINS="$$(echo $$(scripts/installed-plugins)) Parts" $(SWIFT_TEST) --manifest-cache none --package-path Plugins \
	  $$(scripts/codec-flags)

test-plugin: touch-plugins
	@ls -d Plugins/Tests/$(NAME)CoderTests >/dev/null 2>&1 || [ "$(NAME)" = Parts ] || \
	  { echo "make test-plugin NAME=…: Plugins/Tests has no tests of \"$(NAME)\"" >&2; exit 2; }
	@CODERS_PLUGINS=$(NAME) $(SWIFT_TEST) --quiet --manifest-cache none --package-path Plugins $$(scripts/codec-flags)

test-core:
	@[ -n "$(FILTER)" ] || { echo "make test-core FILTER=…: a target, a suite or a test, such as CanvasTests" >&2; exit 2; }
	@CODERS_TESTS="$$(scripts/test-targets $(FILTER))" && export CODERS_TESTS && \
	  $(SWIFT_BUILD) --product ImageCodersPackageTests && $(SWIFT_TEST) --skip-build --filter "$(FILTER)"

# A package of its own, with a build of its own.
test-imageio: deps
	@scripts/install-packages libimage-exiftool-perl
	@scripts/make-imageio --check
	$(SWIFT_BUILD) --package-path ImageIO $(SWIFT_FLAGS) --build-tests
	$(SWIFT_TEST) --quiet --package-path ImageIO $(SWIFT_FLAGS) --skip-build
	@scripts/check-imageio

# With the pinned libraries of codecs inside, as it is given to others.
facade:
	@CODECS=pinned scripts/build-facade $(STAGE)/facade

wheel: facade
	@scripts/build-wheel $(STAGE)/facade $(STAGE)/wheels

test-python: wheel
	@scripts/check-wheel $(STAGE)/wheels
	@scripts/test-python $(STAGE)/wheels

# The environments of Ray and Spark are large, and no part of make test.
test-engines: wheel
	@scripts/check-engines

scale: stage wheel
	@scripts/bench-scale

test-facade: facade
	@CODECS=pinned scripts/check-facade $(STAGE)/facade

templates: stage
	@scripts/check-templates $(STAGE)
	@scripts/check-transcript $(STAGE) docs/ten-minutes.md docs/writing-a-plugin.md

examples: stage
	@scripts/check-examples $(STAGE)
	@scripts/check-server $(STAGE)

compatibility: stage
	@scripts/check-compatibility $(STAGE)

check: deps
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks Plugins/Package.swift Plugins/*/Sources \
	  Plugins/*/Entry Plugins/Formats Plugins/Tests Examples/Demo Examples/Applications Examples/BuiltIn Examples/Server \
	  ImageIO/Package.swift ImageIO/Sources ImageIO/Tests ImageIO/Examples \
	  Templates/swift/Package.swift Templates/swift/Sources
	@! git grep -nE '^(<<<<<<<|>>>>>>>) ' || { echo "marks of a merge" >&2; exit 1; }
	@scripts/make-tables --check
	@scripts/make-imageio --check
	@scripts/check-documentation
	@scripts/check-words
	@scripts/check-file-lengths
	@scripts/check-rooms
	@scripts/check-labels
	@scripts/check-headers
	@scripts/check-abi
	@scripts/check-c
	@scripts/check-kernels
	@scripts/check-filter
	@scripts/check-protocol
	@scripts/check-rust
	@scripts/check-codecs --offline

check-bounds:
	@scripts/check-bounds

# 100 rounds of each kind.
check-forks: stage
	@$(SWIFT_BUILD) $(SWIFT_FLAGS) --product coder-digest
	@FORKS=100 scripts/check-forks $(STAGE) .build/$(CONFIGURATION)/coder-digest

# Needs a staged tree, and so is none of `check`.
check-allocations: stage
	@scripts/check-allocations
	@scripts/check-allocations --metadata
	@scripts/check-allocations --isolated

conformance: stage
	@scripts/conformance

bench: stage
	@scripts/bench $(PARTS)

sanitize: deps
	@scripts/sanitize

sanitize-fixtures: deps
	@scripts/sanitize-fixtures

sanitize-thread: stage
	@scripts/sanitize-thread

fuzz: deps
	@scripts/fuzz $(or $(TARGET),all) $(or $(TIME),60)

install: stage
	@scripts/install $(STAGE) "$(DESTDIR)$(PREFIX)"

# Needs no build: it goes by the list that the installation left.
uninstall:
	@scripts/uninstall "$(DESTDIR)$(PREFIX)"

check-aarch64:
	@scripts/check-aarch64

check-install: stage
	@scripts/check-install $(STAGE)

deb: stage
	@scripts/make-deb $(STAGE) $(STAGE)/deb

check-deb: deb
	@scripts/check-deb $(STAGE) $(STAGE)/deb

# All of it, or PARTS, of the last commit, and built in a place that is the same everywhere.
DIST := $(STAGE)/dist
dist:
	@scripts/in-fixed-place $(MAKE) --no-print-directory $(addprefix dist-,$(or $(PARTS),archive packages server))

# Libraries of codecs inside of the plugins, in a tree of its own.
dist-archive:
	@$(MAKE) --no-print-directory stage CODECS=pinned STAGE=$(STAGE)/pinned
	@CODECS=pinned scripts/make-dist $(STAGE)/pinned $(DIST)

dist-packages: deb
	@mkdir -p $(DIST)/deb && rm -f $(DIST)/deb/* && cp $(STAGE)/deb/*.deb $(DIST)/deb/

dist-server:
	@scripts/make-server-image $(DIST)/server

check-reproducible:
	@scripts/check-reproducible $(PARTS)

check-dist:
	@scripts/check-dist $(DIST) bookworm
	@scripts/check-dist $(DIST) trixie

check-distribution:
	@scripts/check-distribution $(RELEASE)

clean:
	rm -rf .build ImageIO/.build .build-asan .build-tsan .build-fuzz .build-coverage Plugins/.build Plugins/.build-asan Plugins/.build-pinned build
