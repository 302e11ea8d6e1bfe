#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh install.sh [PREFIX]
#
# Installs coders from the archive beside this script, after comparing it with SHA256SUMS there: into /usr/local as root, into
# ~/.local otherwise, or into PREFIX. Needs what every Linux has: a shell, tar, gzip, sha256sum. Installing again replaces the
# version that is there.
set -eu

case "${1:-}" in -h | --help) sed -n '3,/^set/ { /^# \{0,1\}/!d; s/^# \{0,1\}//; p; }' "$0"; exit ;; esac

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 0 ]; then prefix=$1; elif [ "$(id -u)" -eq 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fail() { echo "install.sh: $*" >&2; exit 1; }

machine=$(uname -m)
archive=$(cd "$here" && ls coders-*-linux-"$machine".tar.gz 2>/dev/null || :)
case $archive in
"") fail "no archive of coders for linux-$machine is beside this script" ;;
*"
"*) fail "more than one archive is beside this script: $(echo "$archive" | tr '\n' ' ')" ;;
esac
[ -f "$here/SHA256SUMS" ] || fail "SHA256SUMS is not beside this script"
(cd "$here" && grep " [ *]$archive\$" SHA256SUMS | sha256sum -c - >/dev/null 2>&1) ||
  fail "$archive is not what SHA256SUMS says: nothing was installed"

work=$(mktemp -d "${TMPDIR:-/tmp}/coders-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
tar -C "$work" -xzf "$here/$archive"
tree=$work/${archive%-linux-*}
# The libraries of C++, where this system has none.
"$tree/bin/coders" --version >/dev/null 2>&1 || cp "$tree"/cxx/* "$tree/lib/coders/swift/"
"$tree/bin/coders" --version >/dev/null || fail "the command does not run here: it needs glibc 2.34 or later"
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
"$tree/install" "$tree" "$prefix" >/dev/null
echo "coders $("$prefix/bin/coders" --version) is in $prefix; $prefix/share/coders/uninstall $prefix removes it"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "PATH does not name $prefix/bin" ;; esac
