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

# need_npm FOLDER PACKAGE - what the lock of FOLDER names, PACKAGE among it
need_npm()
{
    command -v node >/dev/null || skip 'node is needed'
    [ -d "$1/node_modules/$2" ] || command -v npm >/dev/null || skip "npm is needed to fetch $2"
    [ -d "$1/node_modules/$2" ] || (cd "$1" && npm ci --ignore-scripts >/dev/null 2>&1) ||
        skip "npm cannot fetch $2"
}

need_onnxruntime()
{
    need_npm "$here" onnxruntime-node
}
