//go:build !ablation

package ablation

import "errors"

// Enabled is whether this build can turn rules off.
const Enabled = false

// Off returns false: every rule is on.
func Off(Rule) bool { return false }

// Set returns an error unless rules is empty.
func Set(rules ...string) error {
	if len(rules) > 0 {
		return errors.New(
			"ablation: rules: can't be off in this build; must be built with -tags ablation")
	}
	return nil
}
