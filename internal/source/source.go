// Package source holds the text of a file and turns byte offsets into lines and columns.
package source

import (
	"bytes"
	"fmt"
	"sort"
)

// File is the text of one file. Text must not change once the file is made.
type File struct {
	// Path is relative to the repository's root, with '/'. It may hold bytes that are not UTF-8.
	Path string
	Text []byte

	lines []int // byte offset at which each line starts; lines[0] == 0
}

// NewFile makes a File and its line table.
func NewFile(path string, text []byte) *File {
	lines := make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))
	for off := 0; ; {
		i := bytes.IndexByte(text[off:], '\n')
		if i < 0 {
			break
		}
		off += i + 1
		lines = append(lines, off)
	}
	return &File{Path: path, Text: text, lines: lines}
}

// Span is a half-open range of byte offsets: Start is the first byte, End the one after the last.
type Span struct{ Start, End int }

// Position is a place that people read: lines and columns count from 1, columns in bytes.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Range is a Span as people read it. End is the position just after the last byte.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position of a byte offset; an offset outside the text is moved to the nearest one inside.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.Text))
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }) - 1
	return Position{Line: i + 1, Column: offset - f.lines[i] + 1}
}

// Range of a span.
func (f *File) Range(s Span) Range {
	return Range{Start: f.Position(s.Start), End: f.Position(s.End)}
}

// Line returns the text of line n (from 1) without its line ending, or nil if there is no such line.
func (f *File) Line(n int) []byte {
	if n < 1 || n > len(f.lines) {
		return nil
	}
	end := len(f.Text)
	if n < len(f.lines) {
		end = f.lines[n]
	}
	return bytes.TrimRight(f.Text[f.lines[n-1]:end], "\r\n")
}

// Lines is the number of lines; a last line without a line ending counts, an empty rest after a final one does not.
func (f *File) Lines() int {
	if len(f.Text) == 0 {
		return 0
	}
	if f.lines[len(f.lines)-1] == len(f.Text) {
		return len(f.lines) - 1
	}
	return len(f.lines)
}
