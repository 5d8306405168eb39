# SPDX-License-Identifier: MIT
# mha-viz: see what the attention heads of a transformer do.  `make help` lists the targets.
VERSION := 0.1.0
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DESTDIR ?=
CC      ?= cc
BUILD   ?= build
PKG_CONFIG ?= pkg-config
# What runs a program that is built for another processor: make RUN=qemu-aarch64 install
RUN     :=
SHELL   := /bin/bash

# OpenBLAS as one more kernel, chosen by name only: `make BLAS=1`.
BLAS     ?=
PKGS     := cairo pangocairo libpng zlib jansson libutf8proc libpcre2-8
ifneq ($(BLAS),)
PKGS     += openblas
endif
# Pictures that are JPEGs, where libjpeg-turbo is there; `make JPEG=` builds without.
JPEG      = $(eval JPEG := $$(shell $(PKG_CONFIG) --exists libjpeg && echo libjpeg))$(JPEG)
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wconversion -Wno-missing-field-initializers
CFLAGS   ?= -O2 -g
# What the compiler builds for, which need not be the processor that it runs on: make CC=...
MACROS   := $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null)
macro     = $(filter $(1),$(MACROS))
tool      = $(shell $(CC) -print-prog-name=$(1) 2>/dev/null || echo $(1))
OBJCOPY  ?= $(call tool,objcopy)
ifeq ($(origin AR),default)
AR        = $(call tool,ar)
endif
# A float is computed as a float everywhere.
SINGLE   := $(if $(call macro,__i386__),-msse2 -mfpmath=sse) \
            $(if $(call macro,__s390x__),$(if $(call macro,__clang__),,-fexcess-precision=fast))
FLAGS    := $(WARNINGS) $(strip -fno-math-errno -ffp-contract=off $(SINGLE)) -fvisibility=hidden -fPIC -pthread
DEFINES  := -D_GNU_SOURCE $(if $(call macro,__LP64__),,-D_FILE_OFFSET_BITS=64) -DMHA_VIZ_VERSION='"$(VERSION)"' \
            $(if $(BLAS),-DMHA_VIZ_BLAS) -Isrc

# pkg-config is asked once, and not at all by targets that do not build.
MISSING = $(shell command -v $(firstword $(CC)) >/dev/null || echo $(firstword $(CC)); \
                  command -v $(PKG_CONFIG) >/dev/null || { echo $(PKG_CONFIG); exit; }; \
                  for p in $(PKGS); do $(PKG_CONFIG) --exists $$p || echo $$p; done)
require = $(if $(1),$(error not installed: $(1); `make demo` installs what the build needs (see tests/deps)))
PKG_CFLAGS = $(call require,$(MISSING))$(eval PKG_CFLAGS := $$(shell $(PKG_CONFIG) --cflags $(PKGS) $(JPEG)) \
             $(if $(JPEG),-DMHA_VIZ_JPEG))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell $(PKG_CONFIG) --libs $(PKGS) $(JPEG)))$(PKG_LIBS)
LIBS       = $(PKG_LIBS) -lm

