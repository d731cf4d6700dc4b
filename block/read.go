package block

import (
	"strconv"

	"github.com/dustin/go-humanize"
)

// Text reads one argument, whatever it is.
func Text(dst *string) Reader {
	return func(c *Cursor) (err error) {
		*dst, err = c.Arg()
		return err
	}
}

// Flag reads an option without arguments.
func Flag(dst *bool) Reader {
	return func(c *Cursor) error {
		if args := c.Args(); len(args) > 0 {
			return c.Errorf(" takes no argument, got %q", args[0])
		}
		*dst = true
		return nil
	}
}

// List reads at least one argument; what names them in the message that misses it.
func List(dst *[]string, what string) Reader {
	return func(c *Cursor) error {
		if *dst = c.Args(); len(*dst) == 0 {
			return c.Errorf(" takes %s", what)
		}
		return nil
	}
}

// Value reads one argument that parse understands; what names such arguments in the
// message that refuses another.
func Value[T any](dst *T, what string, parse func(string) (T, bool)) Reader {
	return func(c *Cursor) error {
		text, err := c.Arg()
		if err != nil {
			return err
		}
		value, ok := parse(text)
		if !ok {
			return c.Errorf(": %q is not %s", text, what)
		}
		*dst = value
		return nil
	}
}

// Size reads a number of bytes with or without a unit, up to 1 PiB.
func Size(dst *int64) Reader {
	return Value(dst, "a size like 8MiB", func(text string) (int64, bool) {
		n, err := humanize.ParseBytes(text)
		return int64(n), err == nil && n > 0 && n < 1<<50
	})
}

// Number reads a whole number from 1 to most.
func Number[T int | int64](dst *T, most int) Reader {
	return Value(dst, "a number from 1 to "+strconv.Itoa(most), func(text string) (T, bool) {
		n, err := strconv.Atoi(text)
		return T(n), err == nil && n >= 1 && n <= most
	})
}

// Count reads a whole number of at least 1.
func Count[T int | int64](dst *T) Reader {
	return Value(dst, "a number of at least 1", func(text string) (T, bool) {
		n, err := strconv.ParseInt(text, 10, 32)
		return T(n), err == nil && n >= 1
	})
}

// Cores reads a number of processor cores, which may have a fraction.
func Cores(dst *float64) Reader {
	return Value(dst, "a number of cores like 1.5", func(text string) (float64, bool) {
		n, err := strconv.ParseFloat(text, 64)
		return n, err == nil && n > 0 && n < 1<<10
	})
}

// Share reads a number from 0 to 1.
func Share(dst **float64) Reader {
	return Value(dst, "a number from 0 to 1", func(text string) (*float64, bool) {
		n, err := strconv.ParseFloat(text, 64)
		return &n, err == nil && n >= 0 && n <= 1
	})
}
