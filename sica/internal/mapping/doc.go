// Package mapping holds the maps of signals: affine ones, symmetric whitening, reduction
// to principal components, normal quantiles, the conditional normalisation and invertible
// networks. Each applies, inverts and saves itself; Fit makes those that need no training
// from signals. Package preprocess offers callers what they need of it.
package mapping
