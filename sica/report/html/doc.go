// Package html shows a report.Report as one HTML file with everything in it: the
// verdict and its reasons, pictures of the mixed and the recovered signals, and
// every measure. It needs no network, no script and no other file, and is made for
// phones, for print, and for light and dark screens.
package html
