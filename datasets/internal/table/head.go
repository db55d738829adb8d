package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A head is the content of the lines before the rows of numbers in a text file of a recorder's
// program.
type head struct {
	lines   int      // how many there are
	program string   // that writes such files
	names   []string // of the columns; nil for none
	text    []int    // columns of text, whatever they hold
	rate    float64  // positions a second; 0 for none
	block   string   // how a line begins with which another recording begins; "" for none
	note    string   // what of the head isn't used, and why; "" for none
}

// headParsers return the head of a program's files, nil if lines don't begin with one.
var headParsers = []func(lines []string) *head{biopacHead, labChartHead, labViewHead, empaticaHead,
	emotivHead, openSignalsHead, rigolHead, signalExpressHead, campbellHead, arffHead}

// findHead returns the head that lines begin with, nil for none.
func findHead(lines []string) *head {
	for _, parse := range headParsers {
		if h := parse(lines); h != nil && h.lines < len(lines) && signal.Finite(h.rate) {
			return h
		}
	}
	return nil
}

// stepRate returns the rate of positions whose step in time is a number, with a decimal point or
// comma, of a unit. It is 0 if the step isn't positive.
func stepRate(step, unit string) float64 {
	number, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(step), ",", "."), 64)
	seconds := number * column.Seconds(unit)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return column.RoundRate(1 / seconds)
}

// biopacSample is the second line of a text file of AcqKnowledge, and biopacChannels its third.
var (
	biopacSample   = regexp.MustCompile(`^\s*([0-9.,]+)\s*([a-zA-Zµ]+)/sample\s*$`)
	biopacChannels = regexp.MustCompile(`^\s*([0-9]+) channels\s*$`)
)

// biopacHead is that of AcqKnowledge of BIOPAC: the file's name, the time of a sample, the number
// of channels, a name and a unit of each, a row of short names, perhaps with a unit of time before
// them, and a row of numbers of samples.
func biopacHead(lines []string) *head {
	if len(lines) < 5 {
		return nil
	}
	sample, channels := biopacSample.FindStringSubmatch(lines[1]),
		biopacChannels.FindStringSubmatch(lines[2])
	if sample == nil || channels == nil {
		return nil
	}
	rate := stepRate(sample[1], strings.ToLower(sample[2]))
	d, err := strconv.Atoi(channels[1])
	if rate == 0 || err != nil || d < 1 || d > len(lines) || len(lines) < 3+2*d+2 {
		return nil
	}
	h := &head{lines: 3 + 2*d, program: "AcqKnowledge", rate: rate}
	for i := range d {
		h.names = append(h.names, strings.TrimSpace(lines[3+2*i]))
	}
	cells := strings.FieldsFunc(lines[h.lines], isSeparator)
	switch {
	case len(cells) == d && strings.HasPrefix(cells[0], "CH"):
	case len(cells) == d+1 && column.Seconds(strings.ToLower(cells[0])) != 0:
		h.names = append([]string{"time (" + strings.ToLower(cells[0]) + ")"}, h.names...)
	default:
		return h // no short names
	}
	h.lines++
	counts := strings.FieldsFunc(lines[h.lines], isSeparator)
	if len(counts) == d && len(slices.Compact(counts)) == 1 {
		h.lines++ // of samples of each channel
	}
	return h
}

// isSeparator reports whether a character is between the cells of a file of AcqKnowledge.
func isSeparator(c rune) bool { return strings.ContainsRune("\t,;\r ", c) }

