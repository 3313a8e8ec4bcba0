#!/bin/sh
# check_devices.sh - networks as C on many processors
#
# Ten of ten digits are right, and digits_check() is content. Where there is a system, a MobileNet v2 of fewer channels
# has the results of the reference, too. What is not installed is skipped with a line, unless NEED_DEVICES is set. On
# a Cortex-M4 code and instructions have bars. NNEFC names the program, CC the compiler of this machine.
set -u

: "${NNEFC:?names the program}" "${CC:=cc}"
cd "$(dirname "$0")/../examples/c/digits" || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
most_code=6000

# met WHAT COMMAND... - counts whether COMMAND succeeds
met()
{
    what=$1
    shift
    if "$@"; then
        echo "ok: $what"
        passed=$((passed + 1))
    else
        echo "FAILED: $what"
        tail -n 20 "$out/log"
        failed=$((failed + 1))
    fi
}

# lacks NAME WHAT - counts it
lacks()
{
    if [ -n "${NEED_DEVICES:-}" ]; then
        echo "FAILED: $1: no $2"
        failed=$((failed + 1))
    else
        echo "skipped: $1: no $2"
        skipped=$((skipped + 1))
    fi
}

# there NAME COMMAND... - are the commands there?
there()
{
    name=$1
    shift
    for command; do
        command -v "$command" >/dev/null && continue
        lacks "$name" "$command"
        return 1
    done
}

build() { make -s NNEFC="$NNEFC" OUT="$out" "$@" >"$out/log" 2>&1; }
reads() { build "$@" && grep -qx 'check: right' "$out/log" && grep -qx '10 of 10 digits right' "$out/log"; }

# reads_bytes ARGUMENT... - the network of 8-bit integers
reads_bytes() { reads OUT="$out/bytes" MODEL="$out/bytes.onnx" "$@"; }

# Its weights in any form but arrays have another order of bytes than a big-endian machine.
refuses_order()
{
    for form in string file; do
        "$NNEFC" emit-c "$out/bytes.onnx" -o "$out/order.c" --weights=$form -q >"$out/log" 2>&1 || return
        "$1" -c "$out/order.c" -o "$out/order.o" >"$out/log" 2>&1 && return 1
        grep -q 'error "weights in .* are little-endian: write them as arrays"' "$out/log" || return
    done
}

# write_mobilenet FORM - the C with weights as a string or an array, in $out/mobilenet_FORM.c
write_mobilenet()
{
    "$NNEFC" emit-c "$out/mobilenet.onnx" -o "$out/mobilenet_$1.c" --prefix=net --weights="$1" --self-test --main >"$out/log" 2>&1
}

# mobilenet COMPILER FLAGS [RUN] - strings are little-endian; arrays take their time to compile
mobilenet()
{
    form=string
    case $1 in s390x-*) form=array ;; esac
    # shellcheck disable=SC2086 # FLAGS are several, RUN may be none
    $1 $2 "$out/mobilenet_$form.c" "$out/mobilenet_${form}_main.c" -lm -o "$out/mobilenet" >"$out/log" 2>&1 &&
        ${3-} "$out/mobilenet" >"$out/log" 2>&1 && { [ "${3-}" = : ] || grep -qx 'check: right' "$out/log"; }
}

# here NAME FLAGS [FEATURE] - compiled for this machine; only that, if it has no such instructions
here()
{
    feature=${3-}
    if [ -z "$feature" ] || grep -qw "$feature" /proc/cpuinfo; then
        met "$1" reads hosted CC="$CC" CFLAGS="$2"
        [ -z "$network" ] || met "$1: MobileNet v2" mobilenet "$CC" "$2"
    else
        met "$1, compiled only" build hosted CC="$CC" CFLAGS="$2" RUN=:
        [ -z "$network" ] || met "$1, compiled only: MobileNet v2" mobilenet "$CC" "$2" :
    fi
}

# under NAME TRIPLET FLAGS - run by the emulator
under()
{
    emulator=qemu-${2%%-*}-static
    [ "$emulator" = qemu-i686-static ] && emulator=qemu-i386-static
    there "$1" "$2-gcc" "$emulator" || return
    met "$1" reads hosted CC="$2-gcc" CFLAGS="$3 -static" RUN="$emulator"
    case $2 in
    s390x-*)
        met "$1: 8-bit integers" reads_bytes hosted CC="$2-gcc" CFLAGS="$3 -static" RUN="$emulator"
        met "$1: weights of another order are refused" refuses_order "$2-gcc"
        ;;
    esac
    [ -z "$network" ] || met "$1: MobileNet v2" mobilenet "$2-gcc" "$3 -static" "$emulator"
}

# The code is what is left of an object without its weights.
small_enough()
{
    code=$(arm-none-eabi-size "$out/cortex_m4.o" | awk -v weights="$weights" 'NR == 2 { print $1 - weights }')
    echo "    $code bytes of code and tables, $most_code at most"
    [ "$code" -le $most_code ]
}

# quick_enough MOST
quick_enough()
{
    count=$(sed -n 's/ instructions a run$//p' "$out/log")
    echo "    $count instructions, $1 at most"
    [ "$count" -gt 0 ] && [ "$count" -le "$1" ]
}

build "$out/images.h" "$out/digits.c" || { cat "$out/log"; exit 1; }
"$NNEFC" quantize ../../nnef/digits "$out/bytes.onnx" --data=../../nnef/digits/images -Wno-few-samples -q || exit 1
weights=$(sed -n 's/^#define DIGITS_WEIGHTS_BYTES //p' "$out/digits.h")
network=
if /usr/bin/python3 -c 'import onnx' 2>/dev/null; then
    /usr/bin/python3 ../../../bench/networks.py mobilenetv2-narrow "$out/mobilenet.onnx" || exit 1
    for form in string array; do met "MobileNet v2 is written, weights as $form" write_mobilenet $form; done
    network=mobilenet
else
    lacks 'MobileNet v2' python3-onnx
fi
case $(uname -m) in
x86_64)
    here 'x86-64, SSE2' -O2
    here 'x86-64, AVX2' '-O2 -mavx2 -mfma' avx2
    here 'x86-64, AVX-512' '-O2 -mavx512f' avx512f
    ;;
*) here "$(uname -m)" -O2 ;;
esac
here 'this machine, no vectors' '-O2 -DDIGITS_STRICT -DNET_STRICT'
under arm64 aarch64-linux-gnu -O2
under 'armhf with NEON' arm-linux-gnueabihf '-O2 -mfpu=neon'
under 'armhf without' arm-linux-gnueabihf '-O2 -mfpu=vfpv3-d16'
under riscv64 riscv64-linux-gnu -O2
under 's390x, big-endian' s390x-linux-gnu -O2
under i386 i686-linux-gnu -O2
under 'i386 with SSE2' i686-linux-gnu '-O2 -msse2 -std=c99'
if there 'Cortex-M4' arm-none-eabi-gcc qemu-system-arm; then
    met 'Cortex-M4 without a system' reads cortex-m4
    met 'Cortex-M4: its code is small' small_enough
    met 'Cortex-M4: it takes few instructions' quick_enough 1600000
    met 'Cortex-M4: digits as 8-bit integers' reads_bytes ARM_FLAGS=-O2 cortex-m4 # its kernels need loops
    met 'Cortex-M4: they take few instructions' quick_enough 1700000
fi
if there WebAssembly clang wasm-ld node; then
    met 'WebAssembly under node' reads wasm
    met 'WebAssembly without vectors' reads -B wasm WASM_FLAGS=-O2
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
