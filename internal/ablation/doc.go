// Package ablation turns rules of the separation off, and multiplies its numbers, to measure what
// each is worth. It does so in builds with the tag ablation only. In others every rule is on, and
// asking costs nothing.
package ablation
