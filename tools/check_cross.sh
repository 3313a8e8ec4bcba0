#!/bin/sh
# check_cross.sh [TRIPLET...] - builds for other machines and tests what is built under qemu-user
#
# All documents with all engines, all unit tests, and those of tests/cli that compare bytes. Documents with extents of 0
# are left out: they take minutes here. ROOMS are the rooms of unit tests to run instead, CLI the tests of the program;
# either may be empty. A machine without its compiler, emulator or libraries is skipped. SYSROOTS is a folder with a
# folder TRIPLET for each machine whose libraries are not installed; what is not there is fetched.
set -u

cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- aarch64-linux-gnu arm-linux-gnueabihf i686-linux-gnu s390x-linux-gnu
: "${ROOMS=$(cd tests/unit && echo */)}" "${CLI=golden graph_file packed dynamic}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0 # tests; a machine that is skipped is one

cat >"$work/probe.c" <<'END'
#include <archive.h>
#include <jansson.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <cmocka.h>

int main(void)
{
    return !(archive_version_number() && png_access_version_number() && zlibVersion() && json_null());
}
END

# expect WHAT COMMAND... - counts whether COMMAND succeeds, and shows what it says if not
expect()
{
    what=$1
    shift
    if "$@" >"$work/log" 2>&1 </dev/null; then
        echo "$triplet: $what: ok"
        passed=$((passed + 1))
    else
        echo "$triplet: $what: FAILED"
        tail -n 30 "$work/log"
        failed=$((failed + 1))
        false
    fi
}

# run_programs PROGRAM... - runs test programs and counts their tests; models beside the checkout are not among them
run_programs()
{
    NNEFC_SHARED=none SKIP_EMPTY=1 TEST_TIMEOUT=3600 EMIT_CC="$triplet-gcc" tools/run_tests.sh "$@" | tee "$work/log"
    # shellcheck disable=SC2046 # three numbers
    set -- $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$work/log") 0 1 0
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
}

# Says what is missing, if anything is.
missing()
{
    command -v "$triplet-gcc" || { echo "no $triplet-gcc" >&3; return; }
    command -v "$qemu" || { echo "no $qemu" >&3; return; }
    [ -z "$sysroot" ] || tools/sysroot.sh "$triplet" "$sysroot" || { echo 'its libraries cannot be fetched' >&3; return; }
    "$triplet-gcc" ${sysroot:+"--sysroot=$sysroot"} -o "$work/probe" "$work/probe.c" -larchive -lpng -lz -ljansson -lcmocka ||
        { echo 'no libarchive, libpng, zlib, jansson or cmocka' >&3; return; }
    "$qemu" -L "${sysroot:-/}" "$work/probe" || echo 'the emulator cannot run a program' >&3
} 3>&1 >/dev/null 2>&1

for triplet; do
    sysroot=${SYSROOTS:+$SYSROOTS/$triplet}
    case $triplet in
    i?86-*) qemu='qemu-i386-static' ;;
    *) qemu=qemu-${triplet%%-*}-static ;;
    esac
    why=$(missing)
    if [ -n "$why" ]; then
        echo "skipped: $triplet: $why"
        skipped=$((skipped + 1))
        continue
    fi
    out=build/$triplet/release programs=tests/nnef_test fixtures=tests/onnx_models wrappers=
    for room in $ROOMS; do
        programs="$programs tests/unit_${room%/}"
    done
    # shellcheck disable=SC2046,SC2086 # lists
    expect build ${MAKE:-make} WERROR=-Werror CROSS="$triplet" ${sysroot:+"SYSROOT=$sysroot"} all \
        $(printf "$out/%s " $programs $fixtures) || continue
    mkdir -p "$work/$triplet"
    for program in nnefc $fixtures $programs; do
        wrapper=$work/$triplet/${program##*/}
        printf '#!/bin/sh\nexec %s -L "%s" "%s" "$@"\n' "$qemu" "${sysroot:-/}" "$PWD/$out/$program" >"$wrapper"
        chmod +x "$wrapper"
        case $program in
        nnefc | "$fixtures") ;;
        *) wrappers="$wrappers $wrapper" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list
    run_programs $wrappers
    for test in $CLI; do
        expect "$test.sh" env NNEFC="$work/$triplet/nnefc" ONNX_MODELS="$work/$triplet/onnx_models" "tests/cli/$test.sh"
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
