package model_test

import (
	"fmt"
	"os"
	"testing"
)

func TestSmoke(t *testing.T) {
	p := os.Getenv("SMOKE")
	if p == "" {
		t.Skip()
	}
	m := build(t, newTree(map[string][]byte{"head.rs": readFile(t, p)}))
	fmt.Print(dump(m))
}
