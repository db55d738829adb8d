// Package docs_test holds README.md and the pages of this folder to what they say: links lead
// somewhere, Go compiles, commands run or parse, and generated pages are up to date.
package docs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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

// pages returns README.md and the pages of this folder, with slashes, relative to the module.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			all = append(all, "docs/"+filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("%d pages; want those of the repository: %q", len(all), all)
	}
	return all
}

// The lines of Go in README.md are of examples/separate, which scripts/examples builds and runs.
func TestProgramInREADMEIsExample(t *testing.T) {
	program := regexp.MustCompile("(?s)```go\n(.*?)```").
		FindStringSubmatch(read(t, filepath.Join(root, "README.md")))
	if program == nil {
		t.Fatal("README.md has no program in Go")
	}
	example := read(t, filepath.Join(root, "examples", "separate", "main.go"))
	lines := "\t" + strings.ReplaceAll(strings.TrimSpace(program[1]), "\n", "\n\t") + "\n"
	if !strings.Contains(example, lines) {
		t.Errorf("README.md has lines that aren't those of examples/separate/main.go, which is\n%s", example)
	}
}

// The function that cleans a recording in how-to/recordings-in-go.md is that of examples/clean.
func TestCleaningOnPageIsExample(t *testing.T) {
	example := read(t, filepath.Join(root, "examples", "clean", "main.go"))
	cleaning := slices.DeleteFunc(blocks(read(t, "how-to/recordings-in-go.md"), "go"), func(block string) bool {
		return !strings.Contains(block, "\nfunc clean(")
	})
	if len(cleaning) != 1 || !strings.Contains(example, cleaning[0]) {
		t.Errorf("the page has %d functions clean; want that of examples/clean/main.go",
			len(cleaning))
	}
}

// The CHANGELOG, the examples' go.mod, CITATION.cff and the notebooks name the same version, the
// latest.
func TestVersionsAgree(t *testing.T) {
	var found []string
	for name, pattern := range map[string]string{
		"CHANGELOG.md":    `(?m)^## \[(\S+)\]`,
		"examples/go.mod": `github.com/seed-47b1e431/gosica v(\S+)`,
		"CITATION.cff":    `(?m)^version: (\S+)$`,
		"README.md":       `gosica@v(\S+?)` + "`",
	} {
		version := regexp.MustCompile(pattern).FindStringSubmatch(read(t, filepath.Join(root, name)))
		if version == nil {
			t.Fatalf("%s names no version", name)
		}
		found = append(found, version[1])
	}
	if slices.Sort(found); found[0] != found[len(found)-1] {
		t.Errorf("versions %q: want one", found)
	}
	// Each notebook gets it in its first cell.
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("%d notebooks, error %v", len(notebooks), err)
	}
	get := "!*go get github.com/seed-47b1e431/gosica/laboratory@v" + found[0] + `\n`
	for _, name := range notebooks {
		if !strings.Contains(read(t, name), get) {
			t.Errorf("%s hasn't the line %s", name, get)
		}
	}
}

// Each notebook has a page that loads nothing.
func TestNotebookPagesAreSelfContained(t *testing.T) {
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
var fetches = regexp.MustCompile(
	`(?i)<link|@import|(?:src|srcset|poster)="(?:https?:)?//[^"]*|url\((?:https?:)?//[^)]*`)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	href    = regexp.MustCompile(`<a[^>]* href="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?s)```.*?```")
)

// Links to files, folders and headings of this repository exist.
func TestLinksExist(t *testing.T) {
	all := pages(t)
	for _, pattern := range []string{
		"*.md", "examples/*.md", "scripts/*/*.md", "datasets/*/*.md", "notebooks/*.ipynb", "docs/notebooks/*.html",
	} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			all = append(all, strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
		}
	}
	slices.Sort(all)
	for _, page := range slices.Compact(all) {
		path, pattern := filepath.Join(root, filepath.FromSlash(page)), link
		if filepath.Ext(page) == ".html" {
			pattern = href
		}
		for _, found := range pattern.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, path), ""), -1) {
			if err := follow(path, found[1]); err != nil {
				t.Errorf("%s: %v", page, err)
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
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the link to %s: there is no such file", target)
	} else if err != nil {
		return err
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

// blocks returns the fenced blocks of a language on a page.
func blocks(text, language string) []string {
	var all []string
	pattern := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```")
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	return all
}
