package baseline

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Rand returns the random numbers of the method called name for a seed. The seed
// is hashed, as PCG states that differ in a few bits begin alike.
func Rand(seed uint64, name string) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	sum := sha256.Sum256(append(key, name...))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
