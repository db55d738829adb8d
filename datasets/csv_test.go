package datasets

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestReadCSV(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, -2.5, 3e-300, 4, 5, 6}) // Two signals, three positions.
	for name, file := range map[string]string{
		"plain":             "1,4\n-2.5,5\n3e-300,6\n",
		"no last line end":  "1,4\n-2.5,5\n3e-300,6",
		"header":            "left,right\n1,4\n-2.5,5\n3e-300,6\n",
		"header in quotes":  "\"left, or\nwest\",right\n1,4\n-2.5,5\n3e-300,6\n",
		"Windows":           "\ufeff1,4\r\n-2.5,5\r\n3e-300,6\r\n\r\n",
		"spaces and quotes": "s1, s2\n 1, 4\n-2.5 ,\"5\"\n3e-300,6\n",
		"semicolons":        "1;4\n-2.5;5\n3e-300;6\n",
		"decimal commas":    "left;right\n1,0;4\n-2,5;5\n3e-300;6\n",
		"no header, commas": "1,0;4,0\n-2,5;5\n3e-300;6\n",
		"tabs":              "left\tright\n1\t4\n-2.5\t5\n3e-300\t6\n",
		"times":             "Time (s),left,right\n0.5,1,4\n0.504,-2.5,5\n0.508,3e-300,6\n",
	} {
		got, err := formatOf(".csv").read(strings.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !mat.Equal(got.Signals, want) {
			t.Errorf("%s: got %v", name, mat.Formatted(got.Signals))
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "no rows"},
		{"header only", "a,b\n", "no rows"},
		{"ragged", "1,2\n3\n", "line 2 has 1 column; must have 2"},
		{"ragged after a header", "a,b\n1,2\n3,4,5\n", "line 3 has 3 columns; must have 2"},
		{"text", "1,2\n3,four\n", `line 2, column 2: "four" is not a number`},
		{"texts", "a,b\n1,2\noff,3\n-,two\n4,on\n", `line 3, column 1 ("a"): "off" is not a number, the first of 3 such cells in 2 columns; must be a number, or be filled in`},
		{"half a header", "1,b\n1,2\n", `line 1, column 2: "b" is not a number`},
		{"two headers", "a,b\nc,d\n", `line 2, column 1 ("a"): "c" is not a number`},
		{"empty cell", "a,b\n1,2\n3, \n", `line 3, column 2 ("b"): the cell is empty; must be a number`},
		{"empty cells", "a,b\n1,2\nNA,\n,3\n4,5\n", `line 3, column 1 ("a"): the value is missing (NA), the first of 3 missing values in 2 columns`},
		{"another separator first", "a;b;c\n" + strings.Repeat("1;2.5;3\n", 4) + strings.Repeat("1,2.5,3\n", 9), `another separator, such as "1;2.5;3"`},
		{"another separator first, decimal commas", strings.Repeat("1 2,5 3\n", 4) + strings.Repeat("1;2,5;3\n", 9), `another separator, such as "1 2,5 3"`},
		{"empty cells first", ",\n1,2\n", "line 1, column 1: the cell is empty"},
		{"empty line", "1\n\n2\n", "line 2 is empty"},
		{"empty line after the header", "a\n\n2\n", "line 2 is empty"},
		{"empty line first", "\n1\n", "line 1 is empty"},
		{"NaN", "1,2\nNaN,4\n", "line 2, column 1: the value is missing (NaN); must be a number, or be filled in"},
		{"NaN first", "nan\n1\n", "line 1, column 1: the value is missing (nan)"},
		{"infinite", "1\n-inf\n", "line 2, column 1: -inf is not finite"},
		{"out of range", "1e999\n2\n", "line 1, column 1: 1e999 is not finite"},
		{"open quote", "1\n\"2\n", "line 2: a quotation mark isn't closed"},
		{"names in cells", strings.Repeat("A0:1,A1:2\n", 5), `the first line is "A0:1,A1:2"`},
		{"long form", "t,channel,v\n0,a,1\n1,a,2\n0,b,3\n1,b,4\n0,c,5\n1,c,6\n", `column "channel" says which channel`},
		{"long form by times", "t,channel,v\n0,a,1\n0,b,3\n0,c,5\n1,a,2\n1,b,4\n1,c,6\n", `column "channel" says which channel`},
		{"a mark in a cell", "a,b\n1,2\n3\"4\"5,6\n", "line 3: a quotation mark within a cell; must be around the cell"},
		{"another unit", "a,b\n1 mV,2\n3 V,4\n", `line 3, column 1 ("a"): "3 V" has the unit "V"; must have "mV"`},
		{"no unit", "a,b\n1 mV,2\n3,4\n", `"3" has the unit ""; must have "mV"`},
		{"a page", "<!DOCTYPE html>\n<p>1\n", "a web page"},
		{"a spreadsheet", "PK\x03\x04\x14\x00", "save the sheet as CSV"},
		{"channels after another", "\"INFORMATION\"\n\"a.smr\"\n", "export it as spreadsheet text"},
		{"rows of several kinds", "0, /muse/eeg, 1, 2\n1, /muse/eeg, 2, 4\n1, /muse/acc, 3\n2, /muse/eeg, 5, 6\n",
			`must have 4, like those before it: column 2 has "/muse/acc" here and "/muse/eeg" before`},
		{"compressed", "\x1f\x8b\x08\x00", "unpack it by gunzip"},
		{"blocks", "Interval=\t0.002 s\nChannelTitle=\tA\n0\t5\n0.002\t2\nInterval=\t0.002 s\n0\t1\n", "another block of LabChart begins at line 5"},
		{"JSON", `[{"a": 1, "b": 2}, {"a": 3, "b": 4}]`, "the text is a list in brackets, such as JSON"},
		{"several commas", "1;2\n1,2,3;4\n", `line 2, column 1: "1,2,3" is not a number`},
	} {
		_, err := formatOf(".csv").read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWriteCSV(t *testing.T) {
	var b strings.Builder
	z := mat.NewDense(2, 2, []float64{0.1, -1e-7, 1. / 3, 12345678})
	if err := writeAll(".csv", &b, z); err != nil {
		t.Fatal(err)
	}
	if want := "s1,s2\n0.1,0.3333333333333333\n-1e-07,1.2345678e+07\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

// What is read can be written and read again to the same bits.
func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"1,2\n3,4\n", "a,b\n1,2\n", "\ufeff1\r\n2\r\n", "1,,2\n", "\"a\nb\"\n0x1p-3\n", "1e999", ",\n\n", "-0,5e-324\n",
		"000珏00000000珏0珏00000000000珏000000,", "\n0", "0\"", "", "\xff0\n,"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := formatOf(".csv").read(bytes.NewReader(data))
		if err != nil {
			checkError(t, err)
			return
		}
		checkRoundTrip(t, r.Signals, ".csv")
	})
}

