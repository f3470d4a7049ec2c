package annotate

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/specgate/specgate/checks"
)

//go:embed html/page.tmpl html/style.css html/script.js
var htmlFiles embed.FS

// The most that one page shows. What is left out is counted on the page; the JSON has all of it. The numbers of bytes are those of the page,
// after escaping, so that a hostile report cannot make a page that no browser opens: the page stays under 20 MB.
const (
	htmlFindings     = 2000
	htmlFunctions    = 2000
	htmlReasons      = 200
	htmlFindingBytes = 10 << 20
	htmlTableBytes   = 4 << 20
	htmlFactBytes    = 3 << 20
	htmlReasonBytes  = 1 << 20
)

// HTML writes the report as one page that needs nothing else: no other file, no network, no script to be read. A small script adds a filter;
// a Content-Security-Policy in the page allows that one and the style sheet, by hash. Equal reports and sources give equal bytes.
func HTML(w io.Writer, r *checks.Report, o Options) error {
	p := &pageMaker{view: newView(r, o)}
	if err := p.parse(); err != nil {
		return err
	}
	page, err := p.page()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := p.tmpl.ExecuteTemplate(&out, "page", page); err != nil {
		return fmt.Errorf("write the report as HTML: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write the report as HTML: %w", err)
	}
	return nil
}

type pageMaker struct {
	*view
	tmpl   *template.Template
	style  string
	script string
}

func (p *pageMaker) parse() error {
	files := map[string]string{}
	for _, name := range []string{"page.tmpl", "style.css", "script.js"} {
		text, err := htmlFiles.ReadFile("html/" + name)
		if err != nil {
			return fmt.Errorf("read the parts of the HTML page: %w", err)
		}
		files[name] = string(text)
	}
	p.style, p.script = files["style.css"], files["script.js"]
	var err error
	p.tmpl, err = template.New("page.tmpl").Parse(files["page.tmpl"])
	if err != nil {
		return fmt.Errorf("read the template of the HTML page: %w", err)
	}
	return nil
}

// part renders one part of the page, so that its bytes can be counted before it is taken in.
func (p *pageMaker) part(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	if err := p.tmpl.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("write the report as HTML: %w", err)
	}
	return template.HTML(out.String()), nil // #nosec G203: html/template has escaped it
}

// contentPolicy allows the style sheet and the script of the page, and nothing else: no request, no form, no frame.
func contentPolicy(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'none'", "style-src " + hash(style), "script-src " + hash(script), "img-src data:", "base-uri 'none'", "form-action 'none'",
	}, "; ")
}
