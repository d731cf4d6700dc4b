// Package sidebyside is for tests that wait more than they compute.
package sidebyside

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

// Allow has n parallel tests run at once for each processor, unless -parallel
// says otherwise. A package's TestMain calls it before it runs the tests.
func Allow(n int) {
	const name = "test.parallel"
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if err := flag.Set(name, strconv.Itoa(n*runtime.NumCPU())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
