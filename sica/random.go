package sica

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// purpose keeps apart the random draws of one iteration.
type purpose uint64

const (
	drawWeights purpose = iota
	drawProducts
	drawOrder
	drawTime
	drawNoise
	drawHeldOut
	drawBlur
	drawRotation
	drawBootstrap
	drawSurrogate
	drawChance
)

// stream is the random stream for one purpose of one network in one
// iteration of the run with the given seed. Streams don't depend on the
// backend, nor on the other runs of a batch. The numbers are hashed, as PCG
// states that differ in a few bits begin alike.
func stream(seed uint64, network, iteration int, p purpose) *rand.Rand {
	var key [32]byte
	for i, n := range []uint64{seed, uint64(network), uint64(iteration), uint64(p)} {
		binary.LittleEndian.PutUint64(key[8*i:], n)
	}
	sum := sha256.Sum256(key[:])
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}
