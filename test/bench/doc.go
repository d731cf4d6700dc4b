// Package bench measures what docs and design promise, against the peers that
// can be had on the same machine in the same run. "make bench" runs it in full
// and writes bench/RESULTS.md; as a plain test it runs each measurement once, to
// show that it still works.
package bench
