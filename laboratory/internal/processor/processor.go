// Package processor has the time that the threads of this process have run. Unlike the time on a
// clock it hardly depends on what else the machine does.
package processor
