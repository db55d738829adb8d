package notebook

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// An output is what a cell would have shown.
type output struct {
	id string
	bundle
}

// record keeps what is shown from now on.
func record(t *testing.T) *[]output {
	t.Helper()
	before, shown := send, new([]output)
	send = func(id string, b bundle) { *shown = append(*shown, output{id, b}) }
	t.Cleanup(func() { send = before })
	return shown
}

func (b bundle) html() string { s, _ := b[protocol.MIMETextHTML].(string); return s }

// An error is one line without HTML, whatever is in it, and ends the program with status 1.
func TestCheckPrintsOneLine(t *testing.T) {
	shown, status := record(t), 0
	before := exit
	exit = func(code int) { status = code }
	defer func() { exit = before }()

	Check(nil)
	if len(*shown) != 0 || status != 0 {
		t.Fatalf("without an error there are %d outputs and status %d", len(*shown), status)
	}
	if got := Must(7, nil); got != 7 {
		t.Errorf("Must(7, nil) = %d", got)
	}
	stderr := os.Stderr
	os.Stderr, _ = os.Open(os.DevNull) // where it would be printed outside a notebook
	defer func() { os.Stderr = stderr }()
	Check(errors.New("open <b>mixed</b>.csv:\n\tno such file"))
	if status != 1 || len(*shown) != 1 {
		t.Fatalf("status %d, %d outputs: want 1 and 1", status, len(*shown))
	}
	b := (*shown)[0].bundle
	if want := "open &lt;b&gt;mixed&lt;/b&gt;.csv: no such file"; !strings.Contains(b.html(), want) || strings.Contains(b.html(), "\n") {
		t.Errorf("HTML is %q: want %q in one line", b.html(), want)
	}
	if want := "open <b>mixed</b>.csv: no such file"; b[protocol.MIMETextPlain] != want {
		t.Errorf("text is %q, want %q", b[protocol.MIMETextPlain], want)
	}
}