SRC := $(filter-out src/module/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c src/*/*.S))
OBJ := $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(SRC))))
LIB := $(BUILD)/all.a
PUBLIC := $(BUILD)/libmhaviz.a $(BUILD)/libmhaviz.so.0
BIN := $(if $(filter build,$(BUILD)),mha-viz,$(BUILD)/mha-viz)

all: $(BIN) $(PUBLIC)

# What is the program's alone.
MAIN := $(BUILD)/src/main.o $(BUILD)/src/watch.o
$(BIN): $(MAIN) $(LIB)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -ldl

$(LIB): $(filter-out $(MAIN),$(OBJ))
	@rm -f $@
	$(if $(filter %.so,$@),$(CC) -shared -o $@ $^ $(LIBS),$(AR) rcs $@ $^)

# The library for other programs: all but the command line, and only mhaviz_* to be seen.
LIB_OBJ := $(filter-out $(MAIN) $(BUILD)/src/cmd/% \
             $(addprefix $(BUILD)/src/cli/,completion.o console.o help.o),$(OBJ))
$(BUILD)/libmhaviz.a: $(LIB_OBJ)
	@rm -f $@
	$(CC) $(filter -m%,$(CFLAGS)) -nostdlib -r -o $(BUILD)/mhaviz.o $^
	$(OBJCOPY) --wildcard --keep-global-symbol='mhaviz_*' $(BUILD)/mhaviz.o
	$(AR) rcs $@ $(BUILD)/mhaviz.o

$(BUILD)/libmhaviz.so.0: $(LIB_OBJ)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libmhaviz.so.0 -Wl,-z,defs -o $@ $^ $(LIBS)

# Kernels for a processor's vector units carry their own flags and are chosen at run time.
ifneq ($(call macro,__x86_64__),)
$(BUILD)/src/nn/%_avx2.o: SIMD := -mavx2 -mfma -mf16c
AVX512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c
$(BUILD)/src/nn/%_avx512.o: SIMD := $(AVX512)
# A unit that the compiler does not know is left out, and the program says so.
known = $(shell $(CC) -Werror $(1) -E -x c /dev/null >/dev/null 2>&1 && echo $(1))
$(BUILD)/src/nn/%_bf16_avx512.o: SIMD = $(AVX512) $(call known,-mavx512bf16)
$(BUILD)/src/nn/%_int8_avx512.o: SIMD = $(AVX512) $(call known,-mavx512vnni)
endif

# Loops without branches: vectors on every processor, and the same bytes.
$(BUILD)/src/nn/quantise.o $(BUILD)/src/analysis/codes.o $(BUILD)/src/base/sort.o \
    $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/analysis/metric/*.c)): SIMD := -O3 -fno-trapping-math

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(DEFINES) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SIMD) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(DEFINES) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# Changed flags rebuild everything.
USED = $(CC) $(FLAGS) $(DEFINES) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(if $(JPEG),-DMHA_VIZ_JPEG)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(USED)' | cmp -s - $@ || echo '$(USED)' > $@

$(BUILD)/src/model/builtin_files.o: src/model/builtins.def $(wildcard assets/default/* assets/translate/* assets/encoder/*)
$(BUILD)/src/cmd/manual_pages.o: man/mha-viz-metrics.7
$(BUILD)/src/report/page_files.o: $(wildcard src/report/page/*)

# ---- tests: one program a file, linked with the library ----

# Of all, or of those that declare TAG (tests/run has the tags).
tagged   = $(if $(TAG),$(shell grep -lE 'file_tags=.*$(TAG)' $(1)),$(1))
TEST_BIN := $(patsubst %.c,$(BUILD)/%,$(call tagged,$(wildcard tests/unit/*.c tests/ref/*.c tests/image/*.c)))
FUZZ     := $(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c))
REPLAY   := $(patsubst %.c,$(BUILD)/%,$(call tagged,$(FUZZ)))
BENCH    := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))

$(BUILD)/tests/unit/nn_blas: TEST_PKGS := openblas
$(BUILD)/tests/bench/kernels: TEST_PKGS := openblas
$(BUILD)/tests/unit/base_out_failing: WRAP := -Wl,--wrap=malloc,--wrap=strdup,--wrap=fdopen
$(BUILD)/tests/unit/base_terminal_ask: WRAP := -Wl,--wrap=clock_gettime,--wrap=ttyname_r,--wrap=tcgetattr,--wrap=tcsetattr,--wrap=write,--wrap=read
$(BUILD)/tests/unit/cmd_far_lines: WRAP := -Wl,--wrap=source_lines
$(BUILD)/tests/unit/run_memory: WRAP := -Wl,--wrap=calloc,--wrap=free
$(BUILD)/tests/image/memory: WRAP := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(TEST_BIN) $(BENCH): $(BUILD)/%: %.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(DEFINES) -Itests $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(WRAP) -MMD -MP \
	    $(if $(TEST_PKGS),$$($(PKG_CONFIG) --cflags $(TEST_PKGS))) -o $@ $< $(LIB) \
	    $(if $(TEST_PKGS),$$($(PKG_CONFIG) --libs $(TEST_PKGS))) -lcmocka $(LIBS)

# The program with OpenBLAS, for its tests: what differs comes before the library.
BLAS_BIN  := $(BUILD)/blas/mha-viz
BLAS_PART := $(BUILD)/blas/kernels.o $(BUILD)/blas/blas.o
$(BLAS_PART): $(BUILD)/blas/%.o: src/nn/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(DEFINES) -UMHA_VIZ_BLAS -DMHA_VIZ_BLAS $$($(PKG_CONFIG) --cflags openblas) $(CPPFLAGS) \
	    $(CFLAGS) -MMD -MP -c -o $@ $<
$(BLAS_BIN): $(MAIN) $(BLAS_PART) $(LIB)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$($(PKG_CONFIG) --libs openblas) $(LIBS) -ldl

# Each fuzz target also builds with a main that replays its corpus, so that gcc is enough;
# what changes its inputs, where it has such a thing, is in tests/fuzz/mutate.
FUZZ_PART    := $(addprefix $(BUILD)/,$(patsubst %.c,%.o,$(wildcard tests/fuzz/*.c tests/fuzz/*/*.c)))
FUZZ_SUPPORT := $(filter $(BUILD)/tests/fuzz/support/%,$(FUZZ_PART))
FUZZ_MUTATE  := $(filter $(BUILD)/tests/fuzz/mutate/%,$(FUZZ_PART))
$(FUZZ_PART): DEFINES += -Itests/fuzz
fuzz_parts = $(filter-out $(FUZZ_MUTATE),$(filter $(BUILD)/tests/fuzz/%.o,$^)) $(filter $(FUZZ_MUTATE),$(BUILD)/tests/fuzz/mutate/$(@F).o)
$(REPLAY): $(BUILD)/%: $(BUILD)/%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_SUPPORT) $(LIB) $(FUZZ_MUTATE)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(fuzz_parts) $(LIB) $(LIBS)

