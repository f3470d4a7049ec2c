package engine

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// caught keeps the first panic of some goroutines for the one that waits for them. One that nobody catches would end the process with the exit
// status of a mistake in what was asked for.
type caught struct {
	once  sync.Once
	value any
	stack []byte
}

func (c *caught) run(do func()) {
	defer func() {
		if p := recover(); p != nil {
			c.once.Do(func() { c.value, c.stack = p, debug.Stack() })
		}
	}()
	do()
}

// again panics if one of them did.
func (c *caught) again() {
	if c.value != nil {
		panic(fmt.Sprintf("%v\n\n%s", c.value, c.stack))
	}
}
