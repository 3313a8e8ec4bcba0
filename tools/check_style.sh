#!/bin/sh
# check_style.sh [LIBRARY] - rules of CONVENTIONS.md that neither compiler nor clang-tidy knows
#
# A file stays under 600 lines and a header under 150, there is no goto, and the static LIBRARY
# holds no object that may be written to.
cd "$(dirname "$0")/.." || exit 1
failed=0

find src include tests tools grammar -name '*.[chly]' -exec awk '
function check() {
    limit = file ~ /\.h$/ ? 150 : 600
    if (lines >= limit) { printf "%s: %d lines, expected fewer than %d\n", file, lines, limit; failed = 1 }
}
FNR == 1 { if (file) check(); file = FILENAME }
{ lines = FNR }
/^[^*"]*[^a-z_"*]goto [a-z_]+;/ { printf "%s:%d: goto\n", FILENAME, FNR; failed = 1 }
END { check(); exit failed }' {} + || failed=1

if [ $# -gt 0 ]; then
    objdump -t "$1" | awk '
/file format/ { object = $1; sub(":$", "", object) }
NF >= 4 && $(NF - 2) ~ /^(\.(data|bss|tdata|tbss)|\*COM\*)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ && $NF !~ /^\./ {
    printf "%s: %s can be written to\n", object, $NF
    failed = 1
}
END { exit failed }' || failed=1
fi
exit $failed
