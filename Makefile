# rill: build, run, test and check. `make help` lists the targets.
#
# Settings: BUILD, CC, CFLAGS, LUA (the interpreter), JPEG, SNDFILE and MESHOPTIMIZER (yes or no: build with
# libjpeg-turbo, libsndfile, libmeshoptimizer), PREFIX, LUADIR, LIBDIR,
# BINDIR, DESTDIR. WERROR=-Werror turns warnings into errors. Only `make check` sets it, so that warnings of an unknown compiler do not stop a build. `make V=1` shows the commands.

BUILD ?= build
# Always a relative path: BUILD is one of the flags, and changed flags rebuild everything.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
CC = gcc
LUA ?= lua5.4
CFLAGS ?= -O2 -g
LDFLAGS ?=
WERROR ?=
PREFIX ?= /usr/local
LUADIR ?= $(PREFIX)/share/lua/5.4
LIBDIR ?= $(PREFIX)/lib/lua/5.4
BINDIR ?= $(PREFIX)/bin

# Flags of the libraries. pkg-config runs at the first use, not when this file is read, because `make test` may install it. A module that
# it does not know is expected in the compiler's default directories.
memo = $(eval $(1) := $(2))$($(1))
pkg = $(shell pkg-config $(1) $(2) 2>/dev/null)
LUA_FLAGS = $(call memo,LUA_FLAGS,$(if $(LUA_INCDIR),-I$(LUA_INCDIR)) $(or $(call pkg,--cflags,lua5.4),$(call pkg,--cflags,lua-5.4),$(call pkg,--cflags,lua54),-I/usr/include/lua5.4))
MODULES = egl opengl glew libpng zlib
DEP_FLAGS = $(call memo,DEP_FLAGS,$(foreach m,$(MODULES),$(call pkg,--cflags,$m)))
DEP_DIRS = $(call memo,DEP_DIRS,$(foreach m,$(MODULES),$(call pkg,--libs-only-L,$m)))
# libjpeg-turbo is optional: without it JPEG files are an error that names the package.
JPEG = $(call memo,JPEG,$(if $(call pkg,--modversion,libjpeg),yes,no))
JPEG_FLAGS = $(if $(filter yes,$(JPEG)),-DRILL_JPEG $(call pkg,--cflags,libjpeg))
JPEG_LIBS = $(if $(filter yes,$(JPEG)),$(call pkg,--libs,libjpeg))
# So is libsndfile: without it sound files other than WAV are an error.
SNDFILE = $(call memo,SNDFILE,$(if $(call pkg,--modversion,sndfile),yes,no))
SNDFILE_FLAGS = $(if $(filter yes,$(SNDFILE)),-DRILL_SNDFILE $(call pkg,--cflags,sndfile))
SNDFILE_LIBS = $(if $(filter yes,$(SNDFILE)),$(call pkg,--libs,sndfile))
# So is libmeshoptimizer, which has no file for pkg-config: without it M:simplify is an error that names the package.
MESHOPTIMIZER = $(call memo,MESHOPTIMIZER,$(shell $(CC) -E -x c -include meshoptimizer.h /dev/null >/dev/null 2>&1 && echo yes || echo no))
MESHOPTIMIZER_FLAGS = $(if $(filter yes,$(MESHOPTIMIZER)),-DRILL_MESHOPTIMIZER)
MESHOPTIMIZER_LIBS = $(if $(filter yes,$(MESHOPTIMIZER)),-lmeshoptimizer)
LIBS = -Wl,--as-needed $(DEP_DIRS) -lEGL -lOpenGL -lGLEW -lpng $(JPEG_LIBS) $(SNDFILE_LIBS) $(MESHOPTIMIZER_LIBS) -lz -lm -ldl -lpthread

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
COMPILE = $(CC) -std=c11 $(CFLAGS) -fPIC -D_GNU_SOURCE -Isrc -Ishaders -I$(BUILD) -fvisibility=hidden $(LUA_FLAGS) $(DEP_FLAGS) $(JPEG_FLAGS) $(SNDFILE_FLAGS) $(MESHOPTIMIZER_FLAGS)

