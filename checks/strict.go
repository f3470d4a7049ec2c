package checks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// AsWritten compares JSON that somebody else may have made with what specgate writes of what it was read as, white space aside. When they are the same, no
// key was missing, there twice, or spelled with other capitals, and nothing follows.
func AsWritten(given []byte, write func(io.Writer) error) error {
	var again, a, b bytes.Buffer
	if err := write(&again); err != nil {
		return err
	}
	if err := json.Compact(&a, given); err != nil {
		return fmt.Errorf("decode JSON: %w", err)
	}
	if err := json.Compact(&b, again.Bytes()); err != nil {
		return err
	}
	x, y := a.Bytes(), b.Bytes()
	if bytes.Equal(x, y) {
		return nil
	}
	at := 0
	for at < min(len(x), len(y)) && x[at] == y[at] {
		at++
	}
	const around = 30
	return fmt.Errorf("near %q: a key is missing, there twice or out of place, or a value is not written as specgate writes it", x[max(at-around, 0):min(at+around, len(x))])
}
