//go:build soak && linux && cgo

// Package cmalloc measures, for a soak test, the memory of the C library's allocator, which XLA
// uses. It needs the GNU C library 2.33 or later, so no other build has it.
package cmalloc

/*
#include <malloc.h>

static size_t in_use(void) {
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}
*/
import "C"

// InUse returns the number of allocated bytes.
func InUse() int { return int(C.in_use()) }

// Trim returns free pages to the system. Otherwise the allocator keeps most of them, in an arena
// for each of XLA's threads.
func Trim() { C.malloc_trim(0) }
