#!/bin/sh
# sysroot.sh TRIPLET FOLDER - puts the libraries of another machine, as Debian has them, into FOLDER
#
# They are downloaded from where this machine has its packages from, and unpacked: nothing is installed. Silent when
# they are there already.
set -eu
triplet=$1 folder=$2

[ ! -e "$folder/.complete" ] || exit 0
case $triplet in
aarch64-*) arch=arm64 ;;
arm-*hf) arch=armhf ;;
i?86-*) arch=i386 ;;
s390x-*) arch=s390x ;;
*) echo "sysroot.sh: no name of Debian's is known for $triplet" >&2; exit 1 ;;
esac

mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"

# An apt of its own, which knows no packages of this machine.
foreign_apt()
{
    apt-get -qq -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o Dir::State::Status="$work/status" \
        -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Acquire::Languages=none \
        -o APT::Sandbox::User=root "$@"
}

foreign_apt update >/dev/null || echo 'sysroot.sh: apt-get update failed; trying to fetch all the same' >&2
foreign_apt install -y -d --no-install-recommends libc6-dev zlib1g-dev libarchive-dev libpng-dev libjansson-dev \
    libcmocka-dev >/dev/null
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
: >"$folder/.complete"
