// Package rotate finds the rotation of whitened signals whose signals are each best
// known from their own rest, and says whether it gains more than chance.
package rotate
