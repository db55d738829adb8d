package lazy

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// A backend is opened by its first use, once; reading its name does not open it.
func TestBackendIsOpenedByFirstUse(t *testing.T) {
	pureGo := gobackend.GetBackend()
	opened := 0
	b := New("xla", func() compute.Backend {
		opened++
		return pureGo
	})
	if b.Name() != "xla" || b.String() != "xla" || b.Description() == "" || b.IsFinalized() ||
		IsOpen(b) || opened != 0 {
		t.Errorf("%s, %q, finalized %v, opened %d times", b, b.Description(), b.IsFinalized(), opened)
	}
	if !b.HasSharedBuffers() || b.NumDevices() != pureGo.NumDevices() ||
		b.DeviceDescription(0) != pureGo.DeviceDescription(0) || b.Builder("f").Name() != "f" {
		t.Error("it isn't the backend that it opens")
	}
	if Opened(b) != pureGo || Opened(pureGo) != pureGo || opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	if b.Name() != pureGo.Name() || b.Description() != pureGo.Description() || !IsOpen(b) ||
		!IsOpen(pureGo) {
		t.Errorf("%s, %q after it was opened", b, b.Description())
	}
}
