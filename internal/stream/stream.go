// Package stream derives random streams from a seed, one for each purpose. All draws of a fit come
// from them, so that the same seed gives the same draws on any backend.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// A Purpose identifies what numbers are drawn for. Draws for one purpose don't affect other
// purposes.
type Purpose uint64

// The purposes. Their numbers must not change, since every seed would give different results.
const (
	Weights   Purpose = 0 // initial values of networks
	Products  Purpose = 1 // permutations of the signals, for samples of their product
	Order     Purpose = 2 // order of the training samples
	Time      Purpose = 3 // times τ of the rectified flow
	Noise     Purpose = 4 // noise on the inputs of networks
	HeldOut   Purpose = 5 // permutations of held-out positions
	Jitter    Purpose = 6 // noise on predictable signals
	Bootstrap Purpose = 8 // blocks of positions
)

// New returns the random stream for one purpose of one network in one iteration of the run with the
// given seed. It depends neither on the backend nor on other runs of the same fit. The four numbers
// are hashed, since PCG states that differ in few bits begin similarly.
func New(seed uint64, network, iteration int, p Purpose) *rand.Rand {
	var key [32]byte
	for i, n := range []uint64{seed, uint64(network), uint64(iteration), uint64(p)} {
		binary.LittleEndian.PutUint64(key[8*i:], n)
	}
	return hashed(key[:])
}

// Named returns the random stream of the method with the given name, for a seed.
func Named(seed uint64, name string) *rand.Rand {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	return hashed(append(key, name...))
}

// hashed returns the stream of a key.
func hashed(key []byte) *rand.Rand {
	sum := sha256.Sum256(key)
	low, high := binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])
	return rand.New(rand.NewPCG(low, high))
}
