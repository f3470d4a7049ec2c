# What a developer needs. Everything but `make lint`'s first run works without a network once `go mod download` has run.
GO ?= go

.PHONY: demo test build lint vuln bench scale fuzz faults pictures release-checksums

demo: build ## build an example repository and check its pull request
	@examples/demo.sh bin/specgate

test: ## every test
	$(GO) test ./...

build: ## one static binary, bin/specgate
	@bash release/build.sh bin/specgate

lint: ## formatting, vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

vuln: ## known vulnerabilities in what the binary calls; needs the network
	$(GO) tool govulncheck ./...

bench: ## speed of every part
	$(GO) test -run '^$$' -bench . -benchmem ./...

scale: ## the tables of docs/performance.md, of one run; takes some ten minutes or more
	$(GO) test -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 0 ./bench -scale $(CURDIR)/docs/performance.md

FUZZTIME ?= 30s
fuzz: ## each fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; done

FAULTS ?= 200
faults: SHELL := bash
faults: ## break specgate, GitHub and the disk FAULTS times in each way
	@set -o pipefail; FAULTS=$(FAULTS) $(GO) test -count=1 -v -timeout 5h ./faults | grep -v -e '^=== ' -e '^ *--- PASS'

pictures: ## docs/pictures, of the example's report and job summary in a headless Chromium
	REQUIRE_BROWSER=1 $(GO) test -count=1 -run '^Test(HTML|Summary)Pictures$$' ./annotate -pictures $(CURDIR)/docs/pictures

release-checksums: ## release/checksums.txt, of the binaries that the commit's sources give; docs/releasing.md
	@bash release/checksums.sh
