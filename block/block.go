// Package block reads the options of a Caddyfile's block by a table of them: the
// parts of the service describe their own options, and need no Caddy for it. The
// same tables are the reference in docs/caddyfile.md.
package block

import (
	"maps"
	"slices"
	"strings"
)

// Option is what may stand in a block, once unless it repeats.
type Option struct {
	Name string
	// Form is how the documentation writes its arguments; "" for none.
	Form string
	// Read reads the arguments, and the option's own block where it has one.
	Read Reader
	// Repeats says that the option may be given more than once.
	Repeats bool
	// Default and Meaning are the other columns of the documentation, in Markdown.
	Default, Meaning string
}

// Options are the options of one block, in the order of the documentation.
type Options []Option

// Reader reads the option at the cursor.
type Reader func(*Cursor) error

// Tokens is what is needed of Caddy's Dispenser.
type Tokens interface {
	Next() bool
	Val() string
	RemainingArgs() []string
	Nesting() int
	NextBlock(nesting int) bool
	Errf(format string, args ...any) error
}

// Cursor stands at an option, or at the directive or module that has a block.
type Cursor struct {
	// Path is what messages begin with: the names of all that it stands in, as in
	// "svc: engines: idle".
	Path string
	// Hint ends the message that refuses an unknown option.
	Hint string

	tokens Tokens
}

// Directive reads a directive that takes options and no arguments.
func Directive(tokens Tokens, options Options) error {
	tokens.Next()
	c := At(tokens, tokens.Val())
	if args := c.Args(); len(args) > 0 {
		return c.Errorf(" takes no arguments, got %q", args[0])
	}
	return c.Block(options)
}

// At returns a cursor where the tokens stand.
func At(tokens Tokens, path string) *Cursor { return &Cursor{Path: path, tokens: tokens} }

// Errorf returns an error that begins with the path and names file and line.
func (c *Cursor) Errorf(format string, args ...any) error {
	return c.tokens.Errf("%s"+format, slices.Insert(args, 0, any(c.Path))...)
}

// Args returns the arguments that are left on the line.
func (c *Cursor) Args() []string { return c.tokens.RemainingArgs() }

// Arg returns the only argument.
func (c *Cursor) Arg() (string, error) { return c.only(c.Args()) }

func (c *Cursor) only(args []string) (string, error) {
	if len(args) != 1 || args[0] == "" {
		return "", c.Errorf(" takes one argument, got %d", len(args))
	}
	return args[0], nil
}

// ArgAndBlock reads the only argument, and a block with the options, or none.
func (c *Cursor) ArgAndBlock(dst *string, options Options) error {
	if err := Text(dst)(c); err != nil {
		return err
	}
	return c.Block(options)
}

// Block reads a block with the options, or none.
func (c *Cursor) Block(options Options) error {
	known := make(map[string]Option, len(options))
	for _, o := range options {
		known[o.Name] = o
	}
	seen := make(map[string]bool)
	return c.Each(func(name string, at *Cursor) error {
		o, ok := known[name]
		switch {
		case !ok:
			return c.unknown(name, known)
		case seen[name] && !o.Repeats:
			return at.Errorf(" is given twice")
		}
		seen[name] = true
		return o.Read(at)
	})
}

// Each reads a block whose names the reader knows.
func (c *Cursor) Each(read func(name string, at *Cursor) error) error {
	for nesting := c.tokens.Nesting(); c.tokens.NextBlock(nesting); {
		name := c.tokens.Val()
		if err := read(name, At(c.tokens, c.Path+": "+name)); err != nil {
			return err
		}
	}
	return nil
}

// FileOr reads the name of a file where there is an argument, and otherwise a block.
func (c *Cursor) FileOr(file *string, read func() error) (err error) {
	args := c.Args()
	if len(args) == 0 {
		return read()
	}
	if *file, err = c.only(args); err != nil {
		return err
	}
	return c.Each(func(string, *Cursor) error { return c.Errorf(" takes a file or a block, not both") })
}

// unknown refuses an option that there is not.
func (c *Cursor) unknown(name string, known map[string]Option) error {
	allowed := "none"
	if len(known) > 0 {
		allowed = strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	}
	return c.Errorf(" has no option %q; it has: %s%s", name, allowed, c.Hint)
}
