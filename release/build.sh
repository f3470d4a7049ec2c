#!/usr/bin/env bash
# release/build.sh OUTPUT [GOOS GOARCH]: builds the sources beside it into one static binary, for this machine or another.
#
# The same sources give the same bytes, in whichever folder and on whichever machine, if Go is the same: no cgo, no paths, no time stamps, nothing of the
# repository's state, and no settings of whoever builds. .goreleaser.yaml names the same flags.
set -euo pipefail
unset CDPATH GOOS GOARCH GOEXPERIMENT GOFIPS140
output=$1
case $output in /*) ;; *) output=$PWD/$output ;; esac
cd "$(dirname "$0")/.."
# Settings that `go env -w` keeps could change the bytes. Where modules come from could not, since go.sum has their hashes.
GOPROXY=$(go env GOPROXY) GOSUMDB=$(go env GOSUMDB)
export GOPROXY GOSUMDB GOENV=off GOWORK=off GOFLAGS=-mod=readonly CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0
if [ $# -eq 3 ]; then export GOOS=$2 GOARCH=$3; fi
exec go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$output" ./cmd/specgate
