// Package docs_test holds README.md and the pages of this folder to what they say.
package docs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const root = ".." // the folder of the module

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The program in README.md is that of examples/separate to the letter, which is built and
// run by scripts/examples.
func TestProgramInREADME(t *testing.T) {
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(read(t, filepath.Join(root, "README.md")))
	if program == nil {
		t.Fatal("README.md has no program in Go")
	}
	if example := read(t, filepath.Join(root, "examples", "separate", "main.go")); program[1] != example {
		t.Errorf("the program in README.md isn't examples/separate/main.go, which is\n%s", example)
	}
}

// The CHANGELOG, the examples' go.mod, CITATION.cff and the notebooks speak of one version,
// the latest.
func TestVersion(t *testing.T) {
	var found []string
	for name, pattern := range map[string]string{
		"CHANGELOG.md":    `(?m)^## \[(\S+)\]`,
		"examples/go.mod": `github.com/seed-47b1e431/gosica v(\S+)`,
		"CITATION.cff":    `(?m)^version: (\S+)$`,
	} {
		version := regexp.MustCompile(pattern).FindStringSubmatch(read(t, filepath.Join(root, name)))
		if version == nil {
			t.Fatalf("%s names no version", name)
		}
		found = append(found, version[1])
	}
	if slices.Sort(found); found[0] != found[2] {
		t.Errorf("versions %q: want one", found)
	}
	// Each notebook gets it in its first cell.
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("%d notebooks, error %v", len(notebooks), err)
	}
	for _, name := range notebooks {
		if get := "!*go get github.com/seed-47b1e431/gosica@v" + found[0] + `\n`; !strings.Contains(read(t, name), get) {
			t.Errorf("%s hasn't the line %s", name, get)
		}
	}
}

// Each notebook has a page that fetches nothing.
func TestPages(t *testing.T) {
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range notebooks {
		page := strings.TrimSuffix(filepath.Base(name), ".ipynb") + ".html"
		if text := read(t, filepath.Join("notebooks", page)); fetches.MatchString(text) {
			t.Errorf("notebooks/%s fetches %q", page, fetches.FindString(text))
		}
	}
}

// What a browser fetches without being asked: not links, and not what is in the page.
var fetches = regexp.MustCompile(`(?i)<link|@import|(?:src|srcset|poster)="(?:https?:)?//[^"]*|url\((?:https?:)?//[^)]*`)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?s)```.*?```")
)

// Links to files, folders and headings of this repository lead somewhere.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "scripts/*/*.md", "datasets/*/*.md", "notebooks/*.ipynb"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Errorf("%d pages, want those of the repository: %q", len(pages), pages)
	}
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
			if err := follow(page, found[1]); err != nil {
				name, _ := filepath.Rel(root, page)
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// follow returns an error if a link of the page leads nowhere in this repository.
// Addresses on the web aren't looked at, nor what is only made when programs run.
func follow(page, target string) error {
	if strings.Contains(target, ":") || strings.HasPrefix(target, "../out") {
		return nil
	}
	path, anchor, _ := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("the link to %s: there is no such file", target)
	}
	if anchor == "" || filepath.Ext(file) != ".md" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !slices.Contains(anchors(text), anchor) {
		return fmt.Errorf("the link to %s: there is no such heading", target)
	}
	return nil
}

// anchors are those that a reader of Markdown gives a page's headings.
func anchors(text []byte) []string {
	var all []string
	for _, found := range heading.FindAllSubmatch(text, -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, string(bytes.TrimSpace(found[1]))))
	}
	return all
}
