// Package metric scores recovered signals against the true ones: the mean correlation
// coefficient, by values and by ranks, and the Amari distance of a demixing. Signals
// are matrices of d rows × T columns. All of it needs the truth, so it is for
// experiments and pictures.
package metric
