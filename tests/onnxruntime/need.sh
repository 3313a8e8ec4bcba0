# shellcheck shell=sh
# need.sh - what the judges of ONNX need: node, npm, and ONNX Runtime, which npm fetches once
#
# `here` is this folder. Where something is missing the test is skipped, or with NEED_NODE fails.

skip()
{
    echo "skipped: ONNX Runtime has not judged what nnefc writes: $1"
    [ -z "${NEED_NODE:-}" ] || exit 1
    exit 77
}

# need_npm FOLDER PACKAGE - what the lock of FOLDER names, PACKAGE among it; one test fetches, others wait
need_npm()
{
    command -v node >/dev/null || skip 'node is needed'
    # npm writes the list last.
    [ -f "$1/node_modules/.package-lock.json" ] || command -v npm >/dev/null || skip "npm is needed to fetch $2"
    (cd "$1" && flock package-lock.json sh -c \
        '[ -f node_modules/.package-lock.json ] || npm ci --ignore-scripts' >/dev/null 2>&1) ||
        skip "npm cannot fetch $2"
}

need_onnxruntime()
{
    need_npm "$here" onnxruntime-node
}
