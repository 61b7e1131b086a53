# rill: build, run, test and check. `make help` lists the targets.
#
# Settings worth overriding: BUILD, CC, CFLAGS, LUA (the interpreter), PREFIX, LUADIR, LIBDIR, BINDIR, DESTDIR; WERROR=-Werror
# lets warnings stop a build: only `make check` does, so that a compiler not met before is never in anyone's way.
# `make V=1` shows the compiler's commands.

BUILD ?= build
CC = gcc
LUA ?= lua5.4
CFLAGS ?= -O2 -g
LDFLAGS ?=
WERROR ?=
PREFIX ?= /usr/local
LUADIR ?= $(PREFIX)/share/lua/5.4
LIBDIR ?= $(PREFIX)/lib/lua/5.4
BINDIR ?= $(PREFIX)/bin

# Where things are. pkg-config is asked on first use, not when this file is read: `make test` on a fresh machine is what
# installs it. A module it does not know is looked for in the compiler's own directories.
memo = $(eval $(1) := $(2))$($(1))
pkg = $(shell pkg-config $(1) $(2) 2>/dev/null)
LUA_FLAGS = $(call memo,LUA_FLAGS,$(if $(LUA_INCDIR),-I$(LUA_INCDIR)) $(or $(call pkg,--cflags,lua5.4),$(call pkg,--cflags,lua-5.4),$(call pkg,--cflags,lua54),-I/usr/include/lua5.4))
DEP_FLAGS = $(call memo,DEP_FLAGS,$(foreach m,egl opengl glew libpng,$(call pkg,--cflags,$m)))
DEP_DIRS = $(call memo,DEP_DIRS,$(foreach m,egl opengl glew libpng,$(call pkg,--libs-only-L,$m)))
LIBS = -Wl,--as-needed $(DEP_DIRS) -lEGL -lOpenGL -lGLEW -lpng -lm -ldl -lpthread

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
COMPILE = $(CC) -std=c11 $(CFLAGS) -fPIC -D_GNU_SOURCE -Isrc -I$(BUILD) -fvisibility=hidden $(LUA_FLAGS) $(DEP_FLAGS)

SOURCES := $(wildcard src/*/*.c src/*/*/*.c)
SHADERS := $(sort $(wildcard shaders/*.comp) $(wildcard shaders/shared/*.glsl))
EMBEDDED := $(if $(SHADERS),$(BUILD)/shaders_embedded)
OBJECTS = $(SOURCES:src/%.c=$(BUILD)/obj/%.o) $(EMBEDDED:%=%.o)
CORE := $(BUILD)/rill/core.so
LUA_FILES := $(wildcard lua/rill/*.lua lua/rill/*/*.lua)
COMMANDS := $(wildcard bin/rill)
ANNOTATIONS := $(BUILD)/library/rill.lua

