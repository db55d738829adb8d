//go:build ablation

package ablation

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestSetTurnsOffAndOn(t *testing.T) {
	t.Cleanup(func() { disabled = [len(names)]bool{} })
	if err := Set("mindep", "mostnoise"); err != nil || !Off(MinDep) || !Off(MostNoise) || Off(Drift) {
		t.Errorf("error %v; off: %v", err, disabled)
	}
	if err := Set(); err != nil || Off(MinDep) {
		t.Errorf("error %v; off: %v", err, disabled)
	}
}

// A number is multiplied until the next Set, and an unknown one is an error that changes nothing.
func TestSetMultiplies(t *testing.T) {
	x := 3.
	Register(map[string]*float64{"x": &x})
	t.Cleanup(func() { delete(numbers, "x") })
	if err := Set("x*0.5"); err != nil || x != 1.5 {
		t.Errorf("%g, error %v", x, err)
	}
	if err := Set("x*2"); err != nil || x != 6 {
		t.Errorf("%g, error %v; want twice of the number itself", x, err)
	}
	for _, rule := range []string{"y*2", "x*much"} {
		if err := Set(rule); err == nil || x != 6 {
			t.Errorf("%s: %g, error %v", rule, x, err)
		}
	}
	if err := Set(); err != nil || x != 3 {
		t.Errorf("%g, error %v", x, err)
	}
}

// An unknown name is an error, of the environment a panic, and changes nothing.
func TestUnknownRule(t *testing.T) {
	if os.Getenv(Variable) != "" {
		return // the other process below has panicked before
	}
	t.Cleanup(func() { disabled = [len(names)]bool{} })
	if err := Set("mindep"); err != nil {
		t.Fatal(err)
	}
	if err := Set("mostnoise", "magic"); err == nil || !Off(MinDep) {
		t.Errorf("error %v; off: %v", err, disabled)
	}
	for rules, fails := range map[string]bool{"mindep,mostnoise": false, "mindep,magic": true} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestUnknownRule$")
		cmd.Env = append(os.Environ(), Variable+"="+rules)
		out, err := cmd.CombinedOutput()
		if (err != nil) != fails || strings.Contains(string(out), "panic") != fails {
			t.Errorf("%s: error %v\n%s", rules, err, out)
		}
	}
}

// The code asks for each rule, whose name is that of the constant.
func TestRulesAreAskedFor(t *testing.T) {
	files, err := filepath.Glob("../../sica/linear/*.go")
	if err != nil {
		t.Fatal(err)
	}
	question := regexp.MustCompile(`ablation\.Off\(ablation\.(\w+)\)`)
	asked := make(map[string]bool)
	for _, name := range files {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range question.FindAllSubmatch(code, -1) {
			asked[strings.ToLower(string(match[1]))] = true
		}
	}
	for _, rule := range names {
		if !asked[rule] {
			t.Errorf("nothing asks for %s", rule)
		}
		delete(asked, rule)
	}
	for rule := range asked {
		t.Errorf("names lacks %s", rule)
	}
}
