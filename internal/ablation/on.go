//go:build ablation

package ablation

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Enabled is whether this build can turn rules off.
const Enabled = true

// Variable is the environment variable with the comma-separated rules that are off initially.
const Variable = "SICA_WITHOUT"

// names has the name of each rule, as Set takes it.
var names = [...]string{
	Drift:         "drift",
	MinDep:        "mindep",
	MostNoise:     "mostnoise",
	NearlyAsGood:  "nearlyasgood",
	NoiseLike:     "noiselike",
	NonlinearNull: "nonlinearnull",
}

var disabled [len(names)]bool

func init() {
	if rules := os.Getenv(Variable); rules != "" {
		if strings.Contains(rules, "*") {
			panic(fmt.Sprintf("%s: is %q; must be names of rules, as numbers aren't known yet", Variable, rules))
		}
		if err := Set(strings.Split(rules, ",")...); err != nil {
			panic(fmt.Sprintf("%s: %v", Variable, err))
		}
	}
}

// numbers are the numbers that decisions depend on, with their original values.
var numbers = make(map[string]number)

type number struct {
	at    *float64
	value float64
}

// Register adds numbers that Set can multiply.
func Register(all map[string]*float64) {
	for name, at := range all {
		numbers[name] = number{at, *at}
	}
}

// Numbers returns the names of all numbers, sorted.
func Numbers() []string { return slices.Sorted(maps.Keys(numbers)) }

// Off reports whether a rule is off.
func Off(rule Rule) bool { return disabled[rule] }

// Set turns the given rules off and all others on, including those of the environment. A number, as
// in "rejection*2", is multiplied; all other numbers have their original values. It is an error if
// there is no such rule or number; then nothing changes. Set must not run during a separation.
func Set(rules ...string) error {
	var next [len(names)]bool
	factors := make(map[string]float64)
	for _, rule := range rules {
		name, times, isNumber := strings.Cut(rule, "*")
		if !isNumber {
			k := slices.Index(names[:], rule)
			if k < 0 {
				return fmt.Errorf("ablation: rule: unknown name (%q); must be one of %q", rule, names)
			}
			next[k] = true
			continue
		}
		factor, err := strconv.ParseFloat(times, 64)
		if _, ok := numbers[name]; err != nil || !ok {
			return fmt.Errorf("ablation: number: unknown (%q); must be one of %q, then * and a factor",
				rule, Numbers())
		}
		factors[name] = factor
	}
	disabled = next
	for name, n := range numbers {
		*n.at = n.value
		if factor, ok := factors[name]; ok {
			*n.at *= factor
		}
	}
	return nil
}