// labChartHead is that of LabChart of ADInstruments: lines of a word, =, and cells with tabs
// between. Its rows begin with a time, and perhaps a date.
func labChartHead(lines []string) *head {
	if !strings.HasPrefix(lines[0], "Interval=") {
		return nil
	}
	h := &head{program: "LabChart", block: "Interval="}
	if words := strings.Fields(strings.TrimPrefix(lines[0], "Interval=")); len(words) == 2 {
		h.rate = stepRate(words[0], words[1])
	}
	for ; h.lines < len(lines); h.lines++ {
		key, cells, ok := strings.Cut(lines[h.lines], "=")
		if !ok || strings.ContainsAny(key, "\t ") {
			break
		}
		if key == "ChannelTitle" {
			h.names = append([]string{"time"}, strings.Split(strings.Trim(cells, "\t "), "\t")...)
		}
	}
	if h.lines < len(lines) && len(h.names) > 0 {
		row := strings.Split(strings.TrimSpace(lines[h.lines]), "\t")
		if len(row) == len(h.names)+1 && strings.ContainsAny(row[1], "/.-") && !strings.HasPrefix(
			row[len(row)-1], labChartComment) {
			h.names = slices.Insert(h.names, 1, "date")
		}
	}
	return h
}

// labViewHead is that of a measurement file of LabVIEW: two parts, each with a line that ends it,
// and a row of names.
func labViewHead(lines []string) *head {
	if !strings.HasPrefix(lines[0], "LabVIEW Measurement") {
		return nil
	}
	h := &head{program: "LabVIEW"}
	for parts := 0; h.lines < len(lines) && parts < 2; h.lines++ {
		switch key, cells, _ := strings.Cut(lines[h.lines], "\t"); key {
		case "***End_of_Header***":
			parts++
		case "Delta_X":
			if words := strings.Fields(cells); words != nil {
				h.rate = stepRate(words[0], "s")
			}
		}
	}
	if h.lines == len(lines) {
		return nil
	}
	h.names = strings.Split(strings.TrimRight(lines[h.lines], "\t "), "\t")
	if last := len(h.names) - 1; h.names[last] == "Comment" {
		h.names = h.names[:last]
	}
	h.lines++
	if len(h.names) > 0 && h.names[0] == "X_Value" && h.lines < len(lines) &&
		!strings.HasPrefix(lines[h.lines], "\t") { // else the column is empty
		h.names[0] = "time"
	}
	return h
}

// empaticaHead is that of Empatica's wristbands: a row with the time of the first position in
// seconds since 1970, and a row with the rate, in each column.
func empaticaHead(lines []string) *head {
	if len(lines) < 4 {
		return nil
	}
	start, ok := sameNumber(lines[0], ",")
	rate, ok2 := sameNumber(lines[1], ",")
	cells := strings.Count(lines[0], ",")
	if !ok || !ok2 || start < 1e9 || start > 1e10 || rate <= 0 || rate > 4096 ||
		strings.Count(lines[1], ",") != cells || strings.Count(lines[2], ",") != cells {
		return nil
	}
	return &head{lines: 2, program: "Empatica", rate: rate}
}

// emotivHead is that of Emotiv's TestBench: one row of cells such as title:rec and sampling:128, of
// which labels: has the names of the columns with spaces between.
func emotivHead(lines []string) *head {
	if !strings.HasPrefix(lines[0], "title:") {
		return nil
	}
	h := &head{lines: 1, program: "Emotiv"}
	for cell := range strings.SplitSeq(lines[0], ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(cell), ":")
		switch strings.TrimSpace(key) {
		case "sampling":
			rate, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err == nil && rate > 0 {
				h.rate = rate
			}
		case "labels":
			h.names = strings.Fields(value)
		}
	}
	if h.names == nil {
		return nil
	}
	return h
}

// openSignalsHead is that of OpenSignals of biosignalsplux and BITalino: comments, of which one is
// JSON with the rate and the names of the columns of each device. Of several devices there are no
// names, and no rate if theirs differ.
func openSignalsHead(lines []string) *head {
	if !strings.HasPrefix(lines[0], "# OpenSignals") || len(lines) < 2 {
		return nil
	}
	var devices map[string]struct {
		Column []string `json:"column"`
		Rate   float64  `json:"sampling rate"`
	}
	text := strings.TrimSpace(strings.TrimPrefix(lines[1], "#"))
	if json.Unmarshal([]byte(text), &devices) != nil {
		return nil
	}
	h := &head{program: "OpenSignals"}
	for h.lines < len(lines) && strings.HasPrefix(lines[h.lines], "#") {
		h.lines++
	}
	var rates []float64
	for _, device := range devices {
		rates = append(rates, max(device.Rate, 0))
		if len(devices) == 1 && len(device.Column) > 0 {
			h.names = device.Column
		}
	}
	slices.Sort(rates)
	switch rates = slices.Compact(rates); {
	case len(rates) == 1:
		h.rate = rates[0]
	case len(rates) > 1:
		h.note = fmt.Sprintf("the devices of OpenSignals have several rates, %v Hz: none was taken",
			rates)
	}
	return h
}

