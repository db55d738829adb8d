// Package brainvision reads recordings in the BrainVision format: a header (.vhdr), the values
// (.eeg) and the markers (.vmrk), as BrainVision Recorder, MNE-Python and BIDS data sets have
// them.
//
//	f, err := brainvision.Read(os.DirFS("folder"), "recording.vhdr")
//
// Values may be 16- or 32-bit integers or 32-bit floats, position by position (multiplexed) or
// signal by signal (vectorized). Text files of values are refused.
//
// Reference: Brain Products, "BrainVision Core Data Format 1.0", 2019.
package brainvision

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/text"
)

// A File is a recording.
type File struct {
	Rate     float64 // positions a second
	Channels []Channel
	Markers  []Marker
	// Notes say what was unusual in the files.
	Notes []string
}

// A Channel is one signal.
type Channel struct {
	Name   string
	Unit   string    // "µV" if the header names none
	Values []float64 // in Unit
}

// A Marker is an event of the marker file.
type Marker struct {
	Type, Description string
	Position          int // counts from 0
	Length            int // in positions
}

// The limits of what is read, far above what recorders write.
const (
	maxChannels    = 1 << 14
	maxHeaderBytes = 4 << 20 // of a header or a marker file
	maxDataBytes   = 1 << 30
)

// Read reads the recording whose header has that name in a folder. The files of values and of
// markers are in the header's folder, with the names in the header or, if files were renamed, with
// the header's name. Without a marker file there are no markers, and a note.
//
// It is an error if the header is damaged, naming the key and what it must be.
func Read(folder fs.FS, name string) (*File, error) {
	f, err := read(folder, name)
	if err != nil {
		return nil, fmt.Errorf("brainvision: %w", err)
	}
	return f, nil
}

func read(folder fs.FS, name string) (*File, error) {
	h, err := readSections(folder, name)
	if err != nil {
		return nil, err
	}
	common := h["common infos"]
	f := &File{}
	interval, err := parseFloat(common["samplinginterval"])
	if err != nil || !(interval > 0) || math.IsInf(interval, 0) {
		return nil, fmt.Errorf("SamplingInterval is %q; must be a positive number of microseconds",
			text.Shortened(common["samplinginterval"]))
	}
	f.Rate = 1e6 / interval
	d, err := strconv.Atoi(common["numberofchannels"])
	if err != nil || d < 1 || d > maxChannels {
		return nil, fmt.Errorf("NumberOfChannels is %q; must be 1 to %d",
			text.Shortened(common["numberofchannels"]), maxChannels)
	}
	if format := common["dataformat"]; format != "" && !strings.EqualFold(format, "BINARY") {
		return nil, fmt.Errorf("DataFormat is %q; must be BINARY", text.Shortened(format))
	}
	if kind := common["datatype"]; kind != "" && !strings.EqualFold(kind, "TIMEDOMAIN") {
		return nil, fmt.Errorf("DataType is %q; must be TIMEDOMAIN", text.Shortened(kind))
	}
	scales, err := f.readChannels(h["channel infos"], d)
	if err != nil {
		return nil, err
	}
	dataName := f.findFile(folder, name, common["datafile"], ".eeg", ".dat")
	if dataName == "" {
		return nil, fmt.Errorf("the file of values %q isn't beside the header; must be there",
			text.Shortened(common["datafile"]))
	}
	vectorized := false
	switch orientation := strings.ToUpper(common["dataorientation"]); orientation {
	case "", "MULTIPLEXED":
	case "VECTORIZED":
		vectorized = true
	default:
		return nil, fmt.Errorf("DataOrientation is %q; must be MULTIPLEXED or VECTORIZED",
			text.Shortened(orientation))
	}
	data, err := readAll(folder, dataName, maxDataBytes)
	if err != nil {
		return nil, err
	}
	binaryInfos := h["binary infos"]
	var order binary.ByteOrder = binary.LittleEndian
	if strings.EqualFold(cmp.Or(binaryInfos[bigEndian], common[bigEndian]), "YES") {
		order = binary.BigEndian
	}
	err = f.decode(data, binaryInfos["binaryformat"], order, vectorized, scales)
	if err != nil {
		return nil, err
	}
	return f, f.readMarkers(folder, name, common["markerfile"])
}

// bigEndian is the key of whether the most significant byte comes first.
const bigEndian = "usebigendianorder"

// parseFloat returns a number, which may have a decimal comma.
func parseFloat(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
}

// readChannels reads the names of d channels and returns their resolutions.
func (f *File) readChannels(infos map[string]string, d int) (scales []float64, err error) {
	if len(infos) > 0 && len(infos) != d {
		return nil, fmt.Errorf("NumberOfChannels is %d, and Channel Infos has %d; must be the same",
			d, len(infos))
	}
	for i := range d {
		key := fmt.Sprintf("Ch%d", i+1)
		fields := strings.Split(infos[strings.ToLower(key)], ",")
		for len(fields) < 4 {
			fields = append(fields, "")
		}
		for k := range fields {
			fields[k] = strings.TrimSpace(strings.ReplaceAll(fields[k], `\1`, ","))
		}
		c := Channel{Name: fields[0], Unit: fields[3]}
		if c.Name == "" {
			c.Name = key
		}
		if c.Unit == "" {
			c.Unit = "µV"
		}
		scale := 1.
		if fields[2] != "" {
			scale, err = parseFloat(fields[2])
			if err != nil || scale == 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
				return nil, fmt.Errorf("the resolution of %s is %q; must be a number other than 0", key,
					text.Shortened(fields[2]))
			}
		}
		f.Channels, scales = append(f.Channels, c), append(scales, scale)
	}
	return scales, nil
}

