#!/bin/sh
# check_fresh_debian.sh - does a clone of HEAD work on a machine with nothing installed?
#
# Makes a minimal Debian 12 in a temporary folder (no make, no compiler), clones the checkout into
# it, and there runs demo.sh, which must read at least nine of ten digits right, and test.sh. The
# folder lies in TMPDIR. Packages come from where the host's apt takes them, or DEBIAN_MIRROR.
# With NEED_NODE=1 ONNX Runtime judges there, too. It goes along, and so does ../shared, if the host has them.
# KEEP_BUILD=FOLDER makes that a copy of the build folder. Needs root and takes some minutes.
set -eu

release=bookworm
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo 'only root can change into another system' >&2; exit 1; }
sh tools/setup.sh fresh
PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d)
root=$work/debian
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

clean_up()
{
    ! mountpoint -q "$root/proc" || umount "$root/proc"
    rm -rf --one-file-system "$work"
}

fail()
{
    echo "check_fresh_debian: $*" >&2
    exit 1
}

# shellcheck disable=SC2016 # the fields are apt's
# The first source of that release in the host's apt; none leaves it to debootstrap.
host_mirror()
{
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk -v release=$release '$1 == release { print $2; exit }'
}

# How the host reaches its mirrors: proxies and certificates, names and servers of names.
carry_over_network()
{
    apt-config dump | grep -iE '^Acquire::(https?|Check|Retries|ForceIP)' \
        >"$root/etc/apt/apt.conf.d/00host" || true
    for file in resolv.conf hosts; do
        [ ! -e /etc/$file ] || cp /etc/$file "$root/etc/"
    done
}

make_debian()
{
    mirror=${DEBIAN_MIRROR:-$(host_mirror)}
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
    case $mirror in
    https:*) set -- --include=ca-certificates ;;
    *) set -- ;;
    esac
    # shellcheck disable=SC2086 # no mirror is no argument
    debootstrap --variant=minbase "$@" $release "$root" $mirror >"$work/log" 2>&1 ||
        { tail -20 "$work/log"; fail 'debootstrap failed'; }
    mount -t proc proc "$root/proc"
    carry_over_network
    rm -rf "$root"/var/lib/apt/lists/*
    for tool in make cc git; do
        [ -z "$(inside "command -v $tool")" ] || fail "this Debian has $tool already"
    done
}

# inside COMMAND - runs it in the new system, with a clean environment
inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${NEED_NODE:+NEED_NODE="$NEED_NODE"} ${WERROR:+WERROR="$WERROR"} \
        sh -c "cd /root && $1" </dev/null
}

# run_inside SCRIPT - shows what it prints and keeps it in the log
run_inside()
{
    echo "== sh $1"
    (inside "cd nnefc && sh $1" && : >"$work/ok") 2>&1 | tee "$work/log"
    [ -e "$work/ok" ] || fail "$1 failed"
    rm "$work/ok"
}

echo "== minimal Debian ($release)"
make_debian
git clone -q . "$root/root/nnefc"
for folder in tests/onnxruntime tests/sarif; do
    [ -z "${NEED_NODE:-}" ] || [ ! -d $folder/node_modules ] ||
        cp -a $folder/node_modules "$root/root/nnefc/$folder"
done
[ ! -d ../shared ] || cp -a ../shared "$root/root"

run_inside demo.sh
digits=$(grep -cE '^ *[0-9]-[0-9]\.png .*[0-9] %' "$work/log") || true
right=$(sed -n 's/^\([0-9]*\) of 10 right$/\1/p' "$work/log")
[ "$digits" -eq 10 ] || fail "demo.sh read $digits digits, expected 10"
[ "${right:-0}" -ge 9 ] || fail "demo.sh read ${right:-no} digits right, expected at least 9"

run_inside test.sh
tail -1 "$work/log" | grep -qE '^[1-9][0-9]* passed, 0 failed' || fail 'test.sh does not end green'
[ -z "${KEEP_BUILD:-}" ] || cp -a "$root/root/nnefc/build" "$KEEP_BUILD"
echo "== a fresh Debian ($release) builds nnefc, reads $right of 10 digits and passes all tests"
