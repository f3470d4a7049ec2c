#!/bin/sh
set -eu
verus --crate-type=lib src/lib.rs
