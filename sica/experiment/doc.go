// Package experiment runs the experiments of SICA's paper (S. Liu,
// arXiv:2512.00665). A figure is a list of
// trials, each of them one seeded separation: a problem, a method and its
// settings. Run makes the trials that a Store lacks and writes each outcome to it
// at once, so that a killed run loses nothing but the trials it was at. A
// Figure makes tables and pictures of the outcomes, and says which of the paper's
// statements hold in them.
//
// Methods lists SICA and its rivals behind one function, Method.Recover, for
// comparisons on other signals than the paper's.
package experiment
