package gitrepo

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// This file reads the output of git. Paths in it are the choice of whoever wrote the commit.

// parseVersion reads the output of "git version", as in "git version 2.39.5" or "git version 2.39.5 (Apple Git-154)".
func parseVersion(out string) (major, minor int, err error) {
	fail := func() (int, int, error) { return 0, 0, fmt.Errorf("unexpected output of git version: %q", out) }
	rest, ok := strings.CutPrefix(out, "git version ")
	if !ok {
		return fail()
	}
	first, rest, ok := strings.Cut(rest, ".")
	if !ok {
		return fail()
	}
	end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(rest)
	}
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(rest[:end])
	if err1 != nil || err2 != nil || major < 0 {
		return fail()
	}
	return major, minor, nil
}

// isID reports whether s is a whole object id: of 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// isShortID tells what can be the beginning of an object id.
func isShortID(s string) bool {
	return len(s) >= 4 && len(s) < 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// parseMode reads the mode of an entry of a tree or of the index.
func parseMode(mode string) (Kind, error) {
	switch mode {
	case "100644", "100664": // the second is in some old commits, and means the first
		return File, nil
	case "100755":
		return Executable, nil
	case "120000":
		return Symlink, nil
	case "160000":
		return Submodule, nil
	}
	return 0, fmt.Errorf("unknown mode %q", mode)
}

// checkPath refuses the paths that git does not check out: they would lead out of the tree, or into the git directory.
func checkPath(path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
			return fmt.Errorf("it has the path %q, which git itself would not check out", path)
		}
	}
	return nil
}

// records splits output made with -z.
func records(out []byte) ([]string, error) {
	if len(out) == 0 {
		return nil, nil
	}
	s, ok := strings.CutSuffix(string(out), "\x00")
	if !ok {
		return nil, fmt.Errorf("output of git is cut off: it does not end in NUL")
	}
	return strings.Split(s, "\x00"), nil
}

// parseLsTree reads the output of "git ls-tree -r -z": MODE TYPE ID TAB PATH.
func parseLsTree(out []byte) ([]Entry, error) {
	recs, err := records(out)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(recs))
	for _, rec := range recs {
		info, path, ok := strings.Cut(rec, "\t")
		mode, info, ok2 := strings.Cut(info, " ")
		typ, id, ok3 := strings.Cut(info, " ")
		if !ok || !ok2 || !ok3 || !isID(id) {
			return nil, fmt.Errorf("unexpected output of git ls-tree: %q", rec)
		}
		kind, err := parseMode(mode)
		if err != nil {
			return nil, fmt.Errorf("%w of %q", err, path)
		}
		if (kind == Submodule) != (typ == "commit") || kind != Submodule && typ != "blob" {
			return nil, fmt.Errorf("%q has mode %s, but is a %s", path, mode, typ)
		}
		if err := checkPath(path); err != nil {
			return nil, err
		}
		entries = append(entries, Entry{Path: path, Kind: kind, ID: id})
	}
	return entries, nil
}

// A listed file is one record of git ls-files.
type listed struct {
	entry     Entry // without kind and ID if untracked
	untracked bool
	skip      bool // the skip-worktree bit: a sparse checkout leaves the file out of the working tree
	unmerged  bool
}

// parseLsFiles reads the output of "git ls-files -z -t -s", with or without "-o": TAG MODE ID STAGE TAB PATH for what is
// in the index, and "?" PATH for what is not.
func parseLsFiles(out []byte) ([]listed, error) {
	recs, err := records(out)
	if err != nil {
		return nil, err
	}
	files := make([]listed, 0, len(recs))
	for _, rec := range recs {
		fail := fmt.Errorf("unexpected output of git ls-files: %q", rec)
		tag, rest, ok := strings.Cut(rec, " ")
		if !ok {
			return nil, fail
		}
		if tag == "?" {
			if strings.HasSuffix(rest, "/") {
				continue // another repository inside this one, not a submodule of it
			}
			if err := checkPath(rest); err != nil {
				return nil, err
			}
			files = append(files, listed{entry: Entry{Path: rest}, untracked: true})
			continue
		}
		info, path, ok := strings.Cut(rest, "\t")
		fields := strings.Split(info, " ")
		if !ok || len(tag) != 1 || len(fields) != 3 || !isID(fields[1]) || len(fields[2]) != 1 {
			return nil, fail
		}
		kind, err := parseMode(fields[0])
		if err != nil {
			return nil, fmt.Errorf("%w of %q", err, path)
		}
		if err := checkPath(path); err != nil {
			return nil, err
		}
		files = append(files, listed{
			entry:    Entry{Path: path, Kind: kind, ID: fields[1]},
			skip:     tag == "S",
			unmerged: fields[2] != "0",
		})
	}
	return files, nil
}

// An object is one header of git cat-file: ID TYPE SIZE, or NAME "missing", or NAME "ambiguous".
type object struct {
	id, typ string
	size    int64
	problem string // "missing" or "ambiguous"; the rest is then not set
}

func parseObject(line string) (object, error) {
	fields := strings.Split(line, " ")
	if len(fields) == 3 && isID(fields[0]) {
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && size >= 0 {
			return object{id: fields[0], typ: fields[1], size: size}, nil
		}
	}
	// The name comes first, and may hold spaces.
	if last := fields[len(fields)-1]; len(fields) > 1 && (last == "missing" || last == "ambiguous") {
		return object{problem: last}, nil
	}
	return object{}, fmt.Errorf("unexpected output of git cat-file: %q", line)
}

// parseBatchCheck reads the output of "git cat-file --batch-check" for n names.
func parseBatchCheck(out []byte, n int) ([]object, error) {
	var objects []object
	for line := range bytes.Lines(out) {
		text, ok := bytes.CutSuffix(line, []byte("\n"))
		if !ok {
			return nil, fmt.Errorf("output of git cat-file is cut off: %q", line)
		}
		o, err := parseObject(string(text))
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	if len(objects) != n {
		return nil, fmt.Errorf("git cat-file answered %d times to %d names", len(objects), n)
	}
	return objects, nil
}

// readBatchBlob reads one answer of "git cat-file --batch", which must be the object wanted.
func readBatchBlob(r *bufio.Reader, want object) ([]byte, error) {
	// A header is short. ReadSlice fails if it is longer than the buffer.
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read the output of git cat-file: %w", unexpectedEOF(err))
	}
	got, err := parseObject(string(line[:len(line)-1]))
	if err != nil {
		return nil, err
	}
	if got != want {
		return nil, fmt.Errorf("git cat-file gave %+v instead of %+v", got, want)
	}
	data := make([]byte, want.size+1)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("read the output of git cat-file: %w", unexpectedEOF(err))
	}
	if data[want.size] != '\n' {
		return nil, fmt.Errorf("output of git cat-file: object %s is not followed by a newline", want.id)
	}
	return data[:want.size:want.size], nil
}

func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// parseRefs reads the output of "git for-each-ref --format=%(refname)%00%(symref)".
func parseRefs(out []byte) (map[string]string, error) {
	refs := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		name, target, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		if !ok || !strings.HasSuffix(line, "\n") || !strings.HasPrefix(name, "refs/") {
			return nil, fmt.Errorf("unexpected output of git for-each-ref: %q", line)
		}
		refs[name] = target
	}
	return refs, nil
}