# What makes calls of the program fail; built without sanitisers, for it is preloaded.
FAULT := $(BUILD)/tests/fault/fault $(BUILD)/tests/fault/preload.so
$(BUILD)/tests/fault/fault: tests/fault/fault.c tests/fault/trace.c tests/fault/trace.h tests/fault/mark.h
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -Wno-missing-prototypes -D_GNU_SOURCE -Itests -O1 -g -o $@ $(filter %.c,$^)
$(BUILD)/tests/fault/preload.so: tests/fault/preload.c tests/fault/mark.h
	@mkdir -p $(@D)
	$(CC) $(WARNINGS) -Wno-missing-prototypes -D_GNU_SOURCE -Itests -O1 -g -fPIC -shared -o $@ $<

# What counts the instructions and the bytes of a run; without sanitisers, as above.  encode
# is what is counted of a tokeniser.
COMPLEXITY := $(addprefix $(BUILD)/tests/complexity/,count peak.so encode)
$(BUILD)/tests/complexity/encode: $(BUILD)/tests/complexity/encode.o $(LIB)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/tests/complexity/count: tests/complexity/count.c
	@mkdir -p $(@D)
	$(CC) $(WARNINGS) -D_GNU_SOURCE -O1 -g -o $@ $<
$(BUILD)/tests/complexity/peak.so: tests/complexity/peak.c
	@mkdir -p $(@D)
	$(CC) $(WARNINGS) -Wno-missing-prototypes -D_GNU_SOURCE -O1 -g -fPIC -shared -o $@ $<

CLANG ?= $(firstword $(shell command -v clang clang-19 clang-16 clang-14 2>/dev/null) clang)
JOBS := $(shell nproc 2>/dev/null || echo 2)

programs: $(BIN) $(TEST_BIN) $(REPLAY) $(FAULT) $(COMPLEXITY) \
          $(if $(findstring sanitize,$(LDFLAGS)),,$(BUILD)/libmhaviz.so.0) \
          $(shell $(PKG_CONFIG) --exists openblas 2>/dev/null && echo $(BLAS_BIN))

# To look at: those of README are left in samples/, all others in build/figures.
figures: all
	tests/figures build/figures

# Writes heatmap.png of the default sentence and prints the head report.
demo: deps
	@$(MAKE) -s -j$(JOBS) all
	./mha-viz heatmap </dev/null
	./mha-viz stats </dev/null

check: deps test-deps
	@$(MAKE) -s -j$(JOBS) programs
	@tests/run $(BUILD) $(if $(TAG),--tag $(TAG)) $(if $(NOT),--not $(NOT)) $(TESTS)

# The instructions of five runs, as tests/instructions.sh compares them, of this compiler.
baseline: all
	tests/bench/baseline $(BIN)

# RANDOM_CALLS calls of the Python module with random arguments, under AddressSanitizer (gcc).
RANDOM_CALLS ?= 10000
check-python:
	@$(MAKE) --no-print-directory BUILD=build/asan-so CC=gcc CFLAGS='$(SANITISE)address,undefined' \
	    LDFLAGS='-fsanitize=address,undefined' -j$(JOBS) build/asan-so/libmhaviz.so.0
	RANDOM_CALLS=$(RANDOM_CALLS) SANITISER=$$(gcc -print-file-name=libasan.so) MHA_VIZ_BUILD=build/asan-so \
	    tests/python.sh -s -k random