PEER_SOURCES := $(filter-out bench/peer/open_device.c,$(wildcard bench/peer/*.c))
PEER_OBJECTS = $(PEER_SOURCES:bench/peer/%.c=$(BUILD)/bench/%.o)
PEER := $(if $(PEER_SOURCES),$(BUILD)/bench/peer.so)

# The build tree in front of what is installed; ";;" keeps Lua's own defaults.
RUN = env -u LUA_PATH_5_4 -u LUA_CPATH_5_4 LUA_PATH='$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;;' \
	LUA_CPATH='$(abspath $(BUILD))/?.so;$(abspath $(BUILD))/bench/?.so;;'
SUITE = $(RUN) RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' $(LUA) tools/suite.lua
# As many compilers at once as there are cores, unless told how many.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
# say = a short line instead of the command that follows, unless V is set.
say = $(if $(V),,@printf '%-5s %s\n' $(1) $(2);)
AGAIN = $(MAKE) --no-print-directory
DEPS = @tools/deps.sh

.PHONY: build help demo test test-all drivers sanitize tsan fuzz inject flat bench check format deps env install rock clean force
.PHONY: check-warnings objects check-format check-cppcheck check-luacheck check-floors check-docs check-site check-errors check-annotations docs gallery

build: $(CORE) $(ANNOTATIONS) ## compile build/rill/core.so (installs nothing)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 13

# ---- compiling

$(CORE): $(OBJECTS) | $(BUILD)/rill/
	$(call say,link,$@)$(CC) -shared $(LDFLAGS) -o $@ $(OBJECTS) $(LIBS)

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags $(EMBEDDED:%=%.h)
	@mkdir -p $(@D)
	$(call say,cc,$<)$(COMPILE) $(WARNINGS) $(WERROR) -MMD -MP -c -o $@ $<

$(BUILD)/shaders_embedded.o: $(BUILD)/shaders_embedded.c $(BUILD)/flags
	$(call say,cc,$<)$(COMPILE) $(WARNINGS) $(WERROR) -c -o $@ $<

$(BUILD)/shaders_embedded.c $(BUILD)/shaders_embedded.h &: $(SHADERS) tools/embed.lua $(BUILD)/flags
	$(call say,embed,shaders)$(LUA) tools/embed.lua $(BUILD)/shaders_embedded $(SHADERS)

# Rewritten only when what it holds changes, so that other flags, or a file added or removed, rebuild what they touch.
# WERROR is left out: it changes no object.
$(BUILD)/flags: force | $(BUILD)/
	@printf '%s\n' '$(COMPILE) $(LDFLAGS) $(LIBS)' '$(SHADERS)' | cmp -s - $@ || \
		printf '%s\n' '$(COMPILE) $(LDFLAGS) $(LIBS)' '$(SHADERS)' > $@

$(BUILD)/sources: force | $(BUILD)/
	@printf '%s\n' '$(SOURCES)' | cmp -s - $@ || printf '%s\n' '$(SOURCES)' > $@

$(CORE): $(BUILD)/sources

# What an editor knows of rill: needs no device, nor the shared object.
$(ANNOTATIONS): tools/annotations.lua $(LUA_FILES)
	$(call say,lua,$@)$(RUN) $(LUA) tools/annotations.lua $@

$(BUILD)/ $(BUILD)/rill/ $(BUILD)/bench/ $(BUILD)/spec/:
	@mkdir -p $@

-include $(SOURCES:src/%.c=$(BUILD)/obj/%.d) $(PEER_OBJECTS:.o=.d)

# ---- running

demo: ## install what is missing, build, run the examples
	$(DEPS) build prompt
	@$(AGAIN) $(PARALLEL) build
	@$(RUN) $(LUA) examples/demo.lua

test: ## install what is missing, build, run the whole suite; SPEC=sort: one file, SPEC=spec/kernel: a folder
	$(DEPS) build prompt test
	@$(AGAIN) $(PARALLEL) build
	@$(SUITE) own -- $(SPEC)

test-all: ## the same, then for the other family, under an aggressive collector, and on all drivers; PASSES="own other gc": these
	$(DEPS) build prompt test drivers
	@$(AGAIN) $(PARALLEL) build
	@$(SUITE) $(or $(PASSES),own other gc drivers) -- $(SPEC)

drivers: ## the suite on every driver of this machine, for both families
	$(DEPS) build prompt test drivers
	@$(AGAIN) $(PARALLEL) build
	@$(SUITE) drivers -- $(SPEC)

# One pass of tools/passes.lua: make test-gpu, make test-softpipe-cpu SPEC=sort.
test-%: force
	$(DEPS) build prompt test
	@$(AGAIN) $(PARALLEL) build
	@$(SUITE) $* -- $(SPEC)

sanitize: ## the suite under AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan
	$(DEPS) build prompt test
	@$(AGAIN) $(PARALLEL) build BUILD=build-asan LDFLAGS='-fsanitize=address,undefined' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
	@$(AGAIN) run-sanitized BUILD=build-asan

.PHONY: run-sanitized
run-sanitized:
	@RILL_PRELOAD="$$($(CC) -print-file-name=libasan.so)" $(SUITE) sanitize -- $(SPEC)

# Mesa, LLVM and Lua are not instrumented, so what they do is not looked at: ThreadSanitizer would take their own locks for none.
tsan: ## four Lua states on four threads for SECONDS=30 under ThreadSanitizer, in build-tsan
	$(DEPS) build test
	@$(AGAIN) build BUILD=build-tsan WERROR= LDFLAGS='-fsanitize=thread' CFLAGS='-O1 -g -fsanitize=thread'
	@$(AGAIN) run-tsan BUILD=build-tsan

.PHONY: run-tsan
run-tsan: $(BUILD)/spec/host
	@$(RUN) TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=99" \
		$(BUILD)/spec/host spec/support/threads.lua 4 $(or $(SECONDS),30)

$(BUILD)/spec/host: spec/support/host.c | $(BUILD)/spec/
	$(call say,cc,$<)$(CC) -std=c11 -O1 -g -fsanitize=thread $(LUA_FLAGS) -o $@ $< $(or $(call pkg,--libs,lua5.4),$(call pkg,--libs,lua-5.4),-llua5.4) -lpthread

# Findings and their scripts go to build/fuzz.
fuzz: ## random cases against references: SECONDS=60 SEED=n CASES="bodies expressions ..."
	$(DEPS) build
	@$(AGAIN) build
	@$(RUN) SECONDS='$(SECONDS)' SEED='$(SEED)' CASES='$(CASES)' RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' \
		$(LUA) fuzz/campaign.lua

inject: $(BUILD)/spec/inject.so ## every n-th allocation, compile, map, wait ... fails: MOST=400 of each, CASES="sort tour ..."
	$(DEPS) build prompt
	@$(AGAIN) build
	@$(RUN) MOST='$(MOST)' RILL_BUILD='$(abspath $(BUILD))' RILL_LUA='$(LUA)' $(LUA) fuzz/inject.lua $(CASES)

flat: $(BUILD)/spec/inject.so ## memory over LAUNCHES=1000000 launches and TEXTS=100000 different texts, which takes an hour
	$(DEPS) build
	@$(AGAIN) build
	@$(RUN) LAUNCHES='$(LAUNCHES)' TEXTS='$(TEXTS)' MESA_SHADER_CACHE_DISABLE=true RILL_INJECT_LIBRARY='$(abspath $<)' LD_PRELOAD='$(abspath $<)' \
		$(LUA) fuzz/flat.lua

$(BUILD)/spec/inject.so: spec/support/inject.c spec/support/interpose.h | $(BUILD)/spec/
	$(call say,cc,$<)$(CC) -std=c11 -O2 -shared -fPIC -o $@ $< -ldl -lpthread

bench: ## install what is missing, build, time rill against its peers
	$(DEPS) build
	@$(AGAIN) run-bench

.PHONY: run-bench
run-bench: $(CORE) $(PEER) $(BUILD)/bench/open_device $(BUILD)/bench/peer_tbb.tried
	@$(RUN) $(LUA) bench/run.lua $(BENCH)

$(BUILD)/bench/open_device: bench/peer/open_device.c | $(BUILD)/bench/
	$(call say,cc,$<)$(CC) -std=c11 -O2 -D_GNU_SOURCE -o $@ $< -lEGL -lOpenGL -lGLEW

# oneTBB is nobody's dependency: without it this peer's rows say that it is missing.
$(BUILD)/bench/peer_tbb.tried: bench/peer/peer_tbb.cpp | $(BUILD)/bench/
	$(call say,c++,$<)$(CXX) -std=c++17 -O3 -march=native -Wall -Wextra -o $(@:.tried=) $< -ltbb 2>$@.log || \
		{ rm -f $(@:.tried=); echo 'no oneTBB: see $@.log'; }
	@[ ! -x $(@:.tried=) ] || touch $@

$(BUILD)/bench/peer.so: $(PEER_OBJECTS)
	$(call say,link,$@)$(CC) -shared -o $@ $(PEER_OBJECTS) $(LIBS)

# What a programmer would give a hand-written loop: everything the compiler has for this machine.
$(BUILD)/bench/%.o: bench/peer/%.c $(BUILD)/flags | $(BUILD)/bench/
	$(call say,cc,$<)$(CC) -std=c11 -O3 -march=native -ffast-math -fPIC -D_GNU_SOURCE -Wall -Wextra $(WERROR) -Ibench/peer \
		$(LUA_FLAGS) $(DEP_FLAGS) -MMD -MP -c -o $@ $<

# ---- checking

C_FILES = $(wildcard src/*/*.[ch] src/*/*/*.[ch] bench/peer/*.[ch] bench/peer/*.cpp)
LUA_DIRS = $(wildcard lua bin/rill spec examples bench fuzz tools)

check: ## formatting, static analysis, the rules of the house, the manual's coverage
	$(DEPS) build check docs
	@$(AGAIN) -k check-warnings check-format check-cppcheck check-luacheck check-floors check-docs check-site check-errors check-annotations check-glsl
	@echo "make check: all passed"

# Every C file with warnings as errors, in a build folder of its own, since objects made without them are no proof.
# Another compiler: make check-warnings CC=clang-16 CFLAGS=-O3.
check-warnings:
	@$(AGAIN) -k $(PARALLEL) objects BUILD='$(BUILD)/warnings' WERROR=-Werror

objects: $(OBJECTS) $(PEER_OBJECTS)

check-format:
	clang-format --dry-run -Werror $(C_FILES)

check-cppcheck: | $(BUILD)/cppcheck/
	cppcheck --std=c11 --language=c -Isrc -D_GNU_SOURCE --enable=warning,performance,portability --error-exitcode=1 \
		--library=tools/cppcheck.cfg --inline-suppr --suppressions-list=tools/cppcheck.supp --cppcheck-build-dir=$(BUILD)/cppcheck -j2 --quiet src $(wildcard bench/peer/*.c)

$(BUILD)/cppcheck/:
	@mkdir -p $@

check-luacheck:
	luacheck --quiet $(LUA_DIRS) $(wildcard *.rockspec)

check-floors: $(CORE)
	@$(LUA) tools/floors.lua
	@$(RUN) $(LUA) tools/circles.lua $(BUILD)
	@$(RUN) $(LUA) tools/prefixes.lua $(BUILD)

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

format: ## let clang-format rewrite the C files
	clang-format -i $(C_FILES)

# ---- the manual

docs: ## the manual as a static site in build/site
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

deps: ## install everything that any target here needs and this machine lacks
	$(DEPS) build prompt test drivers check docs rock

env: ## print shell lines that make this tree usable: eval "$(make -s env)"
	@echo 'export PATH="$(CURDIR)/bin:$$PATH";'
	@echo 'export LUA_PATH="$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;$${LUA_PATH_5_4:-$${LUA_PATH:-;}}";'
	@echo 'export LUA_CPATH="$(abspath $(BUILD))/?.so;$${LUA_CPATH_5_4:-$${LUA_CPATH:-;}}";'
	@echo 'unset LUA_PATH_5_4 LUA_CPATH_5_4;'

install: build ## into PREFIX, or LUADIR, LIBDIR and BINDIR
	install -d '$(DESTDIR)$(LIBDIR)/rill' '$(DESTDIR)$(LUADIR)/rill'
	install -m 755 $(CORE) '$(DESTDIR)$(LIBDIR)/rill/core.so'
	for file in $(LUA_FILES:lua/rill/%=%); do install -D -m 644 "lua/rill/$$file" '$(DESTDIR)$(LUADIR)/rill/'"$$file" || exit 1; done
	install -D -m 644 $(ANNOTATIONS) '$(DESTDIR)$(LUADIR)/rill/library/rill.lua'
ifneq ($(COMMANDS),)
	install -d '$(DESTDIR)$(BINDIR)'
	install -m 755 $(COMMANDS) '$(DESTDIR)$(BINDIR)/'
endif

# A LuaRocks that runs on another Lua must be told for which one it installs.
rock: ## luarocks make into TREE=directory, without a network
	$(DEPS) build rock
	luarocks --lua-version 5.4 make $(if $(TREE),--tree '$(TREE)') rill-scm-1.rockspec

clean: ## remove what was built
	rm -rf build build-asan build-tsan
