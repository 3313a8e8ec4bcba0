#!/bin/sh
# view_page.sh - pages of nnefc view in a browser: what they show, that they ask for nothing, and that keys, pointer,
#                search, groups and export work (tests/browser/view_page.js)
#
# Without chromium, its driver or node this is skipped, or with NEED_WEB fails.
. "$(dirname "$0")/lib.sh"

for command in node chromium chromedriver; do
    command -v $command >/dev/null && continue
    echo "skipped: no browser has shown pages of nnefc view: $command is needed (tools/setup.sh web)"
    [ -z "${NEED_WEB:-}" ] || exit 1
    exit 77
done

export NNEFC
node "$top/tests/browser/view_page.js"