# The real all-MiniLM-L6-v2 against the transformers library; needs Python and the package index.
check-real: all
	tests/ref/real/check $(CURDIR)/$(BIN)

# What was published of the heads of GPT-2 small and BERT-base, in MODEL=folder that holds one.
check-findings: all
	$(or $(PYTHON),python3) tests/ref/findings.py $(CURDIR)/$(BIN) "$(MODEL)"

# The shards of a corpus on a cluster with Slurm, whose daemons are started here; as root.
check-slurm: all
	tests/cluster/slurm $(BIN)

# A model of 4 GiB and 10,000 texts in little memory: minutes, and 4 GiB of /tmp (TMPDIR).
check-large: all
	tests/large/run $(CURDIR)/$(BIN)

# Tokenisers of all parts, put together at random, against the tokenizers package.
check-tokenizers: $(BUILD)/tests/unit/text_mixed
	tests/ref/tokenizers/check $<

# An array at the end of a struct has its bounds too: gcc and newer clangs have to be told.
strict = $(shell for f in -fsanitize=bounds-strict -fstrict-flex-arrays=3; do \
                     $(1) -Werror $$f -E -x c /dev/null >/dev/null 2>&1 && echo $$f && break; done)
SANITISE = -O1 -g1 -fno-omit-frame-pointer -fsanitize=
BOUNDS   = address,undefined -fno-sanitize-recover=all $(call strict,$(1))
# Several hundred programs are linked, faster with lld where clang has it.
LLD = $(if $(findstring clang,$(CC)),$(shell command -v ld.lld >/dev/null && echo -fuse-ld=lld))
asan:
	@$(MAKE) --no-print-directory BUILD=build/asan NOT=once CFLAGS='$(SANITISE)$(call BOUNDS,$(CC))' \
	    LDFLAGS='-fsanitize=address,undefined $(LLD)' check
tsan:
	@$(MAKE) --no-print-directory BUILD=build/tsan TAG=threads CFLAGS='$(SANITISE)thread' \
	    LDFLAGS='-fsanitize=thread $(LLD)' check
# All parts of .ci/run, whatever changed.
nightly:
	@.ci/run all

# Which branches of the readers the tests take, or those of TESTS, and then nothing is asked of
# the figures; assertions are none.  Programs that are killed do not count.  nn_stored runs what
# nn/ makes of each row of base/blocks.def.
COVERED  = src/base src/weights src/text src/model
COVERING = unit/base unit/weights unit/text unit/model unit/nn_stored ref/ cli/ fuzz/ tests/fault
coverage:
	@$(MAKE) -s --no-print-directory BUILD=build/coverage CFLAGS='-O0 -g -w --coverage' \
	    LDFLAGS=--coverage CPPFLAGS='-DNDEBUG -include tests/coverage/macros.h' -j$(JOBS) programs
	@find build/coverage -name '*.gcda' -delete
	@status=0; tests/run build/coverage $(or $(TESTS),$(COVERING)) || status=1; \
	tests/coverage/report $(if $(TESTS),-f )build/coverage $(COVERED) && exit $$status

# Whether the tests notice small mistakes in these folders: a sample of 100, or of MUTANTS
# with the tests of the folder alone (tests/mutate).
MUTATED = src/analysis src/run
mutate:
	@$(MAKE) -s --no-print-directory BUILD=build/mutate LIB=$(CURDIR)/build/mutate/all.so \
	    CFLAGS='-O1 -w -fvisibility=default' -j$(JOBS) programs
	tests/mutate $(if $(MUTANTS),-q -n $(MUTANTS)) build/mutate $(MUTATED)

include src/module/module.mk

# libFuzzer, FUZZ_SECONDS a target; new inputs go to build/fuzz/corpus, the seeds stay as they are.
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(FUZZ))
$(FUZZERS): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_SUPPORT) $(LIB) $(FUZZ_MUTATE)
	$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $(fuzz_parts) $(LIB) $(LIBS)
fuzzers:
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC='$(CLANG)' -j$(JOBS) \
	    CFLAGS='$(SANITISE)fuzzer-no-link,$(call BOUNDS,$(CLANG))' \
	    $(patsubst tests/fuzz/%.c,build/fuzz/%,$(FUZZ))
fuzz: all fuzzers
	tests/fuzz/run $(FUZZ_SECONDS)

# Two hours over all targets, from where the last such run was stopped.
FUZZ_LONG ?= 7200
fuzz-long: all fuzzers
	tests/fuzz/run --resume $$(($(FUZZ_LONG) / $(words $(FUZZ))))

