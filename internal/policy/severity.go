package policy

import "fmt"

// Severity of a finding. The zero value is invalid; the others are ordered.
type Severity uint8

const (
	// Off: the finding is not reported.
	Off Severity = iota + 1
	Notice
	Warning
	Error
)

func (s Severity) word() (string, bool) {
	switch s {
	case Off:
		return "off", true
	case Notice:
		return "notice", true
	case Warning:
		return "warning", true
	case Error:
		return "error", true
	}
	return "", false
}

// String is the word of the policy file.
func (s Severity) String() string {
	if w, ok := s.word(); ok {
		return w
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText gives the word of the policy file; an invalid severity is an error.
func (s Severity) MarshalText() ([]byte, error) {
	if w, ok := s.word(); ok {
		return []byte(w), nil
	}
	return nil, fmt.Errorf("marshal severity %d: not a severity", uint8(s))
}

// UnmarshalText reads the word of the policy file.
func (s *Severity) UnmarshalText(text []byte) error {
	for v := Off; v <= Error; v++ {
		if v.String() == string(text) {
			*s = v
			return nil
		}
	}
	return fmt.Errorf("read severity %q: want off, notice, warning or error", text)
}
