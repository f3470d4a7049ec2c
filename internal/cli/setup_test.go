package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestProgress writes how far something is on a terminal, in one line, and elsewhere.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name     string
		rewrites bool
		do       func(p *progress)
		want     string
	}{
		{"terminal", true, func(p *progress) {
			p.say("downloading it")
			p.show(100_000_000, 300_000_000)
			p.last = time.Time{} // a moment later
			p.show(200_000_000, 300_000_000)
			p.show(200_000_001, 300_000_000) // at once: not shown
			p.show(9_000, 9_000)             // the end: always shown
			p.say("done")
			p.end()
		}, "downloading it\n\rdownloaded 100.0 MB of 300.0 MB\rdownloaded 200.0 MB of 300.0 MB\rdownloaded 9.0 kB of 9.0 kB    \ndone\n"},
		{"elsewhere", false, func(p *progress) {
			for n := int64(0); n <= 1000; n += 5 {
				p.show(n*1000, 1_000_000)
			}
			p.end()
		}, "downloaded 0 B of 1.0 MB\ndownloaded 100.0 kB of 1.0 MB\ndownloaded 200.0 kB of 1.0 MB\ndownloaded 300.0 kB of 1.0 MB\ndownloaded 400.0 kB of 1.0 MB\n" +
			"downloaded 500.0 kB of 1.0 MB\ndownloaded 600.0 kB of 1.0 MB\ndownloaded 700.0 kB of 1.0 MB\ndownloaded 800.0 kB of 1.0 MB\ndownloaded 900.0 kB of 1.0 MB\ndownloaded 1.0 MB of 1.0 MB\n"},
		{"elsewhere, without an end", false, func(p *progress) {
			p.show(1000, -1)
			p.show(2000, -1)
			p.last = time.Time{} // a while later
			p.show(3000, -1)
			p.end()
		}, "downloaded 1.0 kB\ndownloaded 3.0 kB\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			p := newProgress(&b, "downloaded")
			p.rewrites = c.rewrites
			c.do(p)
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
