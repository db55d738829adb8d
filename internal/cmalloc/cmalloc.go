//go:build soak && linux && cgo

// Package cmalloc looks into the C library's allocator, from which XLA has its
// memory, for a soak test. It needs the GNU C library 2.33 or later, and so is in
// no other build.
package cmalloc

/*
#include <malloc.h>

static size_t in_use(void) {
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}
*/
import "C"

// InUse returns the bytes that were allocated and not yet freed.
func InUse() int { return int(C.in_use()) }

// Trim gives the pages back to the system in which all is freed. The allocator
// keeps most of them otherwise, in an arena for each of XLA's threads.
func Trim() { C.malloc_trim(0) }
