// Package ablation turns rules of the separation off, one by one, to measure what each is worth. It
// does so in builds with the tag ablation only; in others every rule is on, and asking costs nothing.
package ablation