# What was found since joins the seeds, as far as it adds coverage.
fuzz-merge: fuzzers
	tests/fuzz/merge

# Which lines and branches the corpora reach -> tests/fuzz/COVERAGE (gcc, gcov).
fuzz-coverage:
	@$(MAKE) --no-print-directory BUILD=build/cover -j$(JOBS) CFLAGS='-O0 -g --coverage' \
	    $(patsubst %.c,build/cover/%,$(FUZZ))
	tests/fuzz/coverage > tests/fuzz/COVERAGE

# Every place where an allocation or a system call can fail, one by one: hours; where it was
# stopped it goes on.
torture: all $(FAULT)
	FAULT=all tests/fault.sh

# Instructions and memory of each step, reader and command, as exponents of the input's size.
complexity: all $(COMPLEXITY)
	COMPLEXITY=all tests/complexity.sh

# On other processors, those that are not this one under qemu; tests/processors says what it installs.
processors: all
	@for p in i386 aarch64 s390x; do echo "== $$p"; tests/processors $$p || exit 1; done

# Linters; what is not installed is named and left out.
tidy:
	tests/tidy $(SRC)

bench: all $(BENCH)
	tests/bench/run $(BUILD)

# ---- packages: tests/deps has the lists, and says what it installs ----

deps:
	@$(PKG_CONFIG) --exists $(PKGS) 2>/dev/null && command -v $(firstword $(CC)) >/dev/null || \
	    tests/deps build
test-deps:
	@tests/deps test

# ---- install ----

