# mha-viz: see what the attention heads of a transformer do.  `make help` lists the targets.
VERSION := 0.1.0
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
BUILD   ?= build
SHELL   := /bin/bash

PKGS     := cairo pangocairo libpng zlib jansson libutf8proc libpcre2-8
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
            -Wmissing-prototypes -Wconversion -Wno-missing-field-initializers
CFLAGS   ?= -O2 -g
FLAGS    := $(WARNINGS) -fno-math-errno -ffp-contract=off -fvisibility=hidden -pthread
DEFINES  := -D_GNU_SOURCE -DMHA_VIZ_VERSION='"$(VERSION)"' -DASSETS='"assets"' -Isrc

# pkg-config is asked once, and not at all by targets that do not build.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS)))$(PKG_LIBS)
LIBS       = $(PKG_LIBS) -lm

SRC := $(wildcard src/*.c src/*/*.c src/*/*/*.c src/*/*.S)
OBJ := $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(SRC))))
LIB := $(BUILD)/libmhaviz.a
BIN := $(if $(filter build,$(BUILD)),mha-viz,$(BUILD)/mha-viz)

all: $(BIN)

$(BIN): $(BUILD)/src/main.o $(LIB)
	$(CC) $(FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(LIB): $(filter-out $(BUILD)/src/main.o,$(OBJ))
	@rm -f $@
	$(AR) rcs $@ $^

# Kernels for a processor's vector units carry their own flags and are chosen at run time.
$(BUILD)/src/nn/simd_avx2.o: SIMD := -mavx2 -mfma -mf16c
$(BUILD)/src/nn/simd_avx512.o: SIMD := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(DEFINES) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SIMD) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(DEFINES) $(CPPFLAGS) -MMD -MP -c -o $@ $<

# Changed flags rebuild everything.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS) $(DEFINES) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)' | cmp -s - $@ || \
	 echo '$(CC) $(FLAGS) $(DEFINES) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)' > $@

clean:
	rm -rf build mha-viz

FORCE:
.PHONY: all clean FORCE
-include $(OBJ:.o=.d)
