package model

import "github.com/specgate/specgate/internal/syntax"

func exec(n syntax.Node) string { return syntax.Canon(n) }
