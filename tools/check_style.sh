#!/bin/sh
# check_style.sh [LIBRARY] - rules of CONVENTIONS.md that neither compiler nor clang-tidy knows
#
# A file stays under 800 lines and a header, the public one aside, under 250; there is no goto; the
# public header states the version of the file VERSION; documents name files that exist, seen from the
# top or from src; and the static LIBRARY holds no object that
# may be written to, needs no OpenMP, and calls nothing that ends or changes its process.
cd "$(dirname "$0")/.." || exit 1
failed=0

find src include tests tools grammar bench -name '*.[chly]' -exec awk '
function check() {
    limit = file ~ /^src.*\.h$/ ? 250 : 800
    if (lines >= limit) { printf "%s: %d lines, expected fewer than %d\n", file, lines, limit; failed = 1 }
}
FNR == 1 { if (file) check(); file = FILENAME }
{ lines = FNR }
/^[^*"]*[^a-z_"*]goto [a-z_]+;/ { printf "%s:%d: goto\n", FILENAME, FNR; failed = 1 }
END { check(); exit failed }' {} + || failed=1

awk '
FILENAME == "VERSION" { version = $1 }
/^#define NNEFC_VERSION_(MAJOR|MINOR|PATCH) / { stated = stated dot $3; dot = "." }
END {
    if (stated != version) { printf "%s: version %s, expected %s\n", FILENAME, stated, version; exit 1 }
}' VERSION include/nnefc/nnefc.h || failed=1

# NAME and FAMILY stand for names; the operator of the recipe is the reader's to add.
# shellcheck disable=SC2016 # the marks around a name
for file in $(grep -ohE '`[a-z_./-]+/[a-zA-Z0-9_-]+\.([chly]|def|sh|py|awk|nnef|txt|md)`' ./*.md docs/*.md |
    tr -d '`' | grep -vE '[A-Z]{4}|/softsign\.|^build/' | sort -u); do
    [ -e "$file" ] || [ -e "src/$file" ] || [ -e "include/$file" ] ||
        { echo "documents name '$file', which does not exist"; failed=1; }
done

if [ $# -gt 0 ]; then
    objdump -t "$1" | awk '
/file format/ { object = $1; sub(":$", "", object) }
$NF == "innermost" { next } # of base/arena.c: who recovers when memory has run out
NF >= 4 && $(NF - 2) ~ /^(\.(data|bss|tdata|tbss)|\*COM\*)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\./ {
    printf "%s: %s can be written to\n", object, $NF
    failed = 1
}
END { exit failed }' || failed=1
    nm -uA "$1" | grep -E ' U (GOMP|omp|__kmpc)_' && failed=1
    # The process is the host's: nothing ends it or changes its environment, locale or signals. base/arena.c aborts if
    # memory runs out in no call of a client, as in the tools that are built of it.
    nm -uA "$1" | grep -vE ':arena\.o: *U abort$' |
        grep -E ' U (_?exit|_Exit|quick_exit|abort|atexit|(un)?setenv|putenv|clearenv|setlocale|chdir|umask|system|fork|popen|raise|kill|signal|sigaction)$' && failed=1
fi
exit $failed
