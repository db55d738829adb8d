package experiment

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/methods"
)

// Outdated returns those of the trials whose outcome in the store was made with other settings
// (Outcome.Config) than the method has now. It doesn't see other changes of a method's code, and
// nothing of a method without settings.
func (s *Store) Outdated(trials []Trial) ([]Trial, error) {
	var outdated []Trial
	var problem Problem // the one drawn last
	var signals *ica.Signals
	for _, t := range trials {
		o, ok := s.find(t)
		if !ok || o.Config == nil {
			continue
		}
		method, err := methodNamed(t.Method)
		if err != nil {
			return nil, err
		}
		if signals == nil || problem != t.Problem {
			if _, signals, err = t.Draw(); err != nil {
				return nil, err
			}
			problem = t.Problem
		}
		now, err := method.Settings(methods.Task{Signals: signals, Preset: t.Preset, Seed: t.Seed})
		if err != nil {
			return nil, err
		}
		same, err := equalJSON(o.Config, now)
		if err != nil {
			return nil, fmt.Errorf("experiment: settings of %s: %w", t, err)
		}
		if !same {
			outdated = append(outdated, t)
		}
	}
	return outdated, nil
}

// equalJSON reports whether two values are equal as JSON, where a field that one of them lacks is
// zero in the other: an older version hadn't that setting.
func equalJSON(a, b any) (bool, error) {
	var decoded [2]any
	for i, v := range []any{a, b} {
		data, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(data, &decoded[i])
		}
		if err != nil {
			return false, err
		}
		decoded[i] = withoutZeros(decoded[i])
	}
	return reflect.DeepEqual(decoded[0], decoded[1]), nil
}

// withoutZeros returns a decoded value without the fields that are null, 0, false, or empty; nil if
// it is that itself.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, field := range v {
			if v[key] = withoutZeros(field); v[key] == nil {
				delete(v, key)
			}
		}
		if len(v) > 0 {
			return v
		}
	case []any:
		if len(v) > 0 {
			return v
		}
	case bool, float64, string:
		if !reflect.ValueOf(v).IsZero() {
			return v
		}
	}
	return nil
}
