// Package stream has the seeded random streams of a separation. Every draw of a fit comes from one,
// so that the same seed gives the same result on any backend.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// A Purpose distinguishes the random draws of one iteration. Its numbers never change, as a seed
// would give other results.
type Purpose uint64

// The purposes of draws.
const (
	Weights Purpose = iota
	Products
	Order
	Time
	Noise
	HeldOut
	Jitter
	Rotation
	Bootstrap
	Surrogate
	Null
)

// New returns the random stream for one purpose of one network in one iteration of the run with
// this seed. It doesn't depend on the backend, nor on the other runs of a batch. The numbers are
// hashed, as PCG states that differ in a few bits begin similarly.
func New(seed uint64, network, iteration int, p Purpose) *rand.Rand {
	var key [32]byte
	for i, n := range []uint64{seed, uint64(network), uint64(iteration), uint64(p)} {
		binary.LittleEndian.PutUint64(key[8*i:], n)
	}
	return hashed(key[:])
}

// Named returns the random stream of a method for a seed.
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
