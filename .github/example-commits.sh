#!/usr/bin/env bash
# .github/example-commits.sh DIR: makes a repository in DIR with three commits of examples/numbers, and prints their hashes, for the test of the action.
#
#   base   the numbers as they are before the example change
#   red    the example change, of which some blocks
#   green  base with other comments and layout, of which nothing does
set -euo pipefail
unset CDPATH
dir=$1
here=$(cd "$(dirname "$0")/../examples/numbers" && pwd)
export GIT_COMMITTER_DATE=2026-01-01T00:00:00Z GIT_AUTHOR_DATE=2026-01-01T00:00:00Z
git() { command git -C "$dir" -c user.name=example -c user.email=example@example.com -c commit.gpgsign=false "$@"; }
commit() {
	git add -A
	git commit -q -m "$2"
	printf '%s=%s\n' "$1" "$(git rev-parse HEAD)"
}
mkdir -p "$dir"
git init -q -b base
cp -R "$here/base/." "$dir"
commit base "Count, compare and stack numbers"
git checkout -q -b red
rm -rf "${dir:?}/src"
cp -R "$here/head/." "$dir"
commit red "Tidy up"
git checkout -q -b green base
for file in "$dir"/src/*.rs; do
	{
		printf '// Laid out anew.\n\n'
		sed 's/$/ /' "$file"
	} >"$file.new"
	mv "$file.new" "$file"
done
commit green "Lay out anew"
