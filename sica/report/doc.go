// Package report says of a separation how far it can be trusted, without the truth.
//
// Of measures a result in several ways: how far the recovered signals depend on each other,
// how well each is predicted by its own past and by the others', what the linear rule's
// evidence and the networks say, whether the same signals come back from parts of the
// recording and from other seeds. Its Verdict puts that together: separated, no evidence of
// separation, or signals that nothing tells from others.
//
// Package html writes a report as a page.
package report