MAN := $(wildcard man/*.[137])
MAN_ZH := $(wildcard man/zh_CN/*.7)
BIN_TO = $(DESTDIR)$(PREFIX)/bin
LIB_TO = $(DESTDIR)$(LIBDIR)
INCLUDE = $(DESTDIR)$(PREFIX)/include
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = $(SHARE)/bash-completion/completions/mha-viz $(DESTDIR)$(ZSHDIR)/_mha-viz \
              $(SHARE)/fish/vendor_completions.d/mha-viz.fish
install: all
	install -d $(BIN_TO) $(LIB_TO)/pkgconfig $(INCLUDE) $(dir $(COMPLETIONS)) \
	    $(addprefix $(SHARE)/man/,man1 man3 man7 zh_CN/man7) $(SHARE)/mha-viz/schema
	install -m 755 mha-viz $(BIN_TO)/mha-viz
	install -m 644 src/mhaviz.h $(INCLUDE)/mhaviz.h
	install -m 644 $(BUILD)/libmhaviz.a $(LIB_TO)/libmhaviz.a
	install -m 755 $(BUILD)/libmhaviz.so.0 $(LIB_TO)/libmhaviz.so.0
	ln -sf libmhaviz.so.0 $(LIB_TO)/libmhaviz.so
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'Name: mhaviz' \
	    'Description: what the attention heads of a transformer do' 'Version: $(VERSION)' \
	    'Requires.private: $(PKGS) $(JPEG)' 'Libs: -L$${libdir} -lmhaviz' \
	    'Libs.private: -lm -pthread' 'Cflags: -I$${prefix}/include' > $(LIB_TO)/pkgconfig/mhaviz.pc
	for page in $(MAN); do install -m 644 $$page $(SHARE)/man/man$${page##*.} || exit 1; done
	install -m 644 $(MAN_ZH) $(SHARE)/man/zh_CN/man7
	install -m 644 assets/schema/*.json $(SHARE)/mha-viz/schema
	for shell in bash zsh fish; do $(RUN) ./mha-viz completion $$shell > $(BUILD)/$$shell || exit 1; done
	install -m 644 $(BUILD)/bash $(word 1,$(COMPLETIONS))
	install -m 644 $(BUILD)/zsh $(word 2,$(COMPLETIONS))
	install -m 644 $(BUILD)/fish $(word 3,$(COMPLETIONS))

uninstall:
	rm -f $(BIN_TO)/mha-viz $(INCLUDE)/mhaviz.h $(LIB_TO)/pkgconfig/mhaviz.pc $(COMPLETIONS) \
	    $(addprefix $(LIB_TO)/libmhaviz.,a so so.0) \
	    $(addprefix $(SHARE)/mha-viz/schema/,$(notdir $(wildcard assets/schema/*.json))) \
	    $(foreach page,$(MAN),$(SHARE)/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page))) \
	    $(MAN_ZH:man/zh_CN/%=$(SHARE)/man/zh_CN/man7/%)

dist:
	git archive --prefix=mha-viz-$(VERSION)/ -o mha-viz-$(VERSION).tar.gz HEAD

# Debian packages of what is committed, in build/deb; CHECK=1 also runs all tests while building.
# ARCH=arm64: for that architecture.
deb:
	@assets/packaging/deb -a '$(ARCH)' $(VERSION) build/deb $(if $(CHECK),,nocheck)

# A wheel for Python with the program, the module and what they need, in build/wheel; ARCH=arm64:
# for aarch64.
wheel:
	@assets/packaging/wheel/make -a '$(ARCH)' $(VERSION) build/wheel

# All that a release is, in build/release: tarball, packages, wheel, page, contents, checksums.
release:
	@assets/packaging/release $(VERSION) build/release

# Installs, uses and removes them in an empty root; builds them twice and compares the bytes.
check-packages:
	@tests/packages all

clean:
	rm -rf build mha-viz

help:
	@echo 'make             mha-viz, and the library in build/'
	@echo 'make demo        packages, build, heatmap.png of the built-in model, its head report'
	@echo 'make check       packages, build, all tests'
	@echo 'make deb         Debian packages in build/deb: program, library, development files'
	@echo 'make wheel       a wheel for pip in build/wheel: program, module, libraries, font (Debian 12)'
	@echo 'make deb wheel ARCH=arm64  the same for aarch64 (Debian on x86-64, g++-aarch64-linux-gnu; deb: root)'
	@echo 'make release     tarball, packages, wheel, the live page, an SBOM and checksums in build/release'
	@echo 'make check-packages  packages and wheel, built twice, installed and removed in empty roots (root, Debian)'
	@echo 'make BLAS=1      the same with OpenBLAS as one more kernel, MHA_VIZ_KERNEL=blas'
	@echo 'make baseline    the instructions of five runs that tests/instructions.sh compares with'
	@echo 'make check-slurm  shards on a cluster with Slurm, started here (root, Debian)'
	@echo 'make check-large  a model of 4 GiB and 10,000 texts, and the memory they take (Python, 4 GiB of disk)'
	@echo 'make check-python  10,000 random calls of the Python module under AddressSanitizer (gcc, pytest, NumPy)'
	@echo 'make check-real  the real MiniLM against the transformers library (Python, package index)'
	@echo 'make check-tokenizers  random tokenisers against tokenizers and sentencepiece (Python, package index)'
	@echo 'make nightly     every part of .ci/run, whatever changed (an hour; as root, Debian)'
	@echo 'make asan tsan   tests under AddressSanitizer and UBSan; those of threads, ThreadSanitizer'
	@echo 'make coverage    lines and branches that the tests take, by file (gcc, gcov, Python)'
	@echo 'make mutate      100 small mistakes, one at a time: whether a test notices (an hour)'
	@echo 'make torture     every allocation and system call fails in turn (hours; goes on where it was stopped)'
	@echo 'make complexity  how work and memory grow with the input, of everything (15 min of CPU)'
	@echo 'make processors  tests on i386, aarch64 and s390x (Debian; qemu), and the same bytes as here'
	@echo 'make fuzz        libFuzzer on each target, FUZZ_SECONDS=60 each (clang)'
	@echo 'make fuzz-long   FUZZ_LONG=7200 seconds over all targets; goes on where it was stopped'
	@echo 'make fuzz-merge fuzz-coverage  what was found joins the seeds; what they reach'
	@echo 'make live        the program as a module, for the pages of report --live (clang, lld, wasi-libc, apt)'
	@echo 'make tidy        linters'
	@echo 'make figures     every figure of README and manual again, and a gallery, in build/figures'
	@echo 'make bench       speed, as ratios to a peer in the same run'
	@echo 'make install     PREFIX=/usr/local DESTDIR=; uninstall takes it away'
	@echo 'make deps        installs the packages that the build needs'
	@echo 'make dist clean  a tarball; remove what was built'

FORCE:
.PHONY: all programs figures live live-needs demo check nightly baseline check-findings check-large check-python check-real check-slurm check-tokenizers asan tsan coverage mutate fuzz fuzzers \
        fuzz-long fuzz-merge fuzz-coverage torture processors tidy bench deps test-deps \
        install uninstall dist deb wheel release check-packages clean help FORCE
-include $(OBJ:.o=.d) $(TEST_BIN:=.d) $(BENCH:=.d) $(FUZZ_PART:.o=.d)