// The ways in which programs write the same two signals at four positions.
func TestDialects(t *testing.T) {
	want := mat.NewDense(2, 4, []float64{1.5, -2.25, 1234.5, 0, 4, 5, 6, -0.001})
	utf16 := func(text string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, r := range text {
			b.WriteByte(byte(r))
			b.WriteByte(byte(r >> 8))
		}
		return b.String()
	}
	const plain = "1.5,4\n-2.25,5\n1234.5,6\n0,-.001\n"
	for name, c := range map[string]struct {
		file  string
		names []string
		note  string // one that the recording has
	}{
		"pandas' to_csv":            {",left,right\n0,1.5,4\n1,-2.25,5\n2,1234.5,6\n3,0,-.001\n", []string{"left", "right"}, "counts the rows"},
		"pandas' without names":     {",0,1\n0,1.5,4\n1,-2.25,5\n2,1234.5,6\n3,0,-.001\n", []string{"column 0", "column 1"}, "counts the rows"},
		"header behind #":           {"# left,right\n" + plain, []string{"left", "right"}, "comment line names"},
		"comments":                  {"% a recorder\n% 250 Hz\nleft,right\n" + plain, []string{"left", "right"}, ""},
		"comments with a semicolon": {"; made by hand\nleft,right\n" + plain, []string{"left", "right"}, ""},
		"comments in between":       {"left,right\n1.5,4\n# a break\n-2.25,5\n1234.5,6\n0,-.001\n", []string{"left", "right"}, ""},
		"spaces after signs":        {"left,right\n+ 1.5,+ 4\n-  2.25,+ 5\n+ 1234.5,+ 6\n+ 0,-  .001\n", []string{"left", "right"}, ""},
		"blank lines at the end":    {plain + "\n  \n\n", nil, ""},
		"empty rows at the end":     {plain + ",\n,\n", nil, ""},
		"commas at the end":         {"left,right,\n1.5,4,\n-2.25,5,\n1234.5,6,\n0,-.001,\n", []string{"left", "right"}, ""},
		"semicolons at the end":     {"1.5;4;\n-2.25;5;\n1234.5;6;\n0;-.001;\n", nil, ""},
		"tabs at the end":           {"1.5\t4\t\n-2.25\t5\t\n1234.5\t6\t\n0\t-.001\t\n", nil, ""},
		"several commas at the end": {"left,right,,,\n1.5,4,,,\n-2.25,5,,,\n1234.5,6,,,\n0,-.001,,,\n", []string{"left", "right"}, ""},
		"an empty column":           {"left,power,right\n1.5,,4\n-2.25,,5\n1234.5,,6\n0,,-.001\n", []string{"left", "right"}, "\"power\" is empty"},
		"a line below the units":    {"left,right\n(mV),(mV)\n\n" + plain, []string{"left", "right"}, "units"},
		"numbers as names":          {"x-axis,1,2\nsecond,Volt,Volt\n0,1.5,4\n.004,-2.25,5\n.008,1234.5,6\n.012,0,-.001\n", []string{"column 1", "column 2"}, "units"},
		"a title of two cells":      {"Points=4 Channels=2 Step=4\nleft right\n1.5 4\n-2.25 5\n1234.5 6\n0 -.001\n", []string{"left", "right"}, "the first line is no part"},
		"lines of names and values": {"FRAMES\t4\t\nDATE\t2024-05-02\t10:00\nMARKERS\tA\tB\tC\n1.5\t4\n-2.25\t5\n1234.5\t6\n0\t-.001\n", nil, "the first 3 lines are no part"},
		"UTF-16 without a mark":     {utf16("left\tright\n1.5\t4\n-2.25\t5\n1234.5\t6\n0\t-.001\n")[2:], []string{"left", "right"}, ""},
		"commas at the end of rows": {"left,right\n1.5,4,\n-2.25,5,\n1234.5,6,\n0,-.001,\n", []string{"left", "right"}, ""},
		"units":                     {"left,right\nuV,mV\n" + plain, []string{"left", "right"}, "units"},
		"units in brackets":         {"left;right\n(µV);(µV)\n1,5;4\n-2,25;5\n1234,5;6\n0;-,001\n", []string{"left", "right"}, "units"},
		"sep=":                      {"sep=;\r\nleft;right\r\n1,5;4\r\n-2,25;5\r\n1234,5;6\r\n0;-0,001\r\n", []string{"left", "right"}, "decimal commas"},
		"decimal commas in quotes":  {"\"1,5\",\"4,0\"\n\"-2,25\",\"5,0\"\n\"1234,5\",\"6,0\"\n\"0,0\",\"-0,001\"\n", nil, "decimal commas"},
		"thousands":                 {"\"1.5\",\"4\"\n\"-2.25\",\"5\"\n\"1,234.5\",\"6\"\n\"0\",\"-.001\"\n", nil, ""},
		"thousands with points":     {"left;right;b\n1,5;4;7\n-2,25;5;8\n1234,5;6;9\n0;-,001;1.234\n", []string{"left", "right", "b"}, "decimal commas"},
		"blank lines first":         {"\n\nleft,right\n" + plain, []string{"left", "right"}, ""},
		"a title with commas":       {"Report,\n,\nleft,right\n" + plain, []string{"left", "right"}, "the first 2 lines are no part"},
		"a grid":                    {"+----+-----+\n|left|right|\n+====+=====+\n|1.5|4|\n+---+---+\n|-2.25|5|\n|1234.5|6|\n|0|-.001|\n+---+---+\n", []string{"left", "right"}, "separated by |"},
		"thousands, decimal commas": {"1,5;4\n-2,25;5\n1.234,5;6\n0;-,001\n", nil, "decimal commas"},
		"Fortran":                   {"  0.15D+01  4.0D0\n -0.225D+01  5.0D0\n  0.12345D+04  6.0D0\n  0.0D+00 -1.0D-03\n", nil, "spaces"},
		"numpy.savetxt":             {"1.500000000000000000e+00 4.0e+00\n-2.25e+00 5.0e+00\n1.2345e+03 6.0e+00\n0.0e+00 -1.0e-03\n", nil, "spaces"},
		"spaces, names":             {"left   right\n1.5  4\n-2.25   5\n1234.5 6\n 0  -.001\n", []string{"left", "right"}, "spaces"},
		"spaces, decimal commas":    {"1,5  4,0\n-2,25   5,0\n1234,5 6,0\n 0,0  -,001\n", nil, "decimal commas"},
		"bars":                      {"left|right\n1.5|4\n-2.25|5\n1234.5|6\n0|-.001\n", []string{"left", "right"}, "separated by |"},
		"ISO times":                 {"when,left,right\n2024-03-02T10:00:00.000,1.5,4\n2024-03-02T10:00:00.004,-2.25,5\n2024-03-02T10:00:00.008,1234.5,6\n2024-03-02T10:00:00.012,0,-.001\n", []string{"left", "right"}, "dates and times"},
		"UTF-16":                    {utf16("left\tright\n1.5\t4\n-2.25\t5\n1234.5\t6\n0\t-.001\n"), []string{"left", "right"}, ""},
		"a column of text":          {"left,condition,right\n1.5,rest,4\n-2.25,rest,5\n1234.5,task,6\n0,task,-.001\n", []string{"left", "right"}, "condition"},
		"milliseconds":              {"time (ms),left,right\n0,1.5,4\n4,-2.25,5\n8,1234.5,6\n12,0,-.001\n", []string{"left", "right"}, ""},
		"channel numbers":           {"time,1,2\n0,1.5,4\n.004,-2.25,5\n.008,1234.5,6\n.012,0,-.001\n", []string{"column 1", "column 2"}, ""},
		"line ends of Windows":      {"left,right\r\n1.5,4\r\n-2.25,5\r\n1234.5,6\r\n0,-.001\r\n", []string{"left", "right"}, ""},
		"line ends of Macintosh":    {"left,right\r1.5,4\r-2.25,5\r1234.5,6\r0,-.001\r", []string{"left", "right"}, ""},
		"R's write.table":           {"\"left\" \"right\"\n\"1\" 1.5 4\n\"2\" -2.25 5\n\"3\" 1234.5 6\n\"4\" 0 -.001\n", []string{"left", "right"}, "counts the rows"},
		"pandas' to_string":         {"     left   right\n0     1.5   4.000\n1   -2.25   5.000\n2  1234.5   6.000\n3       0  -0.001\n", []string{"left", "right"}, "counts the rows"},
		"pandas' MultiIndex":        {",EEG,EEG\n,left,right\n0,1.5,4\n1,-2.25,5\n2,1234.5,6\n3,0,-.001\n", []string{"left", "right"}, "second row names"},
		"Latin-1":                   {"left \xb5V;right\n1,5;4\n-2,25;5\n1234,5;6\n0;-,001\n", []string{"left µV", "right"}, "decimal commas"},
		"a spreadsheet's text":      {"left,right\n=\"1.5\",=\"4\"\n=\"-2.25\",=\"5\"\n=\"1234.5\",=\"6\"\n=\"0\",=\"-.001\"\n", []string{"left", "right"}, ""},
		"minus signs":               {"left,right\n1.5,4\n\u22122.25,5\n1234.5,6\n0,\u22120.001\n", []string{"left", "right"}, ""},
		"Arduino's serial monitor":  {"Ready\nADC found\n10:00:00.000 -> 1.5,4\n10:00:00.004 -> -2.25,5\n10:00:00.008 -> 1234.5,6\n10:00:00.012 -> 0,-.001\n", nil, "dates and times"},
		"MATLAB's writetimetable":   {"Time,left,right\n0 sec,1.5,4\n0.004 sec,-2.25,5\n0.008 sec,1234.5,6\n0.012 sec,0,-.001\n", []string{"left", "right"}, "dates and times"},
		"American dates":            {"when,left,right\n3/28/2024 9:59:59.996 AM,1.5,4\n3/28/2024 10:00:00.000 AM,-2.25,5\n3/28/2024 10:00:00.004 AM,1234.5,6\n3/28/2024 10:00:00.008 AM,0,-.001\n", []string{"left", "right"}, "dates and times"},
		"Markdown":                  {"|   | left | right |\n|--:|-----:|:-----|\n| 0 | 1.5 | 4 |\n| 1 | -2.25 | 5 |\n| 2 | 1234.5 | 6 |\n| 3 | 0 | -.001 |\n", []string{"left", "right"}, "counts the rows"},
		"units in cells":            {"time,left,right\n0 ms,1.5 uV,4\n4 ms,-2.25 uV,5\n8 ms,1234.5 uV,6\n12 ms,0 uV,-.001\n", []string{"left", "right"}, "units in the cells, ms, uV"},
		"units, no header":          {"1.5 uV;4 mV\n-2.25 uV;5 mV\n1234.5 uV;6 mV\n0 uV;-.001 mV\n", nil, "units in the cells, mV, uV"},
		"names that repeat":         {"left,left\n" + plain, []string{"left", "left (2)"}, ""},
		"frequencies as names":      {"8 Hz,10 Hz\n" + plain, []string{"8 Hz", "10 Hz"}, ""},
		"many comments":             {strings.Repeat("# a line of what was done\n", 5000) + "left,right\n" + plain, []string{"left", "right"}, ""},
	} {
		r, err := formatOf(".csv").read(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "thousands with points" {
			if v := r.Signals.At(2, 3); v != 1234 {
				t.Errorf("1.234 is %g among decimal commas, want 1234", v)
			}
			continue
		}
		if !mat.Equal(r.Signals, want) {
			t.Errorf("%s: got\n%v", name, mat.Formatted(r.Signals))
		}
		if !slices.Equal(r.Names, c.names) {
			t.Errorf("%s: names %q, want %q", name, r.Names, c.names)
		}
		if noted := strings.Join(r.Notes, "; "); !strings.Contains(noted, c.note) {
			t.Errorf("%s: notes %q, want one with %q", name, noted, c.note)
		}
		timed := []string{"numbers as names", "milliseconds", "units in cells", "ISO times", "channel numbers", "Arduino's serial monitor", "MATLAB's writetimetable", "American dates"}
		if slices.Contains(timed, name) && r.Rate != 250 {
			t.Errorf("%s: %g Hz, want 250", name, r.Rate)
		}
	}
}

// Where a file leaves two readings open, an option settles it.
func TestReadOptions(t *testing.T) {
	read := func(o ReadOptions, file string) (*Recording, error) {
		return formatOf(".csv").readRecording(strings.NewReader(file), &o)
	}
	if _, err := read(ReadOptions{}, "x\n1,5\n2,5\n"); err == nil || !strings.Contains(err.Error(), "ReadOptions.Decimal") {
		t.Errorf("a comma that may be a decimal sign: %v", err)
	}
	for name, c := range map[string]struct {
		o    ReadOptions
		file string
		want *mat.Dense
	}{
		"decimal":     {ReadOptions{Separator: ";", Decimal: ","}, "x\n1,5\n2,5\n", mat.NewDense(1, 2, []float64{1.5, 2.5})},
		"transpose":   {ReadOptions{Transpose: true}, "1,2,3\n4,5,7\n", mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 7})},
		"interpolate": {ReadOptions{Missing: MissingInterpolate}, "1,NA\n,4\n3,\n7,8\n", mat.NewDense(2, 4, []float64{1, 2, 3, 7, 4, 4, 6, 8})},
		"drop":        {ReadOptions{Missing: MissingDrop}, "1,NA\n2,4\n3,\n7,8\n", mat.NewDense(2, 2, []float64{2, 7, 4, 8})},
	} {
		if r, err := read(c.o, c.file); err != nil || !mat.Equal(r.Signals, c.want) {
			t.Errorf("%s: %v, error %v", name, r, err)
		}
	}
	for want, o := range map[string]ReadOptions{
		"separator":    {Separator: "::"},
		"decimal sign": {Decimal: "x"},
		"missing":      {Missing: "guess"},
	} {
		if _, err := read(o, "1,2\n3,4\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Units come from a row below the names, from brackets behind them, or from the cells, and are
// written behind the names.
func TestUnitsOfText(t *testing.T) {
	for name, file := range map[string]string{
		"a row":    "'time','Abd1','Abd3'\n's','uV','mV'\n0,1.5,4\n1,-2.25,5\n2,0,6\n",
		"brackets": "time (s),Abd1 (uV),Abd3 [mV]\n0,1.5,4\n1,-2.25,5\n2,0,6\n",
		"cells":    "time,Abd1,Abd3\n0 s,1.5 uV,4 mV\n1 s,-2.25 uV,5 mV\n2 s,0 uV,6 mV\n",
	} {
		r, err := formatOf(".csv").read(strings.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "again.csv")
		if err := WriteRecording(path, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := ReadOptions{Without: []string{"Abd3"}}.Recording(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(r.Names, []string{"Abd1", "Abd3"}) || !slices.Equal(r.Units, []string{"uV", "mV"}) ||
			!slices.Equal(again.Names, []string{"Abd1"}) || !slices.Equal(again.Units, []string{"uV"}) ||
			again.Rate != 1 || again.Aside[0].Unit != "mV" {
			t.Errorf("%s: %q in %q, again %q in %q", name, r.Names, r.Units, again.Names, again.Units)
		}
	}
}

// Columns that can't be signals are set aside with their names and written back.
func TestAside(t *testing.T) {
	var file strings.Builder
	file.WriteString("Sample Index,left,right,Trigger,epoch,flat,railed,square,EEG TRIG,Battery (%),time,TTL,left to do,pulse\n")
	for k := range 600 {
		railed := 187500.02
		if k == 5 {
			railed = 3.5
		}
		scaled, switched := 0.0001, 0.5001 // as in EDF
		if k/50%2 == 1 {
			switched = -3.2
		}
		if k%100 == 0 {
			scaled = 5.0003
		}
		pulse := "" // measured now and then
		if k%60 == 0 {
			pulse = "61"
		}
		fmt.Fprintf(&file, "%d,%g,%g,%d,%d,7,%g,%d,%g,%d,%g,%g,%g,%s\n", k%256, math.Sin(float64(k)),
			math.Cos(float64(k)/3), k/300*4, k/100, railed, k/30%2, scaled, 90-k/250,
			float64(k%100)/250, switched, 600-float64(k)/4, pulse)
	}
	r, err := formatOf(".csv").read(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Names, []string{"left", "right", "square"}) {
		t.Errorf("signals %q", r.Names)
	}
	var aside []string
	for _, c := range r.Aside {
		aside = append(aside, c.Name)
	}
	if !slices.Equal(aside, []string{"pulse", "Sample Index", "Trigger", "epoch", "flat", "railed", "EEG TRIG",
		"Battery", "time", "TTL", "left to do"}) || len(r.Notes) != 12 || r.Rate != 250 {
		t.Errorf("set aside %q with the notes %q, at %g Hz", aside, r.Notes, r.Rate)
	}
	path := filepath.Join(t.TempDir(), "again.csv")
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	again, err := ReadRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(again.Signals, r.Signals) || len(again.Aside) != len(r.Aside) || !slices.Equal(again.Aside[2].Values, r.Aside[2].Values) {
		t.Errorf("written and read again: %q and %d aside", again.Names, len(again.Aside))
	}
}

// Times that are rounded or jitter, under any name, aren't signals.
func TestRoundedTimes(t *testing.T) {
	for name, c := range map[string]struct {
		header, format string
		rate, seconds  float64
		note           string
	}{
		"a headset":      {"timestamps,TP9", "%.3f", 256, 1.7e9, ""},
		"single quotes":  {"'Elapsed time','TP9'", "%.3f", 360, 0, ""},
		"another name":   {"progress,TP9", "%.3f", 360, 0, "never falls and rises nearly evenly"},
		"a German clock": {"Zeit [s],TP9", "%.6f", 1000, 5, ""},
		"another time":   {"Relative Time,TP9", "%.6f", 1000, 5, ""},
		"a run":          {"Time (s) Run #1,TP9", "%.6f", 1000, 5, ""},
		"a comma":        {"\"Time,s\",TP9", "%.6f", 1000, 5, ""},
		"a telephone":    {"sensor timestamp [s],TP9", "%.6f", 1000, 5, ""},
	} {
		var text strings.Builder
		text.WriteString(c.header + "\n")
		for k := range 400 {
			fmt.Fprintf(&text, c.format+",%g\n", c.seconds+float64(k)/c.rate, math.Sin(float64(k*k)))
		}
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecording(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(r.Names, []string{"TP9"}) || c.note == "" && math.Abs(r.Rate-c.rate) > 0.2 ||
			!strings.Contains(strings.Join(r.Notes, " "), c.note) {
			t.Errorf("%s: signals %q at %g Hz, notes %q", name, r.Names, r.Rate, r.Notes)
		}
	}
}

// A file whose last line is cut off is read up to it, as a whole and in blocks.
func TestCutOffCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("a,b\n1,2\n3,4\n5"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, s := readBothWays(t, path)
	want := "the last line, 4, is cut off and was left out"
	if _, n := r.Signals.Dims(); n != 2 || !slices.Contains(r.Notes, want) {
		t.Errorf("%d positions, notes %q", n, r.Notes)
	}
	if _, n := s.Dims(); n != 2 || !slices.Contains(s.About().Notes, want) {
		t.Errorf("in blocks %d positions, notes %q", n, s.About().Notes)
	}
	for z, err := range s.Blocks(5) {
		if err != nil || z.At(1, 1) != 4 {
			t.Errorf("in blocks %v", err)
		}
	}
	if err := os.WriteFile(path, []byte("a,b\n1,2\n3\n5,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), "line 3 has 1 column") {
		t.Errorf("a line that is cut off in between: %v", err)
	}
}

// Text files of recorders' programs begin with lines of their own, which tell names and rates.
func TestHeads(t *testing.T) {
	// The rows of two signals at 40 positions, with a cell of time at a rate before them.
	rows := func(rate float64, separator, end string) string {
		var b strings.Builder
		for k := range 40 {
			if rate > 0 {
				fmt.Fprintf(&b, "%.6g%s", float64(k)/rate, separator)
			}
			fmt.Fprintf(&b, "%.4f%s%d%s\n", math.Sin(float64(k)), separator, k*k%17, end)
		}
		return b.String()
	}
	// Those rows with more cells before them.
	behind := func(separator string, cells func(k int) string) string {
		var b strings.Builder
		k := 0
		for line := range strings.Lines(rows(0, separator, "")) {
			b.WriteString(cells(k) + line)
			k++
		}
		return b.String()
	}
	const biopac = "subject.acq\r\n2 msec/sample\r\n2 channels\r\nECG\r\nmV\r\nRSP, X\r\nVolts\r\n"
	for name, c := range map[string]struct {
		file  string
		names []string
		rate  float64
		note  string
	}{
		"AcqKnowledge": {biopac + "min\tCH1\tCH2\t\r\n\t40\t40\t\r\n" + rows(500*60, "\t", "\t"),
			[]string{"ECG", "RSP, X"}, 500, "the first 9 lines are those of AcqKnowledge"},
		"AcqKnowledge without times": {biopac + "CH1\tCH2\t\r\n40\t40\t\r\n" + rows(0, "\t", "\t"),
			[]string{"ECG", "RSP, X"}, 500, "first 9 lines"},
		"AcqKnowledge without short names": {biopac + rows(0, "\t", "\t"),
			[]string{"ECG", "RSP, X"}, 500, "first 7 lines"},
		"AcqKnowledge with commas": {biopac + "sec,CH1,CH2,\n,40,40,\n" + rows(500, ",", ","),
			[]string{"ECG", "RSP, X"}, 500, "first 9 lines"},
		"LabChart": {"Interval=\t0.002 s\nChannelTitle=\tECG\tPulse\nRange=\t1 V\t2 V\n" +
			strings.Replace(rows(500, "\t", ""), "\t8\n", "\t8\t#* a comment\n", 1),
			[]string{"ECG", "Pulse"}, 500, "first 3 lines are those of LabChart"},
		"LabVIEW": {"LabVIEW Measurement\t\nSeparator\tTab\n***End_of_Header***\t\nChannels\t2\t\n" +
			"Delta_X\t0.002\t0.002\n***End_of_Header***\t\nX_Value\tA\tB\tComment\n" + rows(500, "\t", ""),
			[]string{"A", "B"}, 500, "first 7 lines are those of LabVIEW"},
		"LabVIEW without times": {"LabVIEW Measurement\t\nSeparator\tTab\n***End_of_Header***\t\nChannels\t2\t\n" +
			"Delta_X\t0.002\t0.002\n***End_of_Header***\t\nX_Value\tA\tB\tComment\n\t" +
			strings.TrimSuffix(strings.ReplaceAll(rows(0, "\t", ""), "\n", "\n\t"), "\t"),
			[]string{"A", "B"}, 500, `"X_Value" is empty`},
		"OpenSignals": {"# OpenSignals Text File Format\n# {\"98:D3\": {\"column\": [\"A1\", \"A2\"], " +
			"\"sampling rate\": 1000}}\n# EndOfHeader\n" + rows(0, "\t", "\t"), []string{"A1", "A2"}, 1000,
			"first 3 lines are those of OpenSignals"},
		"Rigol": {"X,CH1,CH2,Start,Increment,\nSequence,Volt,Volt,-4.0e+00,2.0e-03\n" + rows(1, ",", ",,"),
			[]string{"CH1", "CH2"}, 500, "first 2 lines are those of Rigol"},
		"LabChart with dates": {"Interval=\t0.002 s\nChannelTitle=\tECG\tPulse\n" + behind("\t", func(k int) string {
			return fmt.Sprintf("10:00:00.%03d\t5/2/2024\t", 2*k)
		}), []string{"ECG", "Pulse"}, 500, `"date" is text`},
		"Campbell Scientific": {"\"TOA5\",\"CR1000\",\"x\"\n\"TIMESTAMP\",\"RECORD\",\"Ux\",\"Uy\"\n" +
			"\"TS\",\"RN\",\"m/s\",\"m/s\"\n\"\",\"\",\"Smp\",\"Smp\"\n" + behind(",", func(k int) string {
			return fmt.Sprintf("\"2024-05-02 10:00:%02d\",%d,", k, k)
		}), []string{"Ux", "Uy"}, 1, "first 4 lines are those of Campbell Scientific"},
		"ARFF": {"% by hand\n@RELATION 'a b'\n\n@attribute 'Fp 1' NUMERIC\n@ATTRIBUTE Cz real\n" +
			"@attribute eyes {0,1}\n\n@data\n" + rows(0, ",", ",0"), []string{"Fp 1", "Cz"}, 0, `"eyes" is text`},
		"Vicon": {"Devices\n1000\n,,EMG,\nFrame,Sub Frame,Left,Right\n,,V,V\n" + behind(",", func(k int) string {
			return fmt.Sprintf("%d,%d,", k/10, k%10)
		}), []string{"Left", "Right"}, 0, "first 3 lines are no part"},
		"SignalExpress": {"channel names:\nai0\tai1\nstart times:\n5/2/2024\t5/2/2024\ndt:\n" +
			"0.002\t0.002\ndata:\n" + rows(0, "\t", ""), []string{"ai0", "ai1"}, 500,
			"first 7 lines are those of SignalExpress"},
		"Emotiv": {"title:rec,recorded:2024,sampling:128,subject:x,labels:AF3 F7\n" + rows(0, ",", ""),
			[]string{"AF3", "F7"}, 128, "the first line is that of Emotiv"},
		"Empatica": {"1712000000.00, 1712000000.00\n32.00, 32.00\n" + rows(0, ",", ""), nil, 32,
			"first 2 lines are those of Empatica"},
		"PhysioNet": {"'Elapsed time','I','V1'\n'hh:mm:ss.mmm','mV','mV'\n" + "'0:00.000',1,2\n'0:00.002',3,1\n" +
			"'0:00.004',2,7\n", []string{"I", "V1"}, 500, "units"},
		"Kistler": {"BioWare 5\nRate (Hz):\t500\n\nabs time (s)\tFx\tFy\ns\tN\tN\n" + rows(500, "\t", ""),
			[]string{"Fx", "Fy"}, 500, "second row has units"},
		"messages": {"Starting...\nSensor is ready now\n" + rows(0, " ", ""), nil, 0, "first 2 lines are no part"},
		"a title":  {"made by hand\nt,a,b\n" + rows(500, ",", ""), []string{"a", "b"}, 500, "first line is no part"},
	} {
		r, err := formatOf(".csv").read(strings.NewReader(c.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, n := r.Signals.Dims()
		if d != 2 || n != 40 && name != "PhysioNet" || !slices.Equal(r.Names, c.names) ||
			math.Abs(r.Rate-c.rate) > 1e-6 {
			t.Errorf("%s: %d signals %q at %d positions of %g Hz, want 2, %q, 40, %g", name, d, r.Names, n,
				r.Rate, c.names, c.rate)
		}
		if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

// Dates and times are read in the layouts of recorders, and with others in a row aren't those of a
// table in long form.
func TestDateTimes(t *testing.T) {
	for _, layout := range []string{
		"10:00:%02d:%03d", "[10:00:%02d.%03d 02/05/2024]", "5/2/24 10:00:%02d.%03d AM",
		"2024-05-02T10:00:%02d.%03d+02:00",
	} {
		var text strings.Builder
		for k := range 1000 {
			fmt.Fprintf(&text, layout+",%d,%g\n", k/250, k%250*4, k%250, math.Sin(float64(k*k)))
		}
		r, err := formatOf(".csv").read(strings.NewReader("at,count,a\n" + text.String()))
		if err != nil {
			t.Errorf("%s: %v", layout, err)
			continue
		}
		if !slices.Equal(r.Names, []string{"a"}) || r.Rate != 250 {
			t.Errorf("%s: signals %q at %g Hz", layout, r.Names, r.Rate)
		}
	}
	epochs := "time,condition,a,b\n" // as MNE-Python's to_data_frame writes them
	for k := range 400 {
		epochs += fmt.Sprintf("%g,%s,%g,%g\n", float64(k%100)/250-0.2, []string{"x", "y"}[k/100%2],
			math.Sin(float64(k*k)), math.Cos(float64(k*k)))
	}
	e, err := formatOf(".csv").read(strings.NewReader(epochs))
	if err != nil || !slices.Equal(e.Names, []string{"a", "b"}) || e.Rate != 250 {
		t.Errorf("of epochs with conditions: %+v, %v", e, err)
	}
	var text strings.Builder // the times are whole seconds
	for k := range 1000 {
		fmt.Fprintf(&text, "10:00:%02d,%d,%g\n", k/250, k%250, math.Sin(float64(k*k)))
	}
	r, err := formatOf(".csv").read(strings.NewReader("at,count,a\n" + text.String()))
	if err != nil || !slices.Equal(r.Names, []string{"a"}) || r.Rate != 250 {
		t.Errorf("of whole seconds: %+v, %v", r, err)
	}
	saw := "sine,saw\n" // a sawtooth isn't times that start anew
	for k := range 400 {
		saw += fmt.Sprintf("%.6f,%.6f\n", math.Sin(float64(k)), math.Mod(float64(k)*0.01, 2)-1)
	}
	w, err := formatOf(".csv").read(strings.NewReader(saw))
	if err != nil || !slices.Equal(w.Names, []string{"sine", "saw"}) {
		t.Errorf("of a sawtooth: %+v, %v", w, err)
	}
}

// A column of numbers that lacks some can be left out by name; it is kept as text.
func TestLackingColumn(t *testing.T) {
	const text = "HR,power,speed\n1,7,2\n2,,5\n4,,1\n5,,3\n"
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecording(path); err == nil || !strings.Contains(err.Error(), `by column (ReadOptions.Without "power")`) {
		t.Errorf("a cell is empty: %v", err)
	}
	for _, o := range []ReadOptions{{Without: []string{"power"}}, {Signals: []string{"HR", "speed"}}} {
		r, err := o.Recording(path)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		if !slices.Equal(r.Names, []string{"HR", "speed"}) || len(r.Aside) != 1 || r.Aside[0].Text[0] != "7" {
			t.Errorf("%+v: %q, aside %+v", o, r.Names, r.Aside)
		}
		if s, err := o.Stream(path); err != nil || !slices.Equal(s.About().Names, r.Names) {
			t.Errorf("%+v in blocks: %v", o, err)
		}
	}
}

// Times that drift a little are set aside, and give the rate.
func TestDriftingTimes(t *testing.T) {
	var text strings.Builder
	text.WriteString("time,a,b\n")
	time := 0.0
	for k := range 2000 {
		fmt.Fprintf(&text, "%.6f,%d,%d\n", time, k*k%17, k*k%13)
		time += 0.01
		if k < 1000 {
			time += 0.0001
		}
	}
	r, err := formatOf(".csv").read(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Rate-99.5) > 0.1 || len(r.Aside) != 1 || r.Aside[0].Values[1] != 0.0101 ||
		!strings.Contains(strings.Join(r.Notes, " "), "drift") {
		t.Errorf("%g Hz, aside %q, notes %q", r.Rate, r.Aside[0].Name, r.Notes)
	}
	path := filepath.Join(t.TempDir(), "again.csv")
	if err := WriteRecording(path, r); err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(written), "time,a,b\n0,0,0\n0.0101,1,1\n") {
		t.Errorf("written as %.40q (%v)", written, err)
	}
}

// Times in whole seconds are set aside, and give the rate between their changes.
func TestCoarseTimes(t *testing.T) {
	var text strings.Builder
	text.WriteString("time,a,b\n")
	for k := range 1000 {
		fmt.Fprintf(&text, "2025-01-01 10:00:%02d,%d,%d\n", (k+30)/200, k*k%17, k*k%13)
	}
	r, err := formatOf(".csv").read(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if r.Rate != 200 || len(r.Aside) != 1 || !strings.Contains(strings.Join(r.Notes, " "), "are rounded") {
		t.Errorf("%g Hz, %d columns set aside, notes %q", r.Rate, len(r.Aside), r.Notes)
	}
}

// Times without a unit that give less than 1 Hz are noted.
func TestTimesWithoutUnit(t *testing.T) {
	for header, noted := range map[string]bool{"Time,a": true, "Time (s),a": false, "time_ms,a": false} {
		r, err := formatOf(".csv").read(strings.NewReader(header + "\n0,1\n4,3\n8,2\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.UnitNote, "a rate of 0.25 Hz"); got != noted ||
			slices.Contains(r.Notes, r.UnitNote) != noted {
			t.Errorf("%s: note %q of %q", header, r.UnitNote, r.Notes)
		}
	}
}

// A channel that begins with words is an error, or the words are filled in, unless it is left out or
// most of it is words.
func TestChannelThatBeginsWithWords(t *testing.T) {
	for _, word := range []string{"off", "---", ""} {
		var text, short strings.Builder
		text.WriteString("a,b,trigger,note\n")
		for k := range 1000 {
			b := fmt.Sprint(math.Sin(float64(k)))
			if k < 300 {
				b = word
			}
			row := fmt.Sprintf("%d,%s,%s,%s\n", k*k%17, b, b, "rest")
			text.WriteString(row)
			if k < 500 {
				short.WriteString(strings.ReplaceAll(row, "-", "")) // mostly words
			}
		}
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadRecording(path)
		_, err2 := OpenStream(path)
		want := fmt.Sprintf(`"b" has no number in 300 of 1000 rows, first in line 2 (%q)`, word)
		for _, err := range []error{err, err2} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("by default: %v, want %q", err, want)
			}
		}
		r, err := ReadOptions{Missing: MissingInterpolate, Without: []string{"trigger"}}.Recording(path)
		if err != nil {
			t.Fatal(err)
		}
		if d, n := r.Signals.Dims(); d != 2 || n != 1000 || !slices.Equal(r.Interpolated, []Stretch{{0, 300}}) {
			t.Errorf("%q: %d signals at %d positions, %v interpolated, %q", word, d, n, r.Interpolated, r.Notes)
		}
		r, err = ReadOptions{Without: []string{"b"}}.Recording(path)
		if err != nil || len(r.Names) != 1 {
			t.Errorf("without the column: %v, %v", r, err)
		}
		if r, err := formatOf(".csv").read(strings.NewReader(short.String())); err != nil || r.Signals.RawMatrix().Rows != 1 {
			t.Errorf("mostly words: %v, %v", r, err)
		}
	}
}

// Numbers that stand for missing values are an error, or filled in.
func TestMissingCodes(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,far\n")
	for k := range 50 {
		b, far := math.Sin(float64(k)), float64(k*k%7)
		if k == 3 || k == 30 {
			b, far = -9999, -9000
		}
		fmt.Fprintf(&text, "%d,%g,%g\n", k*k%17, b, far)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadRecording(path)
	_, err2 := OpenStream(path)
	for _, err := range []error{err, err2} {
		if err == nil || !strings.Contains(err.Error(), `"b" is -9999 at 2 positions, far from its other values`) {
			t.Errorf("by default: %v", err)
		}
	}
	r, err := ReadOptions{Missing: MissingInterpolate}.Recording(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := (math.Sin(2) + math.Sin(4)) / 2; math.Abs(r.Signals.At(1, 3)-want) > 1e-6 || r.Signals.At(2, 3) != -9000 {
		t.Errorf("interpolated to %g, want %g", r.Signals.At(1, 3), want)
	}
	if want := []Stretch{{3, 4}, {30, 31}}; !slices.Equal(r.Interpolated, want) {
		t.Errorf("interpolated %v, want %v", r.Interpolated, want)
	}
	if r, err := (ReadOptions{Missing: MissingInterpolate, Without: []string{"b"}}).Recording(path); err != nil ||
		r.Interpolated != nil {
		t.Errorf("without the column %v are interpolated (%v)", r.Interpolated, err)
	}
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := WriteFile(other, mat.NewDense(3, 50, slices.Repeat([]float64{1, 7, 2}, 50))); err != nil {
		t.Fatal(err)
	}
	both, err := ReadOptions{Missing: MissingInterpolate}.Recordings(path, other)
	if err != nil || !slices.Equal(both.Interpolated, r.Interpolated) || both.Joints != nil {
		t.Errorf("of two files %v are interpolated (%v)", both, err)
	}
	if r, err := (ReadOptions{Missing: MissingDrop}).Recording(path); err != nil || r.Signals.RawMatrix().Cols != 48 {
		t.Errorf("dropped: %v", err)
	}
	if r, err := (ReadOptions{Without: []string{"b"}}).Recording(path); err != nil || len(r.Names) != 2 {
		t.Errorf("without the column: %v", err)
	}
}

// Points between the thousands of whole numbers are told from decimal points by the column.
func TestWholeThousands(t *testing.T) {
	var whole, fractions strings.Builder
	for k := range 60 {
		fmt.Fprintf(&whole, "%d.%03d;%d\n%d;%d\n", 1+k%9, k*k%1000, k, k*7%1000, k)
		fmt.Fprintf(&fractions, "%d.%03d;%d\n", 1+k%9, k*k%1000, k%13)
	}
	r, err := formatOf(".csv").read(strings.NewReader(whole.String()))
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Signals.At(0, 2); v != 2001 || !strings.Contains(r.Notes[0], "between thousands") {
		t.Errorf("2.001 of whole numbers is %g, notes %q", v, r.Notes)
	}
	if r, err = formatOf(".csv").read(strings.NewReader(fractions.String())); err != nil {
		t.Fatal(err)
	}
	if v := r.Signals.At(0, 1); v != 2.001 {
		t.Errorf("2.001 of fractions is %g", v)
	}
}

// A column of times that isn't the first one gives the rate.
func TestTimesInBetween(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,time (ms),b\n")
	for k := range 100 {
		fmt.Fprintf(&text, "%d,%g,%d\n", k*k%17, 2.5*float64(k), k*k%13)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, s := readBothWays(t, path)
	if about := s.About(); r.Rate != 400 || about.Rate != 400 || !slices.Equal(about.Notes, r.Notes) ||
		!strings.Contains(strings.Join(r.Notes, "; "), `"time (ms)" gives the rate, 400 Hz`) {
		t.Errorf("%g Hz, %g in blocks, notes %q and %q", r.Rate, about.Rate, r.Notes, about.Notes)
	}
}

// A gap of the times is at its line of the file, also below lines that are no part of the table.
func TestLineOfGap(t *testing.T) {
	const rows = "0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n90,7\n"
	for before, want := range map[string]string{
		"t,a\n":                       "line 8: the times have a gap",
		"# by hand\n# in 2024\nt,a\n": "line 10: the times have a gap",
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		put(t, path, []byte(before+rows))
		_, err := ReadFile(path)
		_, streamErr := OpenStream(path)
		for _, err := range []error{err, streamErr} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// A header that would be read as a comment is an error, and others with such signs are read back.
func TestHeaderLikeComment(t *testing.T) {
	z := mat.NewDense(2, 4, []float64{1.5, 2, 4, 3, 7, 5, 5.5, 9})
	path := filepath.Join(t.TempDir(), "z.csv")
	for _, name := range []string{"#p", "%p", "//p"} {
		err := WriteRecording(path, &Recording{Signals: z, Names: []string{name, "b"}})
		if err == nil || !strings.Contains(err.Error(), "would be a comment") {
			t.Errorf("%q: %v, want an error", name, err)
		}
		names := []string{"b", name}
		if err := WriteRecording(path, &Recording{Signals: z, Names: names}); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRecording(path); err != nil || !slices.Equal(r.Names, names) {
			t.Errorf("%q: %v, %v", names, r, err)
		}
	}
}
