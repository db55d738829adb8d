package provenance_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/provenance"
)

// A machine equals itself, also after JSON, and differs from one with another plugin or
// environment.
func TestMachinesDifferInPluginAndEnvironment(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	here := provenance.ThisMachine("ab")
	data, err := json.Marshal(here)
	if err != nil {
		t.Fatal(err)
	}
	var read provenance.Machine
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, here) {
		t.Errorf("read %+v, was %+v", read, here)
	}
	if reflect.DeepEqual(here, provenance.ThisMachine("cd")) {
		t.Error("another plugin makes no difference")
	}
	t.Setenv("XLA_FLAGS", "--xla_cpu_max_isa=AVX2")
	if reflect.DeepEqual(here, provenance.ThisMachine("ab")) {
		t.Error("fewer instructions make no difference")
	}
}
