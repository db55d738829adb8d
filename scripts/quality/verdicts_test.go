package main

import (
	"bytes"
	_ "embed"
	"strings"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/jsonl"
	"github.com/seed-47b1e431/gosica/sica/report"
)

//go:embed verdicts.jsonl
var committedVerdicts []byte

func TestVerdictTable(t *testing.T) {
	of := func(problem string, mcc float64, v report.Verdict) judgedRun {
		return judgedRun{Problem: problem, Fit: "Default", MCC: mcc, RankMCC: mcc, Verdict: v}
	}
	var out bytes.Buffer
	if err := writeVerdicts(&out, []judgedRun{
		of("a", 0.99, report.Separated), of("a", 0.951, report.Separated), of("a", 0.92, report.NotIdentifiable), of("b", 0.3, report.NoEvidence),
	}); err != nil {
		t.Fatal(err)
	}
	const want = `| verdict | MCC ≥ .95 | .90 ≤ MCC < .95 | MCC < .90 | of these, by ranks too |
| --- | ---: | ---: | ---: | ---: |
| separated | 2 | 0 | 0 | 0 |
| not identifiable | 0 | 1 | 0 | 0 |
| no evidence | 0 | 0 | 1 | 1 |

| mixture | fit | separated | not identifiable | no evidence |
| --- | --- | --- | --- | --- |
| a | Default | 2 (0.951–0.990) | 1 (0.920) |  |
| b | Default |  |  | 1 (0.300) |
`
	if out.String() != want {
		t.Errorf("table\n%s\nwant\n%s", out.String(), want)
	}
}

// In the committed runs "separated" was never said of a linear mixture that isn't,
// and seldom of a nonlinear one, but where each signal is distorted by itself,
// which its ranks don't show.
func TestCommittedVerdicts(t *testing.T) {
	judged, err := jsonl.Decode[judgedRun](bytes.NewReader(committedVerdicts), nil)
	if err != nil {
		t.Fatal(err)
	}
	separated, wrong := 0, 0
	for _, j := range judged {
		if j.Verdict != report.Separated {
			continue
		}
		separated++
		linear := strings.Contains(j.Problem, "random A") || strings.Contains(j.Problem, "linear") || strings.Contains(j.Problem, "heart")
		if linear && j.MCC < 0.9 {
			t.Errorf("%s, %s, seed %d: separated with an MCC of %.3f", j.Problem, j.Fit, j.Seed, j.MCC)
		}
		if j.MCC < 0.9 && j.RankMCC < 0.9 {
			wrong++
		}
	}
	if len(judged) < 60 || separated < 15 || wrong > separated/20 {
		t.Errorf("of %d runs %d are called separated, %d of them wrongly", len(judged), separated, wrong)
	}
}
