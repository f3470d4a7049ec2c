#!/usr/bin/env bash
# Installs the specgate of the commit that this script is from, for action.yml: prints where the program is, and adds its folder to GITHUB_PATH.
#
# release/checksums.txt has the SHA-256 of the release's binaries, if the commit is a release. The one for this machine is downloaded then, and is used only
# if its hash is right, so who pins the action by its commit pins the program. Otherwise, and where the download cannot be had, the program is built from the
# sources beside this script, which is the same commit. A wrong hash is an error. Nothing of the folder that the script is called in is read or run.
#
#   SPECGATE_DOWNLOAD_BASE      the releases of a mirror, http or https; by default those of github.com/specgate/specgate
#   SPECGATE_DOWNLOAD_PATIENCE  seconds in which a connection must be there, and a stalled one must go on; 30 by default
#   RUNNER_TEMP                 where the folder is made; by default the one for temporary files
#   GITHUB_PATH, GITHUB_OUTPUT  files of the runner; the latter gets specgate=PATH
set -euo pipefail
unset CDPATH

say() { printf 'specgate: %s\n' "$*" >&2; }
fail() {
	printf '::error title=specgate was not installed::%s\n' "$*" >&2
	exit 1
}

# 200 MiB; a binary has about 30.
limit=209715200
tries=4

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=$(cat "$root/VERSION")
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "VERSION of the action is not a version"

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) os=$(uname -s) ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) arch=$(uname -m) ;;
esac
name=specgate_${version}_${os}_${arch}

sha256() {
	if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1
}

base=${SPECGATE_DOWNLOAD_BASE:-https://github.com/specgate/specgate/releases/download}
case $base in
https://*) protocols='=https' ;;
http://*) protocols='=http,https' ;;
*) fail "SPECGATE_DOWNLOAD_BASE must begin with https:// or http://" ;;
esac
patience=${SPECGATE_DOWNLOAD_PATIENCE:-30}
[[ $patience =~ ^[1-9][0-9]{0,3}$ ]] || fail "SPECGATE_DOWNLOAD_PATIENCE must be a number of seconds, 1 to 9999"

folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/specgate.XXXXXXXX")
installed=
trap '[ -n "$installed" ] || rm -rf "$folder"' EXIT

# download URL FILE: 0 when the file is there whole, as far as the server tells. What trying again cannot change is not tried again.
download() {
	local code status try wait=1
	for ((try = 1; ; try++)); do
		code=0
		curl -q --silent --show-error --fail --location --max-redirs 5 --proto "$protocols" --proto-redir "$protocols" \
			--connect-timeout "$patience" --speed-limit 1 --speed-time "$patience" --max-time 600 --max-filesize "$limit" --dump-header "$2.headers" "$1" |
			head -c $((limit + 1)) >"$2" || code=$?
		status=$(awk '/^HTTP\// { status = $2 } END { print status }' "$2.headers" 2>/dev/null || true)
		rm -f "$2.headers"
		if [ "$code" -eq 63 ] || [ "$(wc -c <"$2")" -gt "$limit" ]; then
			say "the file has more than $limit bytes"
			return 1
		fi
		[ "$code" -ne 0 ] || return 0
		# A protocol that may not be used, and too many redirects.
		case $code in 1 | 47) return 1 ;; esac
		case $status in 408 | 429) ;; 4*) return 1 ;; esac
		[ "$try" -lt "$tries" ] || return 1
		say "try $try of $tries did not succeed; the next one is in $wait s"
		sleep "$wait"
		wait=$((wait * 2))
	done
}

wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$root/release/checksums.txt")
how=
if [ -z "$wanted" ]; then
	say "there is no released binary of this commit for $os/$arch: version $version"
elif ! [[ $wanted =~ ^[0-9a-f]{64}$ ]]; then
	fail "release/checksums.txt of the action does not have one SHA-256 for $name"
elif ! command -v curl >/dev/null; then
	say "there is no curl to download $name with"
elif download "$base/v$version/$name" "$folder/download"; then
	got=$(sha256 "$folder/download")
	if [ "$got" != "$wanted" ]; then
		fail "$base/v$version/$name has the SHA-256 $got, but must have $wanted; it was removed and nothing was installed"
	fi
	mv "$folder/download" "$folder/specgate"
	chmod 755 "$folder/specgate"
	how="downloaded from $base/v$version/$name, with the SHA-256 $wanted that the action's commit names"
else
	rm -f "$folder/download"
	say "$base/v$version/$name could not be downloaded"
fi

if [ -z "$how" ]; then
	release=$(awk '$1 == "toolchain" { print $2 }' "$root/go.mod")
	command -v go >/dev/null || fail "there is no released binary to be had, and no go to build one from the sources with: run actions/setup-go first"
	say "building it from the sources, with $release or newer"
	# An older go fetches the release that go.mod names by itself.
	GOTOOLCHAIN=auto bash "$root/release/build.sh" "$folder/specgate" >&2 || fail "the sources could not be built; see above"
	how="built from the sources of the action's commit"
fi

"$folder/specgate" version >&2
installed=yes
say "$how"
[ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$folder" >>"$GITHUB_PATH"
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'specgate=%s\n' "$folder/specgate" >>"$GITHUB_OUTPUT"
printf '%s\n' "$folder/specgate"
