package harness

import (
	"testing"

	"github.com/specgate/specgate/internal/value"
)

// What the program wrote may be anything. Reading it ends, and what was read is a value that can be shown.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("B\x01"))
	f.Add([]byte("I\x01\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("T\x02\x00\x00\x00GK"))
	f.Add([]byte("L\x02\x01\x00\x00\x00C\x41\x00\x00\x00"))
	f.Add([]byte("D\x02\x00\x00\x00\x01\x00\x00\x00S\x01\x00\x00\x00aB\x00"))
	f.Add([]byte("D\x00\x00\x00\x00\x01\x00\x00\x00T\xff\xff\xff\xff"))
	b := &build{types: []*userType{{number: 2, path: "k::T", variants: []variant{
		{name: "A", shape: []string{}}, {name: "B", fields: []string{"x", "y"}, shape: []string{"x", "g", "y"}, count: 3}, {name: "C", fields: []string{"0"}, count: 1}}}}}
	f.Fuzz(func(t *testing.T, in []byte) {
		d := &decoder{b: b, in: in, left: 1 << 16}
		v, err := d.value(0)
		if err == nil {
			if value.Short(v) == "" {
				t.Errorf("%q gives a value without text", in)
			}
		} else if v != nil {
			t.Errorf("%q gives a value and %v", in, err)
		}
	})
}

func TestFrames(t *testing.T) {
	whole := append([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 8, 0, 0, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, "hi and more"...)
	const nonce = 0x0807060504030201
	got, rest, ok := readFrame(whole, nonce)
	if !ok || got.job != 9 || got.case_ != 8 || got.kind != 2 || got.steps != 7 || string(got.payload) != "hi" || string(rest) != " and more" {
		t.Errorf("got %+v, %q, %v", got, rest, ok)
	}
	for n := range 30 {
		if _, _, ok := readFrame(whole[:n], nonce); ok {
			t.Errorf("%d bytes are a frame", n)
		}
	}
	if _, _, ok := readFrame(whole, nonce+1); ok {
		t.Error("a frame with another number is one")
	}
}
