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

// Variable is the environment variable with the rules that are off at first, with commas between.
const Variable = "SICA_WITHOUT"

// A Rule can be off.
type Rule struct {
	Name  string
	About string // what is turned off
}

// Rules are all rules.
var Rules = []Rule{
	{"addnoisy", "descents with noise in the channels"},
	{"clearlyshorter", "a demixing is kept because its code is clearly shorter than whitening's"},
	{"coarserdescents", "descents at coarser time scales"},
	{"corrected", "demixings corrected for the noise of the channels"},
	{"dependent", "no signal is identified if all are dependent"},
	{"doubtful", "groups of signals that depend on each other"},
	{"correlated", "groups of signals of a sequence that correlate"},
	{"drift", "expected error of a mixing that changes"},
	{"hideable", "doubt of signals that noise could hide without a trace"},
	{"mindep", "the demixing with the least dependence, if the best is doubtful"},
	{"mostnoise", "the descent with nearly the most noise that there can be"},
	{"nearlyasgood", "doubt of signals that differ in a demixing that is nearly as good"},
	{"noiseless", "the search with noise in the channels"},
	{"noiselike", "doubt of signals that are like noise"},
	{"nonlinearnull", "evidence against nonlinear mixtures in the judgement of a demixing"},
	{"occupied", "low-passing of mixtures that occupy a part of the band"},
	{"passband", "the search for noise within the pass band of filtered recordings"},
	{"resolution", "separation at a coarse resolution"},
	{"settled", "the search ends early where the noiseless demixing is settled"},
	{"surplus", "evidence of more sources than channels"},
}

var disabled = map[string]bool{}

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

// numbers are the values that decisions depend on, and what they are by themselves.
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

// Off reports whether a rule is off. It panics on a name that Rules lacks.
func Off(rule string) bool {
	if err := check(rule); err != nil {
		panic(err)
	}
	return disabled[rule]
}

// Set turns these rules off and all others on, those of the environment, too. A number, as in
// "rejection*2", is multiplied; all others are as by themselves. It is an error if Rules lacks one, or
// there is no such number; then nothing changes. It must not run during a separation.
func Set(rules ...string) error {
	next, factors := make(map[string]bool), make(map[string]float64)
	for _, rule := range rules {
		name, times, isNumber := strings.Cut(rule, "*")
		if !isNumber {
			if err := check(rule); err != nil {
				return err
			}
			next[rule] = true
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

func check(rule string) error {
	if !slices.ContainsFunc(Rules, func(r Rule) bool { return r.Name == rule }) {
		return fmt.Errorf("ablation: rule: unknown name (%q); must be one of ablation.Rules", rule)
	}
	return nil
}
