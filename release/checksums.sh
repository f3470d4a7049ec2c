#!/usr/bin/env bash
# release/checksums.sh [--check]: builds the binaries of HEAD's commit for every platform, and writes their SHA-256 into release/checksums.txt.
# With --check it compares instead, and fails if that file has not these sums. A commit whose VERSION has the suffix -dev is no release, and has none.
#
# What is built is the commit, whatever else is in the working tree, with exactly the Go that go.mod's line toolchain names. checksums.txt is not an input of the
# build, so the commit that adds it gives the same binaries.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/.."
case ${1-} in '' | --check) ;; *) echo "usage: release/checksums.sh [--check]" >&2; exit 2 ;; esac
version=$(git show HEAD:VERSION)
recorded=$(git show HEAD:release/checksums.txt | grep -v '^#' || true)
if [[ $version == *-dev ]]; then
	if [ "${1-}" = --check ] && [ -z "$recorded" ]; then
		echo "VERSION is $version, which is no release, so release/checksums.txt has no sums"
		exit 0
	fi
	echo "VERSION is $version, which is no release, so release/checksums.txt can have no sums: commit the version of the release first" >&2
	exit 1
fi
GOTOOLCHAIN=$(git show HEAD:go.mod | awk '$1 == "toolchain" { print $2 }')
export GOTOOLCHAIN
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree" "$scratch/dist"
git archive HEAD | tar -x -C "$scratch/tree"
while read -r goos goarch; do
	echo "building for $goos/$goarch with $GOTOOLCHAIN" >&2
	bash "$scratch/tree/release/build.sh" "$scratch/dist/specgate_${version}_${goos}_$goarch" "$goos" "$goarch"
done <"$scratch/tree/release/platforms.txt"
sums=$(cd "$scratch/dist" && if command -v sha256sum >/dev/null; then sha256sum -- *; else shasum -a 256 -- *; fi)
if [ "${1-}" = --check ]; then
	if [ "$sums" != "$recorded" ]; then
		printf 'release/checksums.txt of the commit has\n%s\nbut its sources give\n%s\n' "${recorded:-nothing}" "$sums" >&2
		echo "For a release, run: make release-checksums. Sources that differ from the last release need another VERSION, with the suffix -dev." >&2
		exit 1
	fi
	echo "release/checksums.txt has the sums of the binaries that the sources of $version give"
else
	{
		git show HEAD:release/checksums.txt | grep '^#'
		printf '%s\n' "$sums"
	} >release/checksums.txt
	printf '%s\n' "$sums"
fi
