package commands

import "io"

// output is standard output. It keeps the first error of a write, and takes nothing
// after it: Execute reports it, even if the command did not. What was not
// written must not look done.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}