// rigolHead is that of oscilloscopes of Rigol: a row of names, and one of units with the first time
// and the step in place of a unit.
func rigolHead(lines []string) *head {
	if len(lines) < 3 {
		return nil
	}
	names, units := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
	at := slices.Index(names, "Increment")
	if names[0] != "X" || at < 2 || at >= len(units) {
		return nil
	}
	rate := stepRate(units[at], "s")
	if rate == 0 {
		return nil
	}
	return &head{lines: 2, program: "Rigol", rate: rate, names: names[:at+1]}
}

// signalExpressHead is that of SignalExpress: lines with a word and a colon, each above a row with
// a cell for each channel.
func signalExpressHead(lines []string) *head {
	if !strings.HasPrefix(lines[0], "channel names:") || len(lines) < 2 {
		return nil
	}
	h := &head{program: "SignalExpress", names: strings.Split(
		strings.Trim(lines[1], "\t "), "\t")}
	for h.lines < len(lines) {
		title := lines[h.lines]
		if h.lines++; strings.HasPrefix(title, "data:") {
			return h
		}
		if strings.HasPrefix(title, "dt:") && h.lines < len(lines) {
			if step, ok := sameNumber(strings.TrimSpace(lines[h.lines]), "\t"); ok && step > 0 {
				h.rate = column.RoundRate(1 / step)
			}
		}
	}
	return nil
}

// campbellHead is that of Campbell Scientific's loggers, TOA5: four rows, of which the second has
// the names and the third the units.
func campbellHead(lines []string) *head {
	if !strings.HasPrefix(strings.Trim(lines[0], `"`), "TOA5") || len(lines) < 5 {
		return nil
	}
	names, err := csv.NewReader(strings.NewReader(lines[1])).Read()
	if err != nil {
		return nil
	}
	return &head{lines: 4, program: "Campbell Scientific", names: names}
}

// arffAttribute is a line that names a column of an ARFF file.
var arffAttribute = regexp.MustCompile(`(?i)^@attribute\s+('[^']*'|"[^"]*"|\S+)\s*(\S*)`)

// arffHead is that of ARFF, the format of Weka: a line for each column, up to one that says @data.
// A column of a few names has them in braces.
func arffHead(lines []string) *head {
	h := &head{program: "ARFF"}
	for ; h.lines < len(lines); h.lines++ {
		line := strings.TrimSpace(lines[h.lines])
		if attribute := arffAttribute.FindStringSubmatch(line); attribute != nil {
			if strings.HasPrefix(attribute[2], "{") {
				h.text = append(h.text, len(h.names))
			}
			h.names = append(h.names, strings.Trim(attribute[1], `'"`))
			continue
		}
		switch {
		case strings.EqualFold(line, "@data"):
			h.lines++
			return h
		case line == "" || line[0] == '%' || strings.HasPrefix(strings.ToLower(line), "@relation"):
		default:
			return nil
		}
	}
	return nil
}

// sameNumber returns the number that each cell of a line has, with separators between them.
func sameNumber(line, separator string) (float64, bool) {
	cells := strings.Split(line, separator)
	first, err := strconv.ParseFloat(strings.TrimSpace(cells[0]), 64)
	if err != nil {
		return 0, false
	}
	for _, cell := range cells {
		if v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil || v != first {
			return 0, false
		}
	}
	return first, true
}