// decode decodes the values of all channels. An incomplete last position is dropped, with a note,
// in multiplexed files, and an error in vectorized ones, where it shifts the channels.
func (f *File) decode(
	data []byte, format string, order binary.ByteOrder, vectorized bool, scales []float64,
) error {
	var size int
	var number func([]byte) float64
	switch strings.ToUpper(format) {
	case "INT_16", "":
		size, number = 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "UINT_16":
		size, number = 2, func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "INT_32":
		size, number = 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "IEEE_FLOAT_32":
		size = 4
		number = func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	default:
		return fmt.Errorf("BinaryFormat is %q; must be INT_16, UINT_16, INT_32 or IEEE_FLOAT_32",
			text.Shortened(format))
	}
	d := len(f.Channels)
	n := len(data) / (size * d)
	if n == 0 {
		return fmt.Errorf("there are %d bytes of values; must be at least %d, those of a position",
			len(data), size*d)
	}
	switch rest := len(data) % (size * d); {
	case rest != 0 && vectorized:
		return errors.New("the file of values is cut off; must have a whole number of positions")
	case rest != 0:
		f.Notes = append(f.Notes, fmt.Sprintf("the file of values is cut off: its last %d bytes "+
			"are left out", rest))
	}
	for i := range f.Channels {
		values := make([]float64, n)
		for t := range values {
			place := t*d + i
			if vectorized {
				place = i*n + t
			}
			values[t] = scales[i] * number(data[size*place:])
		}
		f.Channels[i].Values = values
	}
	return nil
}

// readMarkers reads the marker file, if there is one.
func (f *File) readMarkers(folder fs.FS, header, named string) error {
	name := f.findFile(folder, header, named, ".vmrk")
	if name == "" {
		if named != "" {
			f.Notes = append(f.Notes, "the marker file isn't beside the header: there are no markers")
		}
		return nil
	}
	sections, err := readSections(folder, name)
	if err != nil {
		return err
	}
	infos := sections["marker infos"]
	var numbers []int // some may be lacking
	for key := range infos {
		if k, err := strconv.Atoi(strings.TrimPrefix(key, "mk")); err == nil {
			numbers = append(numbers, k)
		}
	}
	slices.Sort(numbers)
	for _, k := range numbers {
		fields := strings.Split(infos[fmt.Sprintf("mk%d", k)], ",")
		if len(fields) < 3 {
			continue
		}
		position, err := strconv.Atoi(strings.TrimSpace(fields[2]))
		if err != nil {
			f.Notes = append(f.Notes, fmt.Sprintf("marker %d has no position: left out", k))
			continue
		}
		m := Marker{Position: position - 1, Length: 1}
		m.Type = strings.TrimSpace(strings.ReplaceAll(fields[0], `\1`, ","))
		m.Description = strings.TrimSpace(strings.ReplaceAll(fields[1], `\1`, ","))
		if len(fields) > 3 {
			if length, err := strconv.Atoi(strings.TrimSpace(fields[3])); err == nil {
				m.Length = length
			}
		}
		f.Markers = append(f.Markers, m)
	}
	return nil
}

// findFile returns the name of a file in the header's folder: the one that the header names or, if
// that isn't there, one with the header's name and an ending, with a note. It is empty for none.
func (f *File) findFile(folder fs.FS, header, named string, endings ...string) string {
	base := strings.TrimSuffix(path.Base(header), path.Ext(header))
	named = strings.ReplaceAll(strings.ReplaceAll(named, "$b", base), `\`, "/")
	candidates := []string{}
	if named != "" {
		candidates = append(candidates, path.Base(named))
	}
	for _, ending := range endings {
		candidates = append(candidates, base+ending)
	}
	for i, candidate := range candidates {
		name := path.Join(path.Dir(header), candidate)
		if info, err := fs.Stat(folder, name); err == nil && !info.IsDir() {
			if i > 0 && named != "" {
				f.Notes = append(f.Notes, fmt.Sprintf("the header names the file %q, which isn't "+
					"there: took %q", text.Shortened(path.Base(named)), candidate))
			}
			return name
		}
	}
	return ""
}

// readSections reads the values of a file by section and key, both in lower case, up to a section
// [Comment].
func readSections(folder fs.FS, name string) (map[string]map[string]string, error) {
	data, err := readAll(folder, name, maxHeaderBytes)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !strings.HasPrefix(strings.ToLower(text), "brain vision") &&
		!strings.HasPrefix(strings.ToLower(text), "brainvision") {
		return nil, fmt.Errorf("%s: no BrainVision file; must begin with Brain Vision",
			path.Base(name))
	}
	sections, section := map[string]map[string]string{}, map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxHeaderBytes+1)
	for lines.Scan() {
		line := strings.TrimSpace(strings.ToValidUTF8(lines.Text(), "µ")) // Latin-1's µ
		switch {
		case strings.EqualFold(line, "[Comment]"):
			return sections, nil
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = map[string]string{}
			sections[strings.ToLower(line[1:len(line)-1])] = section
		case strings.HasPrefix(line, ";"):
		default:
			if key, value, ok := strings.Cut(line, "="); ok {
				section[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
			}
		}
	}
	return sections, lines.Err()
}

// readAll reads a file of a limited length.
func readAll(folder fs.FS, name string, limit int64) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: longer than the limit of %d bytes", path.Base(name), limit)
	}
	return data, err
}
