// Package preprocess holds what is done to mixed signals before anything is trained:
// standardising, symmetric whitening, normal quantiles and the conditional
// normalisation, each as a Map that takes other signals the way that it took those
// that it was fitted to, and back. Transforms of a program's own are a Fitter each.
//
// Signals are matrices of d rows × T columns, float64. Variances are mean squares
// 1/T·Σ(x−mean)².
package preprocess
