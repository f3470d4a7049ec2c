#!/bin/sh
set -eu
verus --crate-type=lib --import facts=prebuilt/facts.vir src/lib.rs
