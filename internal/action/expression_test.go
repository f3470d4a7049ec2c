package action_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// contexts are what expressions can name: github, inputs, steps and so on.
type contexts map[string]any

// status is that of the steps so far, for success() and its like.
type status struct{ failed, cancelled bool }

// evaluate gives the value of an expression as GitHub does. docs.github.com, "Evaluate expressions in workflows and actions".
func evaluate(text string, c contexts, s status) (any, error) {
	node, failed := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(text + "}}"))
	if failed != nil {
		return nil, fmt.Errorf("read the expression %q: %w", text, failed)
	}
	v, err := valueOf(node, c, s)
	if err != nil {
		return nil, fmt.Errorf("evaluate %q: %w", text, err)
	}
	return v, nil
}

func valueOf(node actionlint.ExprNode, c contexts, s status) (any, error) {
	switch n := node.(type) {
	case *actionlint.NullNode:
		return nil, nil
	case *actionlint.BoolNode:
		return n.Value, nil
	case *actionlint.IntNode:
		return float64(n.Value), nil
	case *actionlint.FloatNode:
		return n.Value, nil
	case *actionlint.StringNode:
		return n.Value, nil
	case *actionlint.VariableNode:
		v, ok := c[strings.ToLower(n.Name)]
		if !ok {
			return nil, fmt.Errorf("there is no context %s", n.Name)
		}
		return v, nil
	case *actionlint.ObjectDerefNode:
		of, err := valueOf(n.Receiver, c, s)
		if err != nil {
			return nil, err
		}
		return member(of, n.Property), nil
	case *actionlint.NotOpNode:
		v, err := valueOf(n.Operand, c, s)
		return !truthy(v), err
	case *actionlint.LogicalOpNode:
		left, err := valueOf(n.Left, c, s)
		if err != nil || truthy(left) == (n.Kind == actionlint.LogicalOpNodeKindOr) {
			return left, err
		}
		return valueOf(n.Right, c, s)
	case *actionlint.CompareOpNode:
		left, err := valueOf(n.Left, c, s)
		if err != nil {
			return nil, err
		}
		right, err := valueOf(n.Right, c, s)
		if err != nil {
			return nil, err
		}
		switch n.Kind {
		case actionlint.CompareOpNodeKindEq:
			return equal(left, right), nil
		case actionlint.CompareOpNodeKindNotEq:
			return !equal(left, right), nil
		}
	case *actionlint.FuncCallNode:
		switch strings.ToLower(n.Callee) {
		case "always":
			return true, nil
		case "success":
			return !s.failed && !s.cancelled, nil
		case "failure":
			return s.failed, nil
		case "cancelled":
			return s.cancelled, nil
		}
		return nil, fmt.Errorf("the function %s is not known here", n.Callee)
	}
	return nil, fmt.Errorf("%T is not known here", node)
}

// member of an object; what is not there is null. Names have no case.
func member(of any, name string) any {
	object, ok := of.(map[string]any)
	if !ok {
		return nil
	}
	for k, v := range object {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != ""
	}
	return true
}

// equal compares loosely: text without case, and values of two kinds as numbers.
func equal(a, b any) bool {
	x, textX := a.(string)
	y, textY := b.(string)
	if textX && textY {
		return strings.EqualFold(x, y)
	}
	return asNumber(a) == asNumber(b)
}

func asNumber(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return v
	case string:
		if v == "" {
			return 0
		}
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n
		}
	}
	return math.NaN()
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return "Object"
}

var placeholder = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand puts the values of expressions into a text.
func expand(text string, c contexts, s status) (string, error) {
	var failed error
	out := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		v, err := evaluate(placeholder.FindStringSubmatch(found)[1], c, s)
		if err != nil {
			failed = err
		}
		return asText(v)
	})
	return out, failed
}

var statusFunction = regexp.MustCompile(`\b(always|success|failure|cancelled)\(\)`)

// holds evaluates a condition: without a function of the status it asks for success as well.
func holds(condition string, c contexts, s status) (bool, error) {
	condition = strings.TrimSpace(condition)
	if m := placeholder.FindStringSubmatch(condition); m != nil && m[0] == condition {
		condition = m[1]
	}
	if !statusFunction.MatchString(condition) && (s.failed || s.cancelled) {
		return false, nil
	}
	if condition == "" {
		return true, nil
	}
	v, err := evaluate(condition, c, s)
	return truthy(v), err
}

func TestEvaluate(t *testing.T) {
	c := contexts{"github": map[string]any{"event": map[string]any{"number": 7.0}, "sha": "abc"}, "steps": map[string]any{}}
	for _, test := range []struct {
		text string
		want any
	}{
		{"github.event.number || github.sha", 7.0},
		{"github.event.none || github.SHA", "abc"},
		{"github.sha == 'ABC' && github.event.number != 8", true},
		{"steps.x.outputs.y != ''", false},
		{"!cancelled() && (success() || failure())", true},
		{"github.event.number == '7'", true},
		{"null == 0", true},
	} {
		got, err := evaluate(test.text, c, status{})
		if err != nil || got != test.want {
			t.Errorf("%s: %v, %v; want %v", test.text, got, err, test.want)
		}
	}
	for _, test := range []struct {
		condition string
		s         status
		want      bool
	}{
		{"", status{}, true},
		{"", status{failed: true}, false},
		{"github.sha == 'abc'", status{failed: true}, false},
		{"${{ always() && github.sha == 'abc' }}", status{failed: true}, true},
		{"failure()", status{}, false},
	} {
		if got, err := holds(test.condition, c, test.s); err != nil || got != test.want {
			t.Errorf("if %q after %+v: %v, %v; want %v", test.condition, test.s, got, err, test.want)
		}
	}
}
