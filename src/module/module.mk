# SPDX-License-Identifier: MIT
# The program as a WebAssembly module, inside the pages of `report --live`: make live.
# Once it is there, it is kept up to date with the program, which holds it.
WASM      := build/live
MODULE    := $(WASM)/module.wasm
WASM_CC    = $(CLANG) --target=wasm32-wasi -nostdinc -isystem $(shell $(CLANG) -print-resource-dir 2>/dev/null)/include \
             -isystem /usr/include/wasm32-wasi
WASM_FLAGS = -std=c11 -Wall -Wextra -Wno-unused-parameter -Wno-unused-variable -Wno-missing-field-initializers -Wno-format \
             -O2 -msimd128 -fno-math-errno -ffp-contract=off -fvisibility=hidden -ffunction-sections -fdata-sections \
             -D_GNU_SOURCE -DMHA_VIZ_VERSION='"$(VERSION)"' -Isrc/module/posix -include src/module/posix/posix.h \
             -Isrc -isystem $(WASM)/libraries/include

# All that stats and report take, and of cmd/, task/ and what draws no more than that; module/ has its own
# of what a page has others of.
WASM_DIRS := base weights media text model nn run run/special analysis session session/source \
             session/shown cli report cmd task task/common task/parts task/report task/stats module
WASM_SRC  := $(filter-out src/nn/simd/simd_% src/base/terminal_ask.c src/base/unnamed.c src/base/lock.c src/media/png.c src/media/jpeg.c \
               src/media/upright.c src/media/exif.c src/model/builtin_inside.c src/report/page.c \
               src/report/pack.c src/task/report/live.c src/cmd/cmds.c src/cmd/version.c \
               src/cmd/completion.c src/cmd/help.c src/cmd/manual.c src/task/tasks.c src/task/heatmap.c , \
               $(wildcard $(WASM_DIRS:%=src/%/*.c) src/weights/*/*.c src/model/*/*.c src/nn/*/*.c src/analysis/*/*.c)) \
             src/task/types/file.c src/draw/label.c src/task/figure/figure.c src/task/figure/format.c
WASM_OBJ  := $(WASM_SRC:%.c=$(WASM)/%.o)

live: live-needs
	@$(MAKE) -s -j$(JOBS) $(MODULE) && $(MAKE) -s -j$(JOBS) all && ls -l $(MODULE)

# The tools, and the libraries from Debian's sources; what is missing is said, with status 77.
live-needs:
	@src/module/need '$(WASM_CC)' '$(CLANG)' && src/module/libraries $(WASM)/libraries '$(WASM_CC)'

$(WASM)/%.o: %.c src/module/module.mk
	@mkdir -p $(@D)
	$(WASM_CC) $(WASM_FLAGS) -MMD -MP -c -o $@ $<

$(MODULE): $(WASM_OBJ)
	$(WASM_CC) -Qunused-arguments -O2 -mexec-model=reactor -o $@ $^ $(wildcard $(WASM)/libraries/*.o) -fuse-ld=lld \
	    -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=1048576

# Builds with other flags, for tests, take the one that is there.
ifneq ($(wildcard $(MODULE)),)
$(BUILD)/src/report/page_files.o: DEFINES += -DPAGE_MODULE='"$(MODULE)"'
ifeq ($(BUILD),build)
$(BUILD)/src/report/page_files.o: $(MODULE)
-include $(WASM_OBJ:.o=.d)
endif
endif
