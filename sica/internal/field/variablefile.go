package field

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// WriteVariables writes the values of variables one after another, as float64,
// little end first.
func WriteVariables(path string, variables []Variable) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		for _, v := range variables {
			if err := binary.Write(w, binary.LittleEndian, v.Values); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReadVariables reads what WriteVariables wrote for variables like the given
// ones.
func ReadVariables(path string, like []Variable) ([]Variable, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	left := info.Size() / 8
	r := bufio.NewReader(f)
	variables := make([]Variable, len(like))
	for k, v := range like {
		n := int64(1)
		for _, dim := range v.Dims {
			if dim < 1 {
				return nil, fmt.Errorf("variable %q of dimensions %v", v.Path, v.Dims)
			}
			if int64(dim) > left/n {
				return nil, fmt.Errorf("%s is too short for variable %q", path, v.Path)
			}
			n *= int64(dim)
		}
		left -= n
		v.Values = make([]float64, n)
		if err := binary.Read(r, binary.LittleEndian, v.Values); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		variables[k] = v
	}
	if left > 0 {
		return nil, fmt.Errorf("%s is too long for its variables", path)
	}
	return variables, nil
}
