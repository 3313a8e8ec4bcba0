#!/bin/sh
# judge.sh LOG... - are these logs what the schema of SARIF 2.1.0 allows?
#
# Without node or npm this is skipped, unless NEED_NODE is set; npm fetches the schema and a judge
# of schemas once, as package-lock.json says.
set -u
here=$(dirname "$0")

skip()
{
    echo "skipped: no schema has judged the logs of SARIF: $1"
    [ -z "${NEED_NODE:-}" ] && exit 77
    exit 1
}

command -v node >/dev/null || skip 'node is needed'
if [ ! -d "$here/node_modules/@microsoft/jest-sarif" ]; then
    (cd "$here" && npm ci --ignore-scripts >/dev/null 2>&1) || skip 'npm cannot fetch the schema'
fi
node "$here/judge.js" "$@"
