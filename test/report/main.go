// Command report tells what a test run came to, from what "go test -json" wrote
// into test/output: which tests failed, what each guarantees and how to run it
// alone; or, as docs/testing.md, where the time went.
//
//	go run ./test/report failures    of the last run, for its last lines
//	go run ./test/report page        docs/testing.md, to standard output
//	go run ./test/report flakes      failed tests, counted, one line each
package main

import (
	"errors"
	"fmt"
	"os"
)

// output is what scripts/test leaves behind, seen from the repository.
const output = "test/output"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: report failures|page|flakes")
	}
	parts, err := readParts(output)
	if err != nil {
		return err
	}
	switch args[0] {
	case "failures":
		return writeFailures(os.Stderr, os.Stdout, parts)
	case "page":
		return writePage(os.Stdout, parts)
	case "flakes":
		return writeFailed(os.Stdout, parts)
	default:
		return fmt.Errorf("unknown argument %q: want failures, page or flakes", args[0])
	}
}
