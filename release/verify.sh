#!/usr/bin/env bash
# release/verify.sh BINARY GOOS GOARCH: fails unless the binary is the one whose SHA-256 release/checksums.txt has for VERSION. A version with the suffix -dev is
# no release, and has none.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
version=$(cat "$root/VERSION")
name=specgate_${version}_$2_$3
got=$(if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1)
wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$root/release/checksums.txt")
if [[ -z $wanted && $version == *-dev ]]; then
	echo "$1 has the SHA-256 $got; version $version is no release, so there is nothing to compare it with"
elif [ "$got" != "$wanted" ]; then
	echo "$1 has the SHA-256 $got, but release/checksums.txt says ${wanted:-nothing} for $name" >&2
	exit 1
else
	echo "$1 has the SHA-256 that release/checksums.txt says for $name"
fi
