package markup

import (
	"math"
	"strings"
	"testing"

	stdfont "golang.org/x/image/font"
)

func TestMarkup(t *testing.T) {
	m, err := New("at $s_{1,t-1}^2$\nend", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.lines) != 2 || m.lines[1][0].text != "end" {
		t.Fatalf("lines %v", m.lines)
	}
	var text string
	for _, f := range m.lines[0] {
		text += f.text
	}
	if want := "at s1,t−12"; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	// What is said of each fragment: is it italic, does it lie above or below?
	for i, want := range []struct {
		text   string
		italic bool
		side   float64
	}{
		{"at ", false, 0}, {"s", true, 0}, {"1", false, -1}, {",", false, -1}, {"t", true, -1}, {"−", false, -1}, {"1", false, -1}, {"2", false, 1},
	} {
		f := m.lines[0][i]
		italic := f.font.Style == stdfont.StyleItalic
		side := 0.0
		if f.rise != 0 {
			side = math.Copysign(1, float64(f.rise))
		}
		if f.text != want.text || italic != want.italic || side != want.side {
			t.Errorf("fragment %d is %+v, want %+v", i, f, want)
		}
		if side != 0 && f.font.Size >= m.lines[0][1].font.Size {
			t.Errorf("fragment %d is as large as the letter before it", i)
		}
	}
	if m.Height() != 2*m.leading() || m.Width() <= lineWidth(m.lines[1]) {
		t.Errorf("size %v × %v", m.Width(), m.Height())
	}
	if empty, err := New("", 10); err != nil || empty.Height() != 0 || empty.Width() != 0 {
		t.Errorf("no text: %v, %v", empty, err)
	}
}

func TestMarkupErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a $b":   "a $ has no other",
		"$s_$":   "nothing follows _ or ^",
		"$s^{1$": "a { has no }",
	} {
		if _, err := New(text, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}