// An interrupt ends the context, and Kept returns the result so far with a note.
func TestInterruptKeepsResult(t *testing.T) {
	shown := record(t)
	ctx := Context()
	if ctx.Err() != nil {
		t.Fatal("the context has ended already")
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	result := 3
	got := Kept(&result, fmt.Errorf("fit: %w", context.Canceled))
	if got != &result || len(*shown) != 1 || !strings.Contains(fmt.Sprint((*shown)[0]), "Interrupted") {
		t.Errorf("Kept returns %v and shows %v", got, *shown)
	}
}

// Numbers are aligned to the right, text to the left.
func TestTableAlignsNumbers(t *testing.T) {
	table := NewTable("| method | MCC | seconds |")
	table.Row("| %s | %.3f (%.3f) | – |", "SICA", 1.0, 0.0)
	table.Row("| ZCA | %+.2f | 0.1 |", -0.5)
	want := "| method | MCC | seconds |\n| --- | ---: | ---: |\n| SICA | 1.000 (0.000) | – |\n| ZCA | -0.50 | 0.1 |"
	if got := table.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Package datasets reads the sound, up to rounding to 16 bits, with its largest amplitude at the
// end of the range.
func TestSoundIsAWAVFile(t *testing.T) {
	for _, test := range []struct {
		samples []float64
		scale   float64
	}{
		{[]float64{0, .5, -2, 1}, 2},
		{[]float64{0, 0}, 1},
		{nil, 1},
	} {
		path := filepath.Join(t.TempDir(), "sound.wav")
		file, err := wav(test.samples, 8000)
		if len(test.samples) == 0 {
			if err == nil {
				t.Error("a sound without samples")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := datasets.ReadRecording(path)
		if err != nil || r.Rate != 8000 {
			t.Fatalf("%v, error %v", r, err)
		}
		for k, v := range test.samples {
			if got := r.Signals.At(0, k) * test.scale; math.Abs(got-v) > test.scale/30000 {
				t.Errorf("sample %d is %g, want %g", k, got, v)
			}
		}
	}
	shown := record(t)
	Play("<voice>", []float64{1, -1}, 8000)
	if page := (*shown)[0].html(); !strings.Contains(page, "&lt;voice&gt;") || !strings.Contains(page, `src="data:audio/wav;base64,UklGR`) {
		t.Errorf("HTML is %q", page)
	}
}

// clocked returns a bar whose time is the test's.
func clocked() (*Bar, *time.Time) {
	b, now := NewBar(), time.Unix(1000, 0)
	b.now = func() time.Time { return now }
	return b, &now
}

// A bar is drawn twice a second at most, and at its end, in the same output. After a quarter of the
// work it shows three times the time so far.
func TestBarIsDrawnTwiceASecond(t *testing.T) {
	shown := record(t)
	b, now := clocked()
	for k := range 100 { // 10 s
		*now = now.Add(100 * time.Millisecond)
		b.Count(k+1, 100, "<steps>", 0)
	}
	if n := len(*shown); n < 20 || n > 22 {
		t.Errorf("10 s drew it %d times, want 20 and the last", n)
	}
	for _, o := range *shown {
		if o.id != b.id || o.id == "" {
			t.Fatalf("an output has the id %q, the bar %q", o.id, b.id)
		}
	}
	if page := (*shown)[5].html(); !strings.Contains(page, "26 of 100 &lt;steps&gt;, about 7s left") {
		t.Errorf("after 2.6 s of 10 it is %q", page)
	}
	if page := (*shown)[len(*shown)-1].html(); !strings.HasSuffix(page, "100 of 100 &lt;steps&gt;") {
		t.Errorf("at the end it is %q", page)
	}

	b, now = clocked()
	*now = now.Add(time.Hour)                    // before it is shown, which doesn't count
	b.Count(0, 10, "separations", 3*time.Minute) // as the caller knows it
	*now = now.Add(time.Second)
	b.Share(.5, "fitting networks")
	tail := (*shown)[len(*shown)-2:]
	if !strings.Contains(tail[0].html(), "about 3m0s left") || !strings.Contains(tail[1].html(), "fitting networks, about 1s left") {
		t.Errorf("the last two are %q and %q", tail[0].html(), tail[1].html())
	}
}

// scatter draws a point for each of a few positions, the same ones for the same k.
func scatter(k int) (*plot.Picture, error) {
	return plot.Scatter(0, 1, plot.Group{Method: plot.Default, Signals: mat.NewDense(2, 3, []float64{0, 1, float64(k), 2, 1, 0})})
}

// A fit is drawn twice a second at most, and at its end: with a bar, its signals, and a curve once
// there is a divergence. Without HTML there are the signals only.
func TestLiveIsDrawnTwiceASecond(t *testing.T) {
	shown := record(t)
	drawn := 0
	live := NewLive(10, func(*mat.Dense) (*plot.Picture, error) { drawn++; return scatter(drawn) })
	var now *time.Time
	live.bar, now = clocked()
	for j := 1; j <= 10; j++ {
		divergence := float64(j)
		if j == 1 {
			divergence = math.NaN()
		}
		live.Iteration(j, divergence, nil)
		*now = now.Add(200 * time.Millisecond)
	}
	if drawn != 4 { // at 0, .6, 1.2 and 1.8 s, the last iteration
		t.Errorf("drawn %d times, want 4", drawn)
	}
	for k, o := range *shown {
		pictures := strings.Count(o.html(), `src="data:image/png;base64,`)
		if want := min(k+1, 2); pictures != want || o.id != live.bar.id {
			t.Errorf("output %d has %d pictures, want %d", k, pictures, want)
		}
		if _, err := png.Decode(bytes.NewReader(o.bundle[protocol.MIMEImagePNG].([]byte))); err != nil {
			t.Errorf("output %d: %v", k, err)
		}
	}
	if last := (*shown)[len(*shown)-1]; !strings.Contains(last.html(), "10 of 10 iterations") {
		t.Errorf("the last output is %.100q", last.html())
	}
}

var dataFrames = regexp.MustCompile(`data-frames="([^"]*)"`)

// A slider has all pictures in one output, with the last one shown, or a PNG without HTML. It loads
// nothing.
func TestSliderHasAllPictures(t *testing.T) {
	shown := record(t)
	new(Slider).Show()
	if len(*shown) != 0 {
		t.Error("a slider without pictures shows something")
	}
	var s Slider
	for k := range 3 {
		p, err := scatter(k)
		s.Add(fmt.Sprintf(`iteration %d: "MCC" < 1`, k), p, err)
	}
	s.Show()
	o := (*shown)[0]
	match := dataFrames.FindStringSubmatch(o.html())
	if match == nil {
		t.Fatal("there are no frames")
	}
	var frames [][2]string
	if err := json.Unmarshal([]byte(html.UnescapeString(match[1])), &frames); err != nil {
		t.Fatal(err)
	}
	if len(frames) != 3 || frames[1][0] != `iteration 1: "MCC" < 1` {
		t.Fatalf("%d frames, the second %.40q", len(frames), frames[1][0])
	}
	encoded, ok := strings.CutPrefix(frames[2][1], "data:image/png;base64,")
	last, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || !bytes.Equal(last, o.bundle[protocol.MIMEImagePNG].([]byte)) {
		t.Error("the last frame isn't the output's PNG")
	}
	if frames[0][1] == frames[1][1] {
		t.Error("the first two frames are the same")
	}
	page := dataFrames.ReplaceAllString(o.html(), "")
	if n := strings.Count(page, "<img"); n != 1 || !strings.Contains(page, frames[2][1]) {
		t.Errorf("%d pictures are shown, want the last", n)
	}
	if strings.Contains(page, "http") || strings.Contains(page, "<script") {
		t.Error("the page fetches something, or has a script that a reader may remove")
	}
}

// An image of few colours keeps each pixel, one of many has small errors, in fewer bytes, a pixel of
// a rare colour included; the result is deterministic.
func TestSmallerKeepsColours(t *testing.T) {
	for _, test := range []struct {
		name  string
		shade func(x, y int) color.NRGBA
		worst int
	}{
		{"two colours", func(x, y int) color.NRGBA { return color.NRGBA{uint8(x / 64 * 200), 20, 30, 255} }, 0},
		{"a thousand", func(x, y int) color.NRGBA { return color.NRGBA{uint8(2 * x), uint8(y / 16 * 16), 0, 255} }, 8},
		{"one green pixel in four thousand tints of grey", func(x, y int) color.NRGBA {
			if x == 64 && y == 64 {
				return color.NRGBA{0, 158, 115, 255}
			}
			return color.NRGBA{uint8(128 + 37*x*y%64), uint8(128 + 11*(x+y*y)%64), 160, 255}
		}, 8},
	} {
		drawn := image.NewNRGBA(image.Rect(0, 0, 128, 128))
		for y := range 128 {
			for x := range 128 {
				drawn.SetNRGBA(x, y, test.shade(x, y))
			}
		}
		var original bytes.Buffer
		if err := png.Encode(&original, drawn); err != nil {
			t.Fatal(err)
		}
		got := smaller(original.Bytes())
		if len(got) > original.Len() || !bytes.Equal(got, smaller(original.Bytes())) {
			t.Errorf("%s: %d bytes of %d, or others the second time", test.name, len(got), original.Len())
		}
		decoded, err := png.Decode(bytes.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		for y := range 128 {
			for x := range 128 {
				c, want := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA), test.shade(x, y)
				if d := max(abs(c.R, want.R), abs(c.G, want.G), abs(c.B, want.B)); d > test.worst {
					t.Fatalf("%s: pixel %d, %d is %v, was %v", test.name, x, y, c, want)
				}
			}
		}
	}
	if got := smaller([]byte("no image")); string(got) != "no image" {
		t.Errorf("what is no image became %q", got)
	}
}

func abs(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// Outside of a notebook Markdown is printed and pictures are not.
func TestOutsideOfNotebooks(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	Markdown("%d of %s", 1, "all")
	Markdown("100 %")
	Show(scatter(1))
	os.Stdout = stdout
	w.Close()
	if got, _ := io.ReadAll(r); string(got) != "1 of all\n100 %\n" {
		t.Errorf("printed %q", got)
	}
}
