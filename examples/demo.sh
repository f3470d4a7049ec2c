#!/usr/bin/env bash
# Makes a git repository of examples/numbers, base and head, and checks the change: demo.sh SPECGATE [FLAG...]
# The change has findings that block, so specgate ends with exit code 1, and that is what this script wants to see.
set -euo pipefail
specgate=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
repo=$(mktemp -d)
trap 'rm -rf "$repo"' EXIT
commit() {
	rm -rf "${repo:?}/src"
	cp -R "$here/numbers/$1/." "$repo"
	git -C "$repo" add -A
	git -C "$repo" -c user.name=example -c user.email=example@example.com -c commit.gpgsign=false \
		commit -q --date=2026-01-01T00:00:00Z -m "$2"
}
export GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
git -C "$repo" init -q -b main
commit base "Count, compare and stack numbers"
git -C "$repo" checkout -q -b tidy
commit head "Tidy up"

echo "\$ specgate check --repo $repo"
code=0
"$specgate" check --repo "$repo" "$@" || code=$?
echo
if [ "$code" -ne 1 ]; then
	echo "specgate ended with exit code $code; 1 was expected" >&2
	exit 1
fi
echo "exit code 1: the change has findings that block it, as this example should"
