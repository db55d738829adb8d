package field

import "github.com/gomlx/gomlx/core/tensors"

// finalize frees tensors at once: the garbage collector doesn't see how much
// memory they hold on the device.
func finalize(ts []*tensors.Tensor) {
	for _, t := range ts {
		t.FinalizeAll()
	}
}
