# nnefc - `make help` lists the targets

BUILD    ?= release
# CROSS=TRIPLET builds for another machine in a folder of its own; SYSROOT is a folder with its libraries, if they
# are not installed.  LIBARCHIVE is the file that is loaded when the first archive is opened.
BUILDDIR ?= build$(addprefix /,$(CROSS))
OUT      := $(BUILDDIR)/$(BUILD)
GEN      := $(BUILDDIR)/gen

BISON        ?= bison
FLEX         ?= flex
PKG_CONFIG   ?= $(if $(CROSS),$(CROSS)-)pkg-config
CLANG        ?= clang
CLANG_FORMAT ?= clang-format
CLANG_TIDY   ?= clang-tidy

PREFIX       ?= /usr/local
BINDIR       ?= $(PREFIX)/bin
LIBDIR       ?= $(PREFIX)/lib
INCLUDEDIR   ?= $(PREFIX)/include
MANDIR       ?= $(PREFIX)/share/man
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig

VERSION := $(strip $(file <VERSION))
# While the major version is 0, each minor one is another interface (docs/changes.md).
SONAME  := libnnefc.so.$(basename $(VERSION))
SHARED  := libnnefc.so.$(VERSION)

Q   := $(if $(V),,@)
say = @printf '  %-7s %s\n' $(1) $(2)

ifdef CROSS
CC := $(CROSS)-gcc $(addprefix --sysroot=,$(SYSROOT))
AR := $(CROSS)-ar
# Runs a program of that machine.
EMULATOR ?= $(patsubst qemu-i686-%,qemu-i386-%,qemu-$(firstword $(subst -, ,$(CROSS)))-static) -L $(or $(SYSROOT),/)
endif

# Compiler, libraries. CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS are the user's; ours come before them.

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
        -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
        -Wundef -Wcast-qual -Wcast-align -Wwrite-strings -Wpointer-arith \
        -Wvla -Wdouble-promotion -Wformat=2 -Wswitch-enum -Wimplicit-fallthrough \
        -Wredundant-decls

SANITIZE     := -fsanitize=address,undefined -fno-sanitize-recover=all
MODE_debug   := -O0 -g3
MODE_release := -O2 -g -DNDEBUG
MODE_asan    := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE)
MODE_tsan    := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread
MODE_cover   := -O0 -g3 --coverage
MODE_fuzz     = -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link $(COMPARES) $(SANITIZE)
LINK_asan    := $(SANITIZE)
LINK_tsan    := -fsanitize=thread
LINK_cover   := --coverage
LINK_fuzz    := $(SANITIZE)

ifndef MODE_$(BUILD)
$(error BUILD is one of debug, release, asan, tsan, cover, fuzz; not '$(BUILD)')
endif

# The fuzzer is clang's.
ifeq ($(BUILD),fuzz)
CC := $(CLANG)
endif

# It may learn from comparisons, which is of use where files are read; the dictionary knows the words
# of texts, and looking at every token of the library would take most of the time.
COMPARES := -fno-sanitize-coverage=trace-cmp
$(addprefix $(OUT)/src/,file/%.o convert/proto/%.o): COMPARES :=

# Each command runs when its variable is first used; `make help` runs none.
once = $(eval $1 := $$(or $$(shell $2 2>/dev/null),$3))$($1)

LIBARCHIVE ?= libarchive.so.13
PACKAGES  := libarchive libpng zlib
PKG_LIBS   = $(call once,PKG_LIBS,$(PKG_CONFIG) --libs $(PACKAGES),-larchive -lpng -lz)
PKG_FLAGS  = $(call once,PKG_FLAGS,$(PKG_CONFIG) --cflags $(PACKAGES) jansson)
LIBS       = $(PKG_LIBS) -lm -ldl
TOOL_LIBS  = $(call once,TOOL_LIBS,$(PKG_CONFIG) --libs jansson,-ljansson)

# Floats are computed as floats (kernel/math.h), and files may be larger than 2 GiB (file/file.c), where a machine
# needs to be told.
MACHINE       := $(shell $(CC) -dumpmachine)
X86_32        := i386-% i486-% i586-% i686-%
MACHINE_FLAGS := $(if $(filter s390x-%,$(MACHINE)),-fexcess-precision=fast) \
                 $(if $(filter $(X86_32),$(MACHINE)),-msse2 -mfpmath=sse -Wno-psabi) \
                 $(if $(filter $(X86_32) arm-% mipsel-% powerpc-%,$(MACHINE)),-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64)

# With protoc-c and onnx.proto our ONNX files are compared with what others make of them.
ONNX_PROTO  ?= /usr/include/onnx/onnx.proto
PROTOBUF_C  := $(and $(wildcard $(ONNX_PROTO)),$(shell command -v protoc-c), \
                 $(shell $(PKG_CONFIG) --libs libprotobuf-c 2>/dev/null))

COMPILE_FLAGS = -Iinclude -Isrc -I$(GEN) $(PKG_FLAGS) -D_POSIX_C_SOURCE=200809L \
                -DNNEFC_VERSION='"$(VERSION)"' -std=c11 -ffp-contract=off $(strip $(MACHINE_FLAGS)) $(WARN) $(WERROR) \
                $(MODE_$(BUILD)) -pthread -fopenmp-simd $(CPPFLAGS) $(CFLAGS)
