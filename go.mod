module github.com/specgate/specgate

go 1.26