# src/mpi is a shared object of its own, which is built where MPI is installed. Its headers are not checked for warnings.
MPI_SOURCES := $(wildcard src/mpi/*.c)
MPI_MODULE = $(call memo,MPI_MODULE,$(shell for m in mpi-c ompi-c mpich; do pkg-config --exists $$m && echo $$m && break; done))
MPI_FLAGS = $(call memo,MPI_FLAGS,$(if $(MPI_MODULE),$(patsubst -I%,-isystem %,$(call pkg,--cflags,$(MPI_MODULE)))))
MPI_LIBS = $(if $(MPI_MODULE),$(call pkg,--libs,$(MPI_MODULE)))
MPI_CORE = $(if $(MPI_MODULE),$(BUILD)/rill/mpi/core.so)
# So is src/live, where libwebsockets is installed. It contains objects of src/base and src/io.
LIVE_SOURCES := $(wildcard src/live/*.c)
LIVE = $(call memo,LIVE,$(if $(call pkg,--modversion,libwebsockets),yes,no))
LIVE_FLAGS = $(patsubst -I%,-isystem %,$(call pkg,--cflags,libwebsockets))
LIVE_LIBS = $(call pkg,--libs,libwebsockets)
LIVE_CORE = $(if $(filter yes,$(LIVE)),$(BUILD)/rill/live/core.so)
LIVE_OBJECTS = $(LIVE_SOURCES:src/%.c=$(BUILD)/obj/%.o) \
	$(addprefix $(BUILD)/obj/,base/error.o base/strbuf.o base/thread/thread.o io/image/image.o io/image/jpeg.o)
SOURCES := $(filter-out $(MPI_SOURCES) $(LIVE_SOURCES),$(wildcard src/*/*.c src/*/*/*.c))
SHADERS := $(sort $(wildcard shaders/*.comp shaders/*.vert shaders/*.frag shaders/shared/*.glsl shaders/shared/*.h shaders/functions/*.glsl))
EMBEDDED := $(if $(SHADERS),$(BUILD)/shaders_embedded)
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(EMBEDDED:%=%.o)
CORE := $(BUILD)/rill/core.so
LUA_FILES := $(shell find lua/rill -name "*.lua" -o -name "*.glsl" -o -path "lua/rill/live/page/*")
COMMANDS := $(wildcard bin/rill)
ANNOTATIONS := $(BUILD)/library/rill.lua

PEER_SOURCES := $(filter-out bench/peer/open_device.c,$(wildcard bench/peer/*.c))
PEER_OBJECTS = $(PEER_SOURCES:bench/peer/%.c=$(BUILD)/bench/%.o)
PEER := $(if $(PEER_SOURCES),$(BUILD)/bench/peer.so)

# The build tree has precedence over an installed rill; ";;" keeps the default paths of Lua.
RUN = env -u LUA_PATH_5_4 -u LUA_CPATH_5_4 LUA_PATH='$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;;' \
	LUA_CPATH='$(abspath $(BUILD))/?.so;$(abspath $(BUILD))/bench/?.so;;'
# Every kernel text of the suite must have a tree that prints to the same tokens.
SUITE = $(RUN) RILL_TREE=1 RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' $(LUA) tools/suite.lua
# Number of parallel jobs. Default: the number of cores.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
# Prints a short line instead of the command that follows. If V is set, prints the command.
say = $(if $(V),,@printf '%-5s %s\n' $(1) $(2);)
AGAIN = $(MAKE) --no-print-directory
DEPS = @tools/deps.sh

.PHONY: build help demo dist units test test-all test-plain bare drivers sanitize tsan fuzz fuzz-readers fuzz-texts fuzz-random inject flat bench check format deps env install uninstall rock clean
.PHONY: force
.PHONY: check-phrases check-warnings objects check-format check-cppcheck check-luacheck check-layers check-docs check-site check-errors check-annotations docs gallery

build: $(CORE) $(ANNOTATIONS) $(BUILD)/mpi $(BUILD)/live ## compile build/rill/core.so (installs nothing), rill/mpi/core.so if MPI is installed, rill/live/core.so if libwebsockets is

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 15

# ---- compiling

$(CORE): $(OBJECTS) | $(BUILD)/rill/
	$(call say,link,$@)$(CC) -shared $(LDFLAGS) -o $@ $(OBJECTS) $(LIBS)

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags | $(EMBEDDED:%=%.h) $(BUILD)/openers.h $(BUILD)/reductions.h
	@mkdir -p $(@D)
	$(call say,cc,$<)$(COMPILE) $(WARNINGS) $(WERROR) -MMD -MP -c -o $@ $<

# A shared object with handlers that run when the process ends is never unloaded.
.PHONY: $(BUILD)/mpi
$(BUILD)/mpi:
	+@$(if $(MPI_MODULE),$(AGAIN) $(BUILD)/rill/mpi/core.so)

$(BUILD)/rill/mpi/core.so: $(MPI_SOURCES:src/%.c=$(BUILD)/obj/%.o)
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) -shared -Wl,-z,nodelete $(LDFLAGS) -o $@ $^ $(MPI_LIBS)

$(MPI_SOURCES:src/%.c=$(BUILD)/obj/%.o): $(BUILD)/obj/%.o: src/%.c src/mpi/mpi_module.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)$(COMPILE) $(MPI_FLAGS) $(WARNINGS) $(WERROR) -c -o $@ $<

.PHONY: $(BUILD)/live
$(BUILD)/live: | $(CORE)
	+@$(if $(filter yes,$(LIVE)),$(AGAIN) $(LIVE_CORE))

$(BUILD)/rill/live/core.so: $(LIVE_OBJECTS)
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) -shared -Wl,-z,nodelete $(LDFLAGS) -o $@ $^ $(LIVE_LIBS) $(JPEG_LIBS) -lz -lm -lpthread

$(LIVE_SOURCES:src/%.c=$(BUILD)/obj/%.o): $(BUILD)/obj/%.o: src/%.c $(wildcard src/live/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)$(COMPILE) $(LIVE_FLAGS) $(WARNINGS) $(WERROR) -c -o $@ $<

$(BUILD)/shaders_embedded.o: $(BUILD)/shaders_embedded.c $(BUILD)/flags
	$(call say,cc,$<)$(COMPILE) $(WARNINGS) $(WERROR) -c -o $@ $<

$(BUILD)/shaders_embedded.c $(BUILD)/shaders_embedded.h &: $(SHADERS) tools/embed.lua $(BUILD)/flags
	$(call say,embed,shaders)$(LUA) tools/embed.lua $(BUILD)/shaders_embedded $(SHADERS)

# Rewritten only if its contents change, so that changed flags and added or removed files rebuild what depends on them.
# WERROR is left out because it does not change object files.
$(BUILD)/flags: force | $(BUILD)/
	@printf '%s\n' '$(COMPILE) $(LDFLAGS) $(LIBS)' '$(SHADERS)' | cmp -s - $@ || \
		printf '%s\n' '$(COMPILE) $(LDFLAGS) $(LIBS)' '$(SHADERS)' > $@

# The openers that the binding's files define: see src/binding/binding.h.
$(BUILD)/openers.h: force | $(BUILD)/
	@names=$$(sed -n 's/^void \(open_[a-z0-9_]*\)(lua_State \*L)$$/\1/p' $(sort $(filter src/binding/%,$(SOURCES)))); \
	{ echo '/* Generated by the Makefile. */'; echo '#include <lua.h>'; printf 'void %s(lua_State *L);\n' $$names; \
		echo '#define OPENERS' $$(echo $$names | tr ' ' ','); } > $@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# The names of the reductions, a list in Lua.
$(BUILD)/reductions.h: tools/reductions.lua lua/rill/core/reductions.lua | $(BUILD)/
	$(call say,lua,$@)$(RUN) $(LUA) tools/reductions.lua $@

$(BUILD)/sources: force | $(BUILD)/
	@printf '%s\n' '$(SOURCES)' | cmp -s - $@ || printf '%s\n' '$(SOURCES)' > $@

$(CORE): $(BUILD)/sources

# The annotations for editors and the tables of names in the manual, which are generated from the reference. Needs no device.
$(ANNOTATIONS): tools/annotations.lua tools/name_tables.lua $(LUA_FILES) | $(CORE)
	$(call say,lua,$@)$(RUN) $(LUA) tools/annotations.lua $@ && $(RUN) $(LUA) tools/name_tables.lua

$(BUILD)/ $(BUILD)/rill/ $(BUILD)/bench/ $(BUILD)/spec/:
	@mkdir -p $@

-include $(SOURCES:src/%.c=$(BUILD)/obj/%.d) $(PEER_OBJECTS:.o=.d)

# ---- running

demo: ## install missing packages, build, run examples for a minute, write out/index.html with their images; ALL=1: more examples
	$(DEPS) build prompt
	@$(AGAIN) $(PARALLEL) build
	@$(RUN) $(LUA) examples/demo.lua out $(if $(ALL),all)

test: ## install missing packages, build, run the suite without #long tests; SPEC=sort: one file, SPEC=spec/kernel: a directory
	$(DEPS) build libraries prompt test
	@$(AGAIN) $(PARALLEL) units
	@$(SUITE) own -- $(SPEC)

test-all: ## run all tests, for both families, with an aggressive garbage collector, and on all drivers; PASSES="own other": only these passes
	$(DEPS) build libraries prompt test drivers mpi live
	@$(AGAIN) $(PARALLEL) units
	@RILL_SUITE_LONG=1 $(SUITE) $(or $(PASSES),own other poison drivers) -- $(SPEC)

drivers: ## run the suite on every driver of this machine, for both families
	$(DEPS) build libraries prompt test drivers
	@$(AGAIN) $(PARALLEL) units
	@$(SUITE) drivers -- $(SPEC)

bare: ## install a fresh DEBIAN=12 or 13 into build/bare, run make demo and make test in it (needs root)
	$(DEPS) bare
	@tools/bare.sh '$(or $(DEBIAN),12)'

# One pass of tools/passes.lua: make test-gpu, make test-softpipe-cpu SPEC=sort.
test-%: force
	$(DEPS) build libraries prompt test
	@$(AGAIN) $(PARALLEL) units
	@$(SUITE) $* -- $(SPEC)

# Specs of the directories that use optional libraries and programs, in a tree that is built without them. pkg-config does not know
# libmeshoptimizer.
PLAIN = BUILD=build-plain CFLAGS=-O0 MESHOPTIMIZER=no
test-plain: ## run specs without optional libraries and programs (JPEG, MPI, ffmpeg ...), in build-plain
	$(DEPS) build prompt test
	@tools/plain.sh build-plain/bin
	@PATH='$(CURDIR)/build-plain/bin' $(AGAIN) $(PARALLEL) units $(PLAIN)
	@PATH='$(CURDIR)/build-plain/bin' $(AGAIN) run-plain $(PLAIN)

.PHONY: run-plain
run-plain:
	@$(SUITE) plain -- $(or $(SPEC),spec/io spec/mpi spec/live spec/project spec/lua spec/image)

sanitize: ## run the suite under AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan
	$(DEPS) build libraries prompt test
	@$(AGAIN) $(PARALLEL) units BUILD=build-asan LDFLAGS='-fsanitize=address,undefined' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
	@$(AGAIN) run-sanitized BUILD=build-asan

.PHONY: run-sanitized
run-sanitized:
	@RILL_PRELOAD="$$($(CC) -print-file-name=libasan.so)" $(SUITE) sanitize -- $(SPEC)

# Mesa, LLVM, Lua and libwebsockets are not instrumented, and therefore ignored: ThreadSanitizer does not see their locks.
tsan: ## run four Lua states on four threads for SECONDS=30 under ThreadSanitizer, in build-tsan, and views with browsers
	$(DEPS) build test
	@$(AGAIN) build BUILD=build-tsan WERROR= LDFLAGS='-fsanitize=thread' CFLAGS='-O1 -g -fsanitize=thread'
	@$(AGAIN) run-tsan BUILD=build-tsan

.PHONY: run-tsan
run-tsan: TSAN = $(RUN) TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=99" $(BUILD)/spec/host
run-tsan: $(BUILD)/spec/host $(if $(filter yes,$(LIVE)),$(BUILD)/spec/support/sockets.so)
	@$(TSAN) spec/support/threads.lua 4 $(or $(SECONDS),30)
	$(if $(filter yes,$(LIVE)),@RILL_LIVE_ADDRESS='$(BUILD)/spec/address' $(TSAN) spec/support/live_threads.lua 6 $(or $(SECONDS),30))

$(BUILD)/spec/host: spec/support/host.c | $(BUILD)/spec/
	$(call say,cc,$<)$(CC) -std=c11 -O1 -g -fsanitize=thread $(LUA_FLAGS) -o $@ $< $(or $(call pkg,--libs,lua5.4),$(call pkg,--libs,lua-5.4),-llua5.4) -lpthread

# Tests of C functions. They link the objects of the layers below the binding, because core.so hides the functions.
UNITS = $(patsubst spec/c/%.c,$(BUILD)/spec/%,$(wildcard spec/c/*_test.c)) $(BUILD)/spec/randomness
UNIT_OBJECTS = $(filter-out $(BUILD)/obj/binding/%,$(OBJECTS))
units: build $(UNITS) $(BUILD)/spec/support/sockets.so

$(BUILD)/spec/support/sockets.so: spec/support/sockets.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)$(CC) -std=c11 $(CFLAGS) -D_GNU_SOURCE $(WARNINGS) $(WERROR) -fPIC -shared $(LDFLAGS) $(LUA_FLAGS) -o $@ $<

$(BUILD)/spec/%_test: spec/c/%_test.c $(wildcard spec/c/*.h) $(UNIT_OBJECTS) $(BUILD)/sources | $(BUILD)/spec/
	$(call say,cc,$<)$(COMPILE) $(WARNINGS) $(WERROR) $(LDFLAGS) -Ispec/c -o $@ $< $(UNIT_OBJECTS) $(LIBS) -lcmocka

# Findings are written to build/fuzz as scripts.
fuzz: ## compare random cases with references: SECONDS=60 SEED=n CASES="bodies expressions ..."
	$(DEPS) build
	@$(AGAIN) build
	@$(RUN) SECONDS='$(SECONDS)' SEED='$(SEED)' CASES='$(CASES)' RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' \
		$(LUA) fuzz/campaign.lua

# Uses clang and its libFuzzer, which is guided by code coverage. The formats are taken from the tables of src/io.
fuzz-readers: ## run the file readers under libFuzzer and sanitizers: SECONDS=60 for all formats together, FORMATS="png ply"
	$(DEPS) build libraries fuzz
	@$(AGAIN) $(BUILD)/readers/readers
	@SECONDS='$(SECONDS)' FORMATS='$(FORMATS)' $(LUA) fuzz/readers.lua '$(BUILD)/readers/readers'

$(BUILD)/readers/readers: fuzz/readers.c $(wildcard src/base/*.[ch] src/base/*/*.[ch] src/io/*.[ch] src/io/*/*.[ch])
	@mkdir -p $(@D)
	$(call say,clang,$@)clang -std=c11 -O1 -g -D_GNU_SOURCE -Isrc -Ishaders $(DEP_FLAGS) $(JPEG_FLAGS) $(SNDFILE_FLAGS) -Wall -Wextra -o $@ $(filter %.c,$^) \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $(DEP_DIRS) -lpng $(JPEG_LIBS) $(SNDFILE_LIBS) -lz -lm -lpthread

fuzz-texts: ## run the front end of kernels under libFuzzer and sanitizers: SECONDS=60
	$(DEPS) build fuzz
	@$(AGAIN) $(BUILD)/texts/texts
	@mkdir -p $(BUILD)/texts/corpus
	@cd $(BUILD)/texts && ./texts -max_total_time=$(or $(SECONDS),60) -timeout=5 -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1 \
		corpus $(wildcard $(CURDIR)/lua/rill/*/kernels $(CURDIR)/lua/rill/*/*/kernels) >texts.log 2>&1 || { tail -60 texts.log; exit 1; }
	@grep "number_of_executed_units" $(BUILD)/texts/texts.log

TEXT_SOURCES := $(wildcard src/base/*.c src/base/*/*.c $(addprefix src/kernel/,$(addsuffix /*.c,text tree pass check emit))) src/stream/type.c \
	src/stream/boundary.c src/stream/structure.c src/stream/declaration.c

$(BUILD)/texts/texts: fuzz/texts.c $(TEXT_SOURCES)
	@mkdir -p $(@D)
	$(call say,clang,$@)clang -std=c11 -O1 -g -D_GNU_SOURCE -Isrc -Ishaders -Wall -Wextra -o $@ $^ -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -lm -lpthread

# 2^32 words take about ten minutes for each order: WORDS=4294967296.
fuzz-random: ## test random numbers: WORDS=67108864 for each of ORDERS="elements launches ...", or BATTERY="dieharder -a -g 200"
	$(DEPS) build
	@$(AGAIN) build $(BUILD)/spec/randomness
	@$(RUN) WORDS='$(WORDS)' ORDERS='$(ORDERS)' SEED='$(SEED)' BATTERY='$(BATTERY)' $(LUA) fuzz/randomness.lua '$(BUILD)/spec/randomness'

$(BUILD)/spec/randomness: fuzz/randomness.c | $(BUILD)/spec/
	$(call say,cc,$<)$(CC) -std=c11 $(CFLAGS) -D_GNU_SOURCE $(WARNINGS) $(WERROR) $(LDFLAGS) -o $@ $< -lm

inject: $(BUILD)/spec/inject.so ## inject a fault into the n-th allocation, compilation, mapping, wait ...: MOST=400 of each, CASES="sort tour ..."
	$(DEPS) build prompt
	@$(AGAIN) build
	@$(RUN) MOST='$(MOST)' RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' $(LUA) fuzz/inject.lua $(CASES)

flat: $(BUILD)/spec/inject.so ## check memory growth over LAUNCHES=1000000 launches and TEXTS=100000 different texts (takes an hour)
	$(DEPS) build
	@$(AGAIN) build
	@$(RUN) LAUNCHES='$(LAUNCHES)' TEXTS='$(TEXTS)' MESA_SHADER_CACHE_DISABLE=true RILL_INJECT_LIBRARY='$(abspath $<)' LD_PRELOAD='$(abspath $<)' \
		$(LUA) fuzz/flat.lua

$(BUILD)/spec/inject.so: spec/support/inject.c spec/support/interpose.h | $(BUILD)/spec/
	$(call say,cc,$<)$(CC) -std=c11 -O2 -shared -fPIC -o $@ $< -ldl -lpthread

bench: ## build, compare the speed of rill with other libraries; BENCH="numpy torch": only these
	$(DEPS) build
	@$(AGAIN) run-bench

.PHONY: run-bench
run-bench: $(CORE) $(PEER) $(BUILD)/bench/open_device $(BUILD)/bench/peer_tbb.tried $(BUILD)/bench/peer_fcl.tried \
	$(BUILD)/bench/peer_embree.tried $(BUILD)/spec/support/sockets.so
	@$(RUN) $(LUA) bench/run.lua $(BENCH)

$(BUILD)/bench/open_device: bench/peer/open_device.c | $(BUILD)/bench/
	$(call say,cc,$<)$(CC) -std=c11 -O2 -D_GNU_SOURCE -o $@ $< -lEGL -lOpenGL -lGLEW

# oneTBB, libfcl and Embree are optional: without them, the rows of these peers report that they are missing.
$(BUILD)/bench/peer_tbb.tried: PEER_FLAGS = -ltbb
$(BUILD)/bench/peer_fcl.tried: PEER_FLAGS = $(call pkg,--cflags,fcl) $(call pkg,--libs,fcl)
$(BUILD)/bench/peer_embree.tried: PEER_FLAGS = -lembree3 -pthread
$(BUILD)/bench/%.tried: bench/peer/%.cpp bench/peer/pipe.hpp | $(BUILD)/bench/
	$(call say,c++,$<)$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -o $(@:.tried=) $< $(PEER_FLAGS) 2>$@.log || \
		{ rm -f $(@:.tried=); echo 'not built: see $@.log'; }
	@[ ! -x $(@:.tried=) ] || touch $@

$(BUILD)/bench/peer.so: $(PEER_OBJECTS)
	$(call say,link,$@)$(CC) -shared -o $@ $(PEER_OBJECTS) $(LIBS)

# Hand-written loops are compiled with all optimizations for this machine.
$(BUILD)/bench/%.o: bench/peer/%.c $(BUILD)/flags | $(BUILD)/bench/
	$(call say,cc,$<)$(CC) -std=c11 -O3 -march=native -ffast-math -fPIC -D_GNU_SOURCE -Wall -Wextra $(WERROR) -Ibench/peer \
		$(LUA_FLAGS) $(DEP_FLAGS) -MMD -MP -c -o $@ $<

# ---- checking

CLANG_FORMAT = $(or $(shell command -v clang-format-14),clang-format)
C_FILES = $(wildcard src/*/*.[ch] src/*/*/*.[ch] bench/peer/*.[ch] bench/peer/*.[ch]pp spec/c/*.[ch] fuzz/*.c)
LUA_DIRS = $(wildcard lua bin/rill spec examples bench fuzz tools)

check: ## check formatting, static analysis, the order of layers, the manual, the language
	$(DEPS) build libraries test check docs
	@$(AGAIN) -k check-warnings check-format check-cppcheck check-luacheck check-layers check-docs check-site check-errors check-annotations check-phrases check-glsl
	@echo "make check: all passed"

# Compiles every C file with warnings as errors, in a separate build directory, because existing objects were compiled without them.
# Another compiler: make check-warnings CC=clang-16 CFLAGS=-O3.
check-warnings:
	@$(AGAIN) -k $(PARALLEL) objects BUILD='$(BUILD)/warnings' WERROR=-Werror

objects: $(OBJECTS) $(PEER_OBJECTS) $(UNITS)

# Versions of clang-format differ in layout. Version 14 (Debian 12) is used.
check-format:
	@case "$$($(CLANG_FORMAT) --version)" in \
	*' version 14.'*) $(CLANG_FORMAT) --dry-run -Werror $(C_FILES) ;; \
	*) echo 'check-format: skipped, because this is not version 14 of clang-format' ;; \
	esac

check-cppcheck: $(BUILD)/reductions.h | $(BUILD)/cppcheck/
	cppcheck --std=c11 --language=c -Isrc -Ishaders -I$(BUILD) -D_GNU_SOURCE --enable=warning,performance,portability --error-exitcode=1 \
		--library=tools/cppcheck.cfg --inline-suppr --suppressions-list=tools/cppcheck.supp --cppcheck-build-dir=$(BUILD)/cppcheck -j2 --quiet src $(wildcard bench/peer/*.c)

$(BUILD)/cppcheck/:
	@mkdir -p $@

check-luacheck:
	luacheck --quiet $(LUA_DIRS) $(wildcard *.rockspec)

check-layers: $(CORE)
	@$(LUA) tools/layers.lua
	@$(RUN) $(LUA) tools/cycles.lua $(BUILD)
	@$(RUN) $(LUA) tools/prefixes.lua $(BUILD)

check-phrases: ## measure the language of comments, manual and messages
	@$(RUN) $(LUA) tools/phrases.lua

check-docs: $(CORE)
	@$(RUN) $(LUA) tools/docscov.lua

check-annotations: $(CORE)
	@$(RUN) $(LUA) tools/annotations.lua --check

check-errors:
	@$(RUN) $(LUA) tools/errors.lua

check-site: $(CORE)
	@$(RUN) $(LUA) tools/site.lua --check $(BUILD)/site-check

.PHONY: check-glsl
check-glsl: $(CORE)
	@tools/glsl.sh '$(abspath $(BUILD))/glsl' $(SUITE)

format: ## format the C files with clang-format
	$(CLANG_FORMAT) -i $(C_FILES)

# ---- the manual

docs: ## install missing packages (it prints which), write the manual as a website to build/site
	$(DEPS) build docs
	@$(AGAIN) $(PARALLEL) build docs/gallery/gallery.md
	@$(RUN) $(LUA) tools/site.lua $(BUILD)/site

gallery: ## run every example, write docs/gallery
	$(DEPS) build
	@$(AGAIN) $(PARALLEL) build
	@rm -f docs/gallery/gallery.md
	@$(AGAIN) docs/gallery/gallery.md

docs/gallery/gallery.md: $(wildcard examples/*.lua) tools/gallery.lua | $(CORE)
	@$(RUN) $(LUA) tools/gallery.lua docs/gallery

# ---- installing

deps: ## install the missing packages of all targets
	$(DEPS) build libraries prompt test drivers mpi live check fuzz docs rock bare

env: ## print shell commands that make this tree usable: eval "$(make -s env)"
	@echo 'export PATH="$(CURDIR)/bin:$$PATH";'
	@echo 'export LUA_PATH="$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;$${LUA_PATH_5_4:-$${LUA_PATH:-;}}";'
	@echo 'export LUA_CPATH="$(abspath $(BUILD))/?.so;$${LUA_CPATH_5_4:-$${LUA_CPATH:-;}}";'
	@echo 'unset LUA_PATH_5_4 LUA_CPATH_5_4;'

# The paths of the installed files, without DESTDIR, are kept for `make uninstall`.
INSTALLED = $(DESTDIR)$(LUADIR)/rill/installed-files
install: build ## install into PREFIX, or LUADIR, LIBDIR and BINDIR
	install -d '$(DESTDIR)$(LIBDIR)/rill' '$(DESTDIR)$(LUADIR)/rill'
	install -m 755 $(CORE) '$(DESTDIR)$(LIBDIR)/rill/core.so'
	$(if $(MPI_MODULE),install -D -m 755 $(MPI_CORE) '$(DESTDIR)$(LIBDIR)/rill/mpi/core.so')
	$(if $(LIVE_CORE),install -D -m 755 $(LIVE_CORE) '$(DESTDIR)$(LIBDIR)/rill/live/core.so')
	$(foreach folder,$(sort $(dir $(LUA_FILES))),install -D -m 644 -t '$(DESTDIR)$(LUADIR)/rill/$(folder:lua/rill/%=%)' \
		$(foreach file,$(LUA_FILES),$(if $(filter $(folder),$(dir $(file))),$(file))) && ):
	install -D -m 644 $(ANNOTATIONS) '$(DESTDIR)$(LUADIR)/rill/library/rill.lua'
ifneq ($(COMMANDS),)
	install -d '$(DESTDIR)$(BINDIR)'
	install -m 755 $(COMMANDS) '$(DESTDIR)$(BINDIR)/'
endif
	@touch '$(INSTALLED)'
	@{ cat '$(INSTALLED)'; echo '$(LIBDIR)/rill/core.so'; \
	$(if $(MPI_MODULE),echo '$(LIBDIR)/rill/mpi/core.so';) \
	$(if $(LIVE_CORE),echo '$(LIBDIR)/rill/live/core.so';) \
	for file in $(LUA_FILES:lua/rill/%=%) library/rill.lua installed-files; do echo '$(LUADIR)/rill/'"$$file"; done; \
	for file in $(COMMANDS:bin/%=%); do echo '$(BINDIR)/'"$$file"; done; } | LC_ALL=C sort -u -o '$(INSTALLED)'

# Removes the files that `make install` listed, and the directories named rill, and directories in them, that are empty then.
uninstall: ## remove what make install put into the same PREFIX, or LUADIR, and DESTDIR
	@test -f '$(INSTALLED)' || { \
	echo "uninstall: make install has not installed rill here: there is no '$(INSTALLED)'. Give the settings of make install, such as PREFIX" >&2; exit 1; }
	@folders=$$(sed 's|/[^/]*$$||' '$(INSTALLED)' | LC_ALL=C sort -ru) && \
	while IFS= read -r file; do printf '%s\0' '$(DESTDIR)'"$$file"; done <'$(INSTALLED)' | xargs -0 rm -f && \
	printf '%s\n' "$$folders" | while IFS= read -r folder; do \
	while case "$$folder" in */rill|*/rill/*) rmdir '$(DESTDIR)'"$$folder" 2>/dev/null ;; *) false ;; esac; do folder="$${folder%/*}"; done; \
	done

# An archive of the last commit, which builds and installs without git.
VERSION = $(call memo,VERSION,$(shell sed -n 's/^\#define RILL_VERSION "\(.*\)"$$/\1/p' src/binding/core.c))
dist: | $(BUILD)/ ## write a source archive of the last commit, build/rill-VERSION.tar.gz
	git archive --format=tar.gz --prefix='rill-$(VERSION)/' --output='$(BUILD)/rill-$(VERSION).tar.gz' HEAD

# LuaRocks may run on another version of Lua, so the version is given.
rock: ## install with LuaRocks into TREE=directory, without a network
	$(DEPS) build rock
	luarocks --lua-version 5.4 make $(if $(TREE),--tree '$(TREE)') rill-scm-1.rockspec

clean: ## remove all build directories
	rm -rf build build-asan build-plain build-tsan
