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

need_onnxruntime()
{
    command -v node >/dev/null && command -v npm >/dev/null || skip 'node and npm are needed'
    [ -d "$here/node_modules/onnxruntime-node" ] || (cd "$here" && npm ci --ignore-scripts >/dev/null 2>&1) ||
        skip 'npm cannot fetch onnxruntime-node'
}