COMPILE       = $(CC) $(COMPILE_FLAGS)
LINK          = $(CC) $(LINK_$(BUILD)) -pthread -Wl,--as-needed $(LDFLAGS)

# What is built: every source there is

SRC        := $(filter-out src/driver/% src/gen/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
DRIVER     := $(sort $(wildcard src/driver/*.c src/driver/*/*.c))
GRAMMAR    := $(sort $(wildcard grammar/*.y grammar/*.l))
STDLIB     := $(sort $(wildcard stdlib/*.nnef))
C_TEXTS    := $(sort $(wildcard src/backend/c/text/*.h src/op/text/*.h))
CASE_PARTS := tests/support/case_json.c
SUPPORT    := $(filter-out $(CASE_PARTS),$(sort $(wildcard tests/support/*.c)))
UNIT       := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_ROOMS := $(sort $(notdir $(patsubst %/,%,$(dir $(UNIT)))))
RUNNER     := $(wildcard tests/nnef_test.c)
RANDOM     := $(wildcard tests/fuzz_bindings.c tests/fuzz_passes.c tests/fuzz_plans.c)
FUZZ       := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PARTS := $(filter-out $(FUZZ),$(sort $(wildcard tests/fuzz/*.c)))
CASES      := $(wildcard tests/onnx_cases.c tests/onnx_open.c tests/onnx_models.c)

BENCH      := $(sort $(wildcard bench/*.c))
BENCH_MAIN := $(wildcard bench/kernels.c bench/have_*.c bench/measure_*.c bench/serve_*.c)

GEN_C      := $(GRAMMAR:grammar/%.y=$(GEN)/%.tab.c)
GEN_C      := $(GEN_C:grammar/%.l=$(GEN)/%.lex.c) $(STDLIB:stdlib/%.nnef=$(GEN)/stdlib_%.c) \
              $(patsubst %.h,$(GEN)/c_text_%.c,$(notdir $(C_TEXTS))) \
              $(GEN)/explain.c $(GEN)/ops.c
# The page of 'nnefc view'.
PAGE_C     := $(GEN)/page_js.c $(GEN)/findings_js.c $(GEN)/page_css.c
GEN_H      := $(filter %.tab.h %.lex.h,$(GEN_C:.c=.h)) $(GEN)/ops.h

# The generator of operators runs while nnefc is built, so it is compiled for the machine that builds, whatever
# BUILD and CC are.
HOSTCC   ?= cc
HOST      := $(BUILDDIR)/host
HOST_SRC  := $(sort $(wildcard src/gen/*.c src/parser/*.c src/diag/*.c src/base/*.c)) $(GEN)/nnef.tab.c $(GEN)/nnef.lex.c
HOST_OBJ  := $(patsubst src/%.c,$(HOST)/%.o,$(HOST_SRC:$(GEN)/%.c=$(HOST)/%.o))
OPGEN     := $(HOST)/opgen

# Fast kernels are compiled once for every processor and again for those with more instructions.
KERNEL_SRC     := $(filter-out src/kernel/kernels.c,$(wildcard src/kernel/*.c))
# Compilers take minutes for unrolled loops with checks between their instructions, or with the place of each variable
# at each instruction. So arithmetic is not checked there, and addresses are checked by calls in the largest files.
KERNEL_release := -O3 -fno-var-tracking
KERNEL_asan    := -fno-sanitize=undefined
KERNEL_fuzz    := -fno-sanitize=undefined
# Where a square root is no intrinsic (kernel/map.c), it is computed in lanes only if it need not set errno.
KERNEL_MODE    := $(KERNEL_$(BUILD)) -ffp-contract=fast $(if $(filter x86_64-%,$(MACHINE)),,-fno-math-errno)
# Releases have all variants. Other builds have that of this machine only, for each takes a while to compile, and the
# fuzzer has none: clang takes minutes for some with its checks.
NATIVE       := $(if $(shell grep -m 1 avx512dq /proc/cpuinfo 2>/dev/null),avx512,avx2)
VARIANTS     := $(if $(filter x86_64-%,$(MACHINE)),$(if $(filter release,$(BUILD)),avx2 avx512,$(if $(filter fuzz,$(BUILD)),,$(NATIVE))))
# Lines that are to be written are fetched as such: older processors ignore that instruction.
FLAGS_avx2   := -DVARIANT=avx2 -mprfchw -mavx2 -mfma
FLAGS_avx512 := -DVARIANT=avx512 -mprfchw -mavx512f -mavx512vl -mavx512bw -mavx512dq -mfma
KERNEL_OBJ   := $(foreach v,$(VARIANTS),$(KERNEL_SRC:%.c=$(OUT)/%.$v.o))
# Instructions for quads of bytes: what they serve is compiled once more, and a table that has the rest of a variant.
QUADS_SRC         := src/kernel/table.c $(wildcard src/kernel/bytes*.c)
QUADS             := $(VARIANTS:%=%_vnni)
FLAGS_avx2_vnni   := $(FLAGS_avx2) -DBYTES=avx2_vnni -mavxvnni
FLAGS_avx512_vnni := $(FLAGS_avx512) -DBYTES=avx512_vnni -mavx512vnni
KERNEL_OBJ        += $(foreach v,$(QUADS),$(QUADS_SRC:%.c=$(OUT)/%.$v.o))

LIB_OBJ     := $(SRC:%.c=$(OUT)/%.o) $(KERNEL_OBJ) $(GEN_C:$(GEN)/%.c=$(OUT)/gen/%.o)
DRIVER_OBJ  := $(DRIVER:%.c=$(OUT)/%.o) $(PAGE_C:$(GEN)/%.c=$(OUT)/gen/%.o)
# What draws, for programs that are no driver.
VIEW_OBJ    := $(filter-out %/view.o %/html.o %/overlay.o %/findings.o,$(filter $(OUT)/src/driver/view/%,$(DRIVER_OBJ))) \
               $(patsubst %,$(OUT)/src/driver/%.o,memory escape)
SUPPORT_OBJ := $(SUPPORT:%.c=$(OUT)/%.o)
UNIT_MAIN   := $(UNIT_ROOMS:%=$(OUT)/tests/unit/%/main.o)
TEST_OBJ    := $(UNIT_MAIN) $(patsubst %.c,$(OUT)/%.o,$(UNIT) $(RUNNER) $(RANDOM) $(CASES) $(CASE_PARTS))
FUZZ_OBJ    := $(patsubst %.c,$(OUT)/%.o,$(FUZZ) $(FUZZ_PARTS))
BENCH_OBJ   := $(BENCH:%.c=$(OUT)/%.o)
TOOL_OBJ    := $(OUT)/tools/measure.o $(OUT)/tools/schema.o
# What loads libarchive when it is needed; the static library is linked with it instead (file/libarchive.h).
LOADING     := $(OUT)/src/file/libarchive.loading.o
OBJ         := $(LIB_OBJ) $(LOADING) $(DRIVER_OBJ) $(SUPPORT_OBJ) $(TEST_OBJ) $(FUZZ_OBJ) $(BENCH_OBJ) $(TOOL_OBJ)

PROTO_TEST  := $(OUT)/tests/unit/onnx/test_protobuf_c
PROTO_GEN   := $(if $(PROTOBUF_C),$(GEN)/onnx.pb-c.c $(GEN)/flipped.pb-c.c)
PROTO_OBJ   := $(PROTO_GEN:$(GEN)/%.c=$(OUT)/gen/%.o)

LIBRARY       := $(OUT)/libnnefc.a
PROGRAM       := $(OUT)/nnefc
MANUAL         := $(OUT)/nnefc.1
FINAL         := $(if $(filter release,$(BUILD)),$(BUILDDIR)/nnefc,$(PROGRAM))
FAILING       := $(OUT)/tools/failing.so
STOPPING      := $(OUT)/tools/stopping.so
UNIT_PROGRAM  := $(UNIT_ROOMS:%=$(OUT)/tests/unit_%)
FUZZ_PROGRAM  := $(FUZZ:%.c=$(OUT)/%)
SCHEMA        := $(OUT)/tools/schema
BENCH_PROGRAM := $(BENCH_MAIN:%.c=$(OUT)/%)
TEST_PROGRAMS := $(UNIT_PROGRAM) $(RUNNER:%.c=$(OUT)/%) $(RANDOM:%.c=$(OUT)/%)

.PHONY: all library tests test check check-cross check-arm64 check-devices check-emit unit documents mutants races judge test-models rules docs demo bench bench-emit bench-front bench-kernels bench-pnnx bench-shapes bench-view bench-diff
.PHONY: fuzz-bindings fuzz-passes fuzz-plans fuzz fuzz-corpus fuzz-build
.PHONY: lint lint-layers lint-style lint-docs lint-format tidy format
.PHONY: install uninstall clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: library $(FINAL) $(MANUAL)  ## build everything (BUILD=release|debug|asan|tsan|cover)

library: $(LIBRARY) $(OUT)/libnnefc.so  ## build the static and the shared library

tests: $(TEST_PROGRAMS) $(CASES:%.c=$(OUT)/%) $(FUZZ_PROGRAM) $(SCHEMA) $(BENCH_PROGRAM)  ## build the test programs without running them

test: all tests $(FAILING) $(STOPPING)  ## run every test; `check` is the same
	$(Q)NNEFC=$(abspath $(FINAL)) ONNX_CASES=$(abspath $(OUT)/tests/onnx_cases) \
	    ONNX_OPEN=$(abspath $(OUT)/tests/onnx_open) ONNX_MODELS=$(abspath $(OUT)/tests/onnx_models) \
	    FAILING=$(abspath $(FAILING)) STOPPING=$(abspath $(STOPPING)) SCHEMA=$(abspath $(SCHEMA)) SERVE=$(abspath $(OUT)/bench) \
	    tools/run_tests.sh $(TEST_PROGRAMS) $(FUZZ_PROGRAM)

check: test

unit: $(UNIT_PROGRAM)  ## run the unit tests only
	$(Q)tools/run_tests.sh $(UNIT_PROGRAM)

RACES := unit_base:test_team unit_op:test_share unit_exec:test_run,test_threads,test_plan unit_api:test_runs

races:  ## look for races between threads, with the thread sanitizer
	+$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=tsan $(foreach r,$(RACES),$(BUILDDIR)/tsan/tests/$(firstword $(subst :, ,$r)))
	$(Q)tools/run_tests.sh $(RACES:%=$(BUILDDIR)/tsan/tests/%)

check-cross:  ## build for other machines and test that under qemu (TARGETS, SYSROOTS, ROOMS, CLI; docs/portability.md)
	+$(Q)MAKE="$(MAKE) $(JOBS)" SYSROOTS="$(SYSROOTS)" tools/check_cross.sh $(TARGETS)

check-arm64:  ## run arm64's documents and golden sums; says that they are skipped where Debian's packages cannot be had
	-$(Q)sh tools/setup.sh arm64
	+$(Q)MAKE="$(MAKE) $(JOBS)" CFLAGS=-O1 SYSROOTS=$(abspath $(BUILDDIR)/sysroots) ROOMS= CLI=golden \
	    tools/check_cross.sh aarch64-linux-gnu

check-emit: all $(RUNNER:%.c=$(OUT)/%)  ## compile the C of all documents and examples by several compilers, with warnings and sanitizers
	$(Q)NNEFC=$(abspath $(FINAL)) NNEF_TEST=$(abspath $(RUNNER:%.c=$(OUT)/%)) tools/check_emit.sh

check-devices: all  ## run digits and MobileNet v2 as C on other processors, digits on bare ones and WebAssembly too
	-$(Q)sh tools/setup.sh cortex wasm devices
	$(Q)NNEFC=$(abspath $(FINAL)) tools/check_devices.sh

judge: all tests  ## let ONNX Runtime compute what nnefc writes (JUDGE=documents or folders)
	$(Q)ONNX_CASES=$(OUT)/tests/onnx_cases tests/onnxruntime/judge.sh $(JUDGE)
	$(Q)ONNX_CASES=$(OUT)/tests/onnx_cases tests/onnxruntime/judge.sh --passes $(JUDGE)
	$(Q)$(if $(JUDGE),,ONNX_OPEN=$(OUT)/tests/onnx_open tests/onnxruntime/open.sh --all)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_integers)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/pnnx.sh || [ $$? -eq 77 ])
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_sizes 2000)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_index)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_images 1000)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_nan 300)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_microsoft 500)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_quantized)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_quantized 100 2 --quant=qoperator)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_quantized 50 3 --quant=qoperator --no-contrib)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh made_networks)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh open_models)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_programs 300)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_sequences 300)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_losses)
	$(Q)$(if $(JUDGE),,NNEFC=$(abspath $(FINAL)) tests/onnxruntime/compare.sh random_operators)

test-models: all  ## read networks in ONNX that are in use, which npm fetches, and compare with ONNX Runtime (MODELS=text)
	$(Q)NNEFC=$(abspath $(FINAL)) tests/onnxruntime/networks.sh $(MODELS) || [ $$? -eq 77 ]

documents: $(RUNNER:%.c=$(OUT)/%)  ## run the documents below tests/ only, by each engine
	$(Q)tools/run_tests.sh $<

mutants:  ## do the tests notice faults? plants those of tools/mutants.txt and COUNT=50 by SEED=1
	$(Q)tools/mutants.py $(or $(SEED),1) $(or $(COUNT),50)

rules: all $(RUNNER:%.c=$(OUT)/%)  ## run the tests of each rule of the standard and print a table
	$(Q)NNEFC=$(FINAL) NNEF_TEST=$(RUNNER:%.c=$(OUT)/%) tools/rules.sh

docs: $(PROGRAM)  ## write docs/operations.md, docs/formats/onnx.md and docs/diagnostics.md anew
	$(Q)tools/operations.sh $(PROGRAM) >docs/operations.md
	$(Q)tools/onnx_operators.sh $(PROGRAM) >docs/formats/onnx.md
	$(Q)tools/diagnostics.sh $(PROGRAM) >docs/diagnostics.md

demo: all  ## recognise the handwritten digits of examples/nnef/digits
	$(Q)tools/demo_digits.sh $(FINAL)

bench-front: all $(OUT)/tools/measure  ## measure the speed from text to graph
	$(if $(filter release,$(BUILD)),,$(error bench-front needs BUILD=release))
	$(Q)tools/bench_front.sh $(PROGRAM)

bench-diff: all $(OUT)/tools/measure  ## measure how long the differences of large models take
	$(if $(filter release,$(BUILD)),,$(error bench-diff needs BUILD=release))
	$(Q)tools/bench_diff.sh $(PROGRAM)

bench-kernels: $(OUT)/bench/kernels  ## measure the kernels of the fast backend layer by layer (VARIANT=avx2 THREADS=2)
	$(Q)$< $(VARIANT) $(THREADS)

bench-pnnx: all $(OUT)/tools/measure  ## measure how fast models of PNNX are read and verified
	$(if $(filter release,$(BUILD)),,$(error bench-pnnx needs BUILD=release))
	$(Q)tools/bench_pnnx.sh $(PROGRAM)

bench: all $(BENCH_PROGRAM)  ## measure networks in turns with ONNX Runtime (NETWORKS, THREADS, ROUNDS, ...; docs/performance.md)
	$(if $(filter release,$(BUILD)),,$(error bench needs BUILD=release))
	$(Q)bench/bench.sh $(abspath $(FINAL)) $(abspath $(OUT)/bench) $(abspath $(BUILDDIR)/bench)

bench-shapes: all $(BENCH_PROGRAM)  ## measure open models of shapes that are drawn in turns with ONNX Runtime (PART=encoder,images,...)
	$(if $(filter release,$(BUILD)),,$(error bench-shapes needs BUILD=release))
	$(Q)BENCH=shapes bench/bench.sh $(abspath $(FINAL)) $(abspath $(OUT)/bench) $(abspath $(BUILDDIR)/bench)

bench-emit: all $(BENCH_PROGRAM) $(OUT)/bench/emitted.o $(OUT)/tools/measure  ## measure networks as C in turns with the portable backend (NETWORKS, ROUNDS; docs/emit-c.md)
	$(if $(filter release,$(BUILD)),,$(error bench-emit needs BUILD=release))
	$(Q)bench/emit.sh $(abspath $(FINAL)) $(abspath $(OUT)/bench) $(abspath $(BUILDDIR)/bench)

bench-view: all $(OUT)/bench/measure_layout  ## compare layouts of 'nnefc view' with dagre and elkjs, and measure them and its pages (docs/view.md)
	$(if $(filter release,$(BUILD)),,$(error bench-view needs BUILD=release))
	$(Q)bench/view.sh $(abspath $(OUT)/bench) $(abspath $(BUILDDIR)/bench) $(abspath $(FINAL))
	$(Q)node bench/view_page.js $(abspath $(FINAL))

fuzz-passes: $(OUT)/tests/fuzz_passes  ## let passes rewrite COUNT=2000 random graphs from SEED=1 on
	$(Q)$< --seed=$(or $(SEED),1) --count=$(or $(COUNT),2000)

fuzz-bindings: $(OUT)/tests/fuzz_bindings  ## feed COUNT=500 random open models random shapes, from SEED=1 on
	$(Q)$(OUT)/tests/fuzz_bindings --seed=$(or $(SEED),1) --count=$(or $(COUNT),500)

fuzz-plans: $(OUT)/tests/fuzz_plans  ## let the portable backend compute COUNT=2000 random graphs and layers from SEED=1 on
	$(Q)$(OUT)/tests/fuzz_plans --seed=$(or $(SEED),1) --count=$(or $(COUNT),2000)

FUZZ_SECONDS = $(or $(SECONDS),60)
FUZZ_TARGETS = $(if $(TARGETS),$(TARGETS:%=$(BUILDDIR)/fuzz/tests/fuzz/fuzz_%),$(FUZZ:%.c=$(BUILDDIR)/fuzz/%))

fuzz: fuzz-build  ## try new inputs on every target of tests/fuzz, SECONDS=60 each, or on TARGETS="dat png"
	$(Q)tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

fuzz-corpus: fuzz-build  ## make tests/fuzz/corpus anew, of what was found, too
	$(Q)tools/fuzz_corpus.sh $(FUZZ_TARGETS)

fuzz-build:
	$(Q)tools/fuzz.sh --check $(CLANG)
	+$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=fuzz $(FUZZ_TARGETS)

# Rules

$(LIBRARY): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(OUT)/$(SHARED): $(LOADING) $(filter-out $(LOADING:.loading.o=.o),$(LIB_OBJ)) src/api/libnnefc.map
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/api/libnnefc.map \
	    -o $@ $(filter %.o,$^) $(LIBS) $(LDLIBS)

$(OUT)/$(SONAME): $(OUT)/$(SHARED)
	$(Q)ln -sf $(SHARED) $@

$(OUT)/libnnefc.so: $(OUT)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

$(OUT)/nnefc: $(DRIVER_OBJ) $(LOADING) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(TOOL_LIBS) $(LIBS) $(LDLIBS)

# Commands and options, from the tables of the program, in the frame of the page.
$(MANUAL): $(OUT)/nnefc man/nnefc.1.in tools/manual.awk
	$(call say,MAN,$@)
	$(Q)$(EMULATOR) $(OUT)/nnefc help --mdoc | awk -f tools/manual.awk man/nnefc.1.in - >$@

$(BUILDDIR)/nnefc: $(BUILDDIR)/release/nnefc
	$(Q)ln -f $< $@

# Weights that are packed by other code are not used.
PACKING_SRC := $(sort $(wildcard src/kernel/*.[ch] src/exec/packed.c))
PACKED_BY   := $(VERSION) $(firstword $(shell cat $(PACKING_SRC) | cksum))
$(OUT)/src/exec/packed.o: $(PACKING_SRC)
$(OUT)/src/exec/packed.o $(OUT)/src/exec/packed.tidy: CPPFLAGS += -DPACKED_BY='"nnefc $(PACKED_BY)"'

# The main() of a file of unit tests is called by that of its room.
$(UNIT:%.c=$(OUT)/%.o): OWN_FLAGS = -Dmain=$(*F) -Wno-missing-prototypes

$(OUT)/tests/unit_view: $(VIEW_OBJ)

define UNIT_RULE
$(OUT)/tests/unit/$1/files.def: $(wildcard tests/unit/$1)
	@mkdir -p $$(@D)
	@printf 'TEST(%s)\n' $(basename $(notdir $(filter tests/unit/$1/%,$(UNIT)))) >$$@

$(OUT)/tests/unit/$1/main.o: tests/unit/main.c $(OUT)/tests/unit/$1/files.def $(OUT)/flags
	$$(call say,CC,"$$< ($1)")
	$$(Q)$$(COMPILE) -DUNIT_FILES='"$(OUT)/tests/unit/$1/files.def"' -I. -MMD -MP -c -o $$@ $$<

$(OUT)/tests/unit_$1: $(patsubst %.c,$(OUT)/%.o,$(filter tests/unit/$1/%,$(UNIT))) $(OUT)/tests/unit/$1/main.o \
                      $(SUPPORT_OBJ) $(LIBRARY)
	$$(call say,LINK,$$@)
	$$(Q)$$(LINK) -o $$@ $$^ -lcmocka $$(LIBS) $$(LDLIBS)
endef
$(foreach r,$(UNIT_ROOMS),$(eval $(call UNIT_RULE,$r)))

$(filter-out $(UNIT_PROGRAM),$(TEST_PROGRAMS)): $(OUT)/tests/%: $(OUT)/tests/%.o $(SUPPORT_OBJ) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ -lcmocka $(LIBS) $(LDLIBS)

$(CASES:%.c=$(OUT)/%): $(OUT)/%: $(OUT)/%.o $(CASE_PARTS:%.c=$(OUT)/%.o) $(SUPPORT_OBJ) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ -lcmocka $(TOOL_LIBS) $(LIBS) $(LDLIBS)

# Linked with the fuzzer, or with what gives a target the inputs of its corpus.
$(FUZZ_PROGRAM): REPLAY    = $(OUT)/tests/fuzz/replay.o
$(FUZZ_PROGRAM): WITH_FUZZ = $(if $(filter fuzz,$(BUILD)),-fsanitize=fuzzer $(filter-out $(REPLAY),$^),$^)
$(FUZZ_PROGRAM): $(OUT)/tests/fuzz/%: $(OUT)/tests/fuzz/%.o $(FUZZ_PARTS:%.c=$(OUT)/%.o) \
                 $(SUPPORT_OBJ) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(WITH_FUZZ) -lcmocka $(LIBS) $(LDLIBS)

$(OUT)/src/%.o: src/%.c $(OUT)/flags | $(GEN_H)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

define KERNEL_RULE
$(OUT)/src/kernel/%.$1.o: src/kernel/%.c $(OUT)/flags
	$$(call say,CC,"$$< ($1)")
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE) $$(KERNEL_MODE) $$(FLAGS_$1) -fPIC -fvisibility=hidden -MMD -MP -c -o $$@ $$<
endef
$(foreach v,$(VARIANTS) $(QUADS),$(eval $(call KERNEL_RULE,$v)))
$(KERNEL_SRC:%.c=$(OUT)/%.o): MODE_$(BUILD) += $(KERNEL_MODE)
CHECK_BY_CALL := $(if $(findstring clang,$(CC)),-mllvm -,--param=)asan-instrumentation-with-call-threshold=0
$(foreach f,depthwise bytes_pairs bytes_words,$(OUT)/src/kernel/$f.o $(OUT)/src/kernel/$f.$(NATIVE).o \
    $(OUT)/src/kernel/$f.$(NATIVE)_vnni.o): MODE_asan += $(CHECK_BY_CALL)
$(OUT)/src/kernel/kernels.o $(OUT)/src/kernel/kernels.tidy: CPPFLAGS += $(if $(filter avx2,$(VARIANTS)),-DKERNELS_AVX2) \
    $(if $(filter avx512,$(VARIANTS)),-DKERNELS_AVX512)

$(LOADING): src/file/libarchive.c $(OUT)/flags
	$(call say,CC,"$< (loading)")
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DLIBARCHIVE_FILE='"$(LIBARCHIVE)"' -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(OUT)/gen/%.o: $(GEN)/%.c $(OUT)/flags | $(GEN_H)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(OUT)/tests/%.o: tests/%.c $(OUT)/flags | $(GEN_H)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Itests $(OWN_FLAGS) -MMD -MP -c -o $@ $<

$(OUT)/bench/%.o: bench/%.c $(OUT)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(OUT)/tools/%.o: tools/%.c $(OUT)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(OUT)/bench/serve_nnefc: $(OUT)/bench/serve_nnefc.o $(OUT)/bench/serve.o $(LOADING) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

$(OUT)/bench/serve_onnxruntime: $(OUT)/bench/serve_onnxruntime.o $(OUT)/bench/serve.o
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ -ldl $(LDLIBS)

$(OUT)/bench/have_memory: $(OUT)/bench/have_memory.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

$(OUT)/bench/measure_peak: $(OUT)/bench/measure_peak.o $(OUT)/bench/peak.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

$(OUT)/bench/measure_layout: $(OUT)/bench/measure_layout.o $(VIEW_OBJ) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

# Preloaded into other programs, they are built alike for every mode.
$(FAILING) $(STOPPING): $(OUT)/tools/%.so: tools/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -std=c11 $(WARN) $(WERROR) -fPIC -shared -o $@ $< -ldl

$(OUT)/bench/kernels: $(OUT)/bench/kernels.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS) $(LDLIBS)

$(OUT)/tools/measure: $(OUT)/tools/measure.o
	$(Q)$(LINK) -o $@ $^

$(SCHEMA): $(OUT)/tools/schema.o
	$(Q)$(LINK) -o $@ $^ $(TOOL_LIBS) $(LDLIBS)

$(GEN)/%.tab.c $(GEN)/%.tab.h: grammar/%.y
	$(call say,BISON,$<)
	@mkdir -p $(GEN)
	$(Q)$(BISON) -Wall -Werror -o $(GEN)/$*.tab.c --header=$(GEN)/$*.tab.h $<

$(GEN)/%.lex.c $(GEN)/%.lex.h: grammar/%.l
	$(call say,FLEX,$<)
	@mkdir -p $(GEN)
	$(Q)$(FLEX) -o $(GEN)/$*.lex.c --header-file=$(GEN)/$*.lex.h $<

# The second file has packed and unpacked numbers exchanged.
$(GEN)/onnx.proto: $(ONNX_PROTO)
	@mkdir -p $(GEN)
	$(Q)cp $< $@

$(GEN)/flipped.proto: $(ONNX_PROTO)
	@mkdir -p $(GEN)
	$(Q)sed -E -e 's/^package onnx;/package flipped;/; s/ \[packed = true\]//' \
	    -e 's/^( *repeated (int64|float) (dims|ints|floats) = [0-9]+);/\1 [packed = true];/' $< >$@

$(GEN)/%.pb-c.c: $(GEN)/%.proto
	$(call say,PROTOC,$<)
	$(Q)cd $(GEN) && protoc-c --c_out=. $(<F)

$(PROTO_TEST).o $(PROTO_TEST).tidy: CPPFLAGS += $(if $(PROTOBUF_C),-DHAS_PROTOBUF_C)
$(PROTO_TEST).o: $(PROTO_GEN)
$(OUT)/tests/unit_onnx: $(PROTO_OBJ)
$(OUT)/tests/unit_onnx: LDLIBS += $(PROTOBUF_C)

$(GEN)/stdlib_%.c: stdlib/%.nnef tools/embed.sh
	$(call say,EMBED,$<)
	@mkdir -p $(GEN)
	$(Q)tools/embed.sh $< >$@

define embed_text
	$(call say,EMBED,$<)
	@mkdir -p $(GEN)
	$(Q)tools/embed.sh $< >$@
endef

$(GEN)/c_text_%.c: src/backend/c/text/%.h tools/embed.sh
	$(embed_text)

$(GEN)/c_text_%.c: src/op/text/%.h tools/embed.sh
	$(embed_text)

$(GEN)/page_%.c: src/driver/view/page.% tools/embed.sh
	$(call say,EMBED,$<)
	@mkdir -p $(GEN)
	$(Q)tools/embed.sh $< >$@

$(GEN)/findings_js.c: src/driver/view/findings.js tools/embed.sh
	$(call say,EMBED,$<)
	@mkdir -p $(GEN)
	$(Q)tools/embed.sh $< >$@

HOST_COMPILE = $(HOSTCC) -std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -I$(GEN) -pthread -MMD -MP -c -o $@ $<
$(HOST)/%.o: src/%.c | $(GEN)/nnef.tab.h $(GEN)/nnef.lex.h
	@mkdir -p $(@D)
	$(Q)$(HOST_COMPILE)
$(HOST)/%.o: $(GEN)/%.c | $(GEN)/nnef.tab.h $(GEN)/nnef.lex.h
	@mkdir -p $(@D)
	$(Q)$(HOST_COMPILE)

$(OPGEN): $(HOST_OBJ)
	$(call say,HOST,$@)
	$(Q)$(HOSTCC) -pthread -o $@ $^ -lm

# What is the same stays as it was, so that nothing is compiled anew.
$(GEN)/ops.stamp: $(OPGEN) stdlib/stdlib.nnef stdlib/nnefc-ext.nnef
	$(call say,OPGEN,$(GEN)/ops.h)
	$(Q)$(OPGEN) $(GEN)/ops.h.new $(GEN)/ops.c.new $(filter %.nnef,$^)
	$(Q)for f in ops.h ops.c; do cmp -s $(GEN)/$$f.new $(GEN)/$$f || cp $(GEN)/$$f.new $(GEN)/$$f; done
	@touch $@

$(GEN)/ops.h $(GEN)/ops.c: $(GEN)/ops.stamp ;

# Every public function, called by tests/unit/api/test_misuse.c.
$(GEN)/api_calls.h: $(sort $(wildcard include/nnefc/*.h)) tools/api_calls.awk
	$(call say,CALLS,$@)
	@mkdir -p $(GEN)
	$(Q)awk -f tools/api_calls.awk $(filter %.h,$^) >$@

$(OUT)/tests/unit/api/test_misuse.o: $(GEN)/api_calls.h

$(GEN)/explain.c: src/diag/diag.def docs/diagnostics/explain.txt tools/explain.awk
	$(call say,EMBED,docs/diagnostics/explain.txt)
	@mkdir -p $(GEN)
	$(Q)awk -f tools/explain.awk src/diag/diag.def docs/diagnostics/explain.txt >$@

# Changes only when the compiler or its flags do, and then everything is compiled anew.  What some objects have
# besides is none of them, whichever is made first.
FLAGS := $(COMPILE)
$(OUT)/flags: export FLAGS_NOW = $(FLAGS)
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS_NOW" | cmp -s - $@ || printf '%s\n' "$$FLAGS_NOW" >$@

FORCE:

# What only prints or removes needs to know no headers.
$(if $(filter help clean,$(MAKECMDGOALS)),,$(eval -include $(OBJ:.o=.d) $(HOST_OBJ:.o=.d)))

# Style. The object of a file is older than its headers, so it is what its .tidy stamp depends on. With
# WERROR=-Werror the objects are those that gcc has no warning for; clang says its own through clang-tidy.

# Kernel texts are C of their own, of int and for many compilers: the test that compiles them is no style's subject.
TIDY    := $(patsubst %.c,$(OUT)/%.tidy,$(SRC) $(DRIVER) $(SUPPORT) $(filter-out %/test_c_texts.c,$(UNIT)) $(RUNNER) $(RANDOM) $(CASES) $(CASE_PARTS) \
           $(FUZZ) $(FUZZ_PARTS) $(BENCH) tools/measure.c tools/schema.c)
JOBS     = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
TRACKED  = $(shell git ls-files '*.c' '*.h')

lint: lint-layers lint-style lint-docs lint-format  ## check everything a tool can check of CONVENTIONS.md
	+@$(MAKE) --no-print-directory $(JOBS) WERROR=-Werror all tests tidy
	$(Q)tools/check_style.sh $(LIBRARY)

lint-layers:
	$(call say,LAYERS,src)
	$(Q)tools/check_layers.sh

lint-style:
	$(call say,STYLE,src)
	$(Q)tools/check_style.sh
	$(Q)tools/check_names.sh
	$(Q)tools/mutants.py --check

lint-docs: $(PROGRAM)
	$(call say,DOCS,docs/diagnostics.md)
	$(Q)tools/check_docs.sh $(PROGRAM)

lint-format:
	$(call say,FORMAT,'*.c *.h')
	$(Q)$(if $(TRACKED),$(CLANG_FORMAT) --dry-run -Werror $(TRACKED))

tidy: $(TIDY)

$(OUT)/%.tidy: $(OUT)/%.o .clang-tidy
	$(call say,TIDY,$*.c)
	$(Q)$(CLANG_TIDY) --quiet $*.c -- $(filter-out -DNDEBUG,$(COMPILE_FLAGS)) -Itests 2>$@ || { cat $@ >&2; false; }

format:  ## lay out every source as .clang-format says
	$(Q)$(CLANG_FORMAT) -i $(TRACKED)

# Installation

install: all  ## install under PREFIX, honouring DESTDIR
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR) $(PKGCONFIGDIR) $(INCLUDEDIR)/nnefc $(MANDIR)/man1)
	install -m 755 $(PROGRAM) $(DESTDIR)$(BINDIR)/nnefc
	install -m 644 $(LIBRARY) $(OUT)/$(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(SHARED) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libnnefc.so
	install -m 644 $(wildcard include/nnefc/*.h) $(DESTDIR)$(INCLUDEDIR)/nnefc
	install -m 644 $(MANUAL) $(DESTDIR)$(MANDIR)/man1/nnefc.1
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@REQUIRES_PRIVATE@|$(PACKAGES)|' \
	    -e 's|@LIBS_PRIVATE@|-lm -pthread|' \
	    nnefc.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/nnefc.pc

# Those of a system stay, empty or not.
SYSTEM_FOLDERS := $(foreach p,/usr /usr/local,$(addprefix $p,/bin /lib /lib/pkgconfig /include \
                  /share /share/man /share/man/man1) $p)
OWN_FOLDERS     = $(filter-out $(SYSTEM_FOLDERS),$(INCLUDEDIR)/nnefc $(INCLUDEDIR) $(PKGCONFIGDIR) \
                  $(LIBDIR) $(BINDIR) $(MANDIR)/man1 $(MANDIR) $(PREFIX)/share $(PREFIX))

uninstall:  ## remove what `install` put there
	rm -f $(DESTDIR)$(BINDIR)/nnefc $(DESTDIR)$(MANDIR)/man1/nnefc.1
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libnnefc.a libnnefc.so $(SONAME) $(SHARED))
	rm -f $(DESTDIR)$(PKGCONFIGDIR)/nnefc.pc $(patsubst include/%,$(DESTDIR)$(INCLUDEDIR)/%,$(wildcard include/nnefc/*.h))
	-rmdir --ignore-fail-on-non-empty $(addprefix $(DESTDIR),$(OWN_FOLDERS))

clean:  ## remove everything built
	rm -rf $(BUILDDIR)

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 14
