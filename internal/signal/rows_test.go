package signal

import "testing"

func TestRowsOfNothing(t *testing.T) {
	if rows := RowsOf(nil); rows != nil {
		t.Errorf("rows of nil are %v", rows)
	}
	if m, err := (Rows{{}}).Matrix(); err == nil {
		t.Errorf("no values are %v", m)
	}
}
