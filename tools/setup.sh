#!/bin/sh
# setup.sh GROUP... - installs those packages of tools/packages.txt that are missing, on Debian
#
# Elsewhere it only says what is missing. Silent, and no apt-get at all, when everything is there.
set -eu
PATH=$PATH:/usr/sbin:/sbin
list=$(dirname "$0")/packages.txt

# probe KIND NAME - is it there?
probe()
{
    case $1 in
    cmd) command -v "$2" ;;
    dir) [ -d "$2" ] ;;
    pkg) pkg-config --exists "$2" ;;
    hdr) echo "#include <$2>" | cc -E - ;;
    py) /usr/bin/python3 -c "import $2" ;;
    fuzz) sh "$(dirname "$0")/fuzz.sh" --check "$2" ;;
    esac >/dev/null 2>&1
}

# The lines of the groups asked for whose probe fails.
missing()
{
    for group in $groups; do
        grep "^$group " "$list"
    done | while read -r group package kind name purpose; do
        probe "$kind" "$name" || printf '    %-22s %s\n' "$package" "$purpose"
    done | awk '!seen[$1]++'
}

apt()
{
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@"
}

groups=$*
needed=$(missing)
[ -n "$needed" ] || exit 0

if ! command -v apt-get >/dev/null; then
    printf 'Missing here; their names on Debian, and what they are for:\n%s\n' "$needed" >&2
    exit 1
fi

packages=$(echo "$needed" | awk '{ print $1 }')
sudo=
if [ "$(id -u)" -ne 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || {
        printf 'Missing here, and neither root nor sudo to install it:\n%s\nAs root:  apt-get install %s\n' \
            "$needed" "$(echo "$packages" | tr '\n' ' ')" >&2
        exit 1
    }
fi

printf 'Installing Debian packages with apt-get%s, which may take a minute or two:\n%s\n' \
    "${sudo:+ and sudo}" "$needed"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt update >"$log" 2>&1 || { cat "$log" >&2; echo 'apt-get update failed; trying to install all the same' >&2; }
# shellcheck disable=SC2086 # one word a package
apt install -y --no-install-recommends $packages >"$log" 2>&1 || { cat "$log" >&2; exit 1; }

needed=$(missing)
[ -z "$needed" ] || { printf 'Installed, but still not usable:\n%s\n' "$needed" >&2; exit 1; }
