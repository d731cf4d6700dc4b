package block_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/svc-games/svc/block"
)

// garden has an option of each kind.
type garden struct {
	name, file string
	open       bool
	plants     []string
	size       int64
	doors      int
	rows       int64
	beds       []string
	labels     []string
}

func (g *garden) options() block.Options {
	return block.Options{
		{Name: "name", Read: block.Text(&g.name)},
		{Name: "open", Read: block.Flag(&g.open)},
		{Name: "plants", Read: block.List(&g.plants, "the names of plants")},
		{Name: "size", Read: block.Size(&g.size)},
		{Name: "doors", Read: block.Number(&g.doors, 4)},
		{Name: "rows", Read: block.Count(&g.rows)},
		{Name: "bed", Repeats: true, Read: func(c *block.Cursor) error {
			var bed string
			err := c.ArgAndBlock(&bed, block.Options{{Name: "rows", Read: block.Count(&g.rows)}})
			g.beds = append(g.beds, bed)
			return err
		}},
		{Name: "labels", Read: func(c *block.Cursor) error {
			return c.FileOr(&g.file, func() error {
				return c.Each(func(name string, at *block.Cursor) error {
					g.labels = append(g.labels, name)
					_, err := at.Arg()
					return err
				})
			})
		}},
	}
}

func read(text string) (*garden, error) {
	g := new(garden)
	return g, block.Directive(caddyfile.NewTestDispenser(text), g.options())
}

func TestEveryKindIsRead(t *testing.T) {
	g, err := read("garden {\n name east\n open\n plants rose oak\n size 2KiB\n doors 4\n rows 7\n bed a\n bed b {\n  rows 8\n }\n labels {\n  x 1\n  y 2\n }\n}")
	if err != nil {
		t.Fatal(err)
	}
	if g.name != "east" || !g.open || !slices.Equal(g.plants, []string{"rose", "oak"}) || g.size != 2048 || g.doors != 4 || g.rows != 8 ||
		!slices.Equal(g.beds, []string{"a", "b"}) || !slices.Equal(g.labels, []string{"x", "y"}) {
		t.Errorf("read %+v", g)
	}
	if g, err = read("garden {\n labels a.json\n}"); err != nil || g.file != "a.json" {
		t.Errorf("a file is read as %q, %v", g.file, err)
	}
	if _, err = read("garden"); err != nil {
		t.Errorf("no block: %v", err)
	}
}

func TestWhatIsWrongIsSaidWithWhereAndWhat(t *testing.T) {
	for text, want := range map[string]string{
		"garden x":                 `garden takes no arguments, got "x"`,
		"garden {\n colour red\n}": `garden has no option "colour"; it has: bed, doors, labels, name, open, plants, rows, size`,
		"garden {\n bed a {\n  colour red\n }\n}":    `garden: bed has no option "colour"; it has: rows`,
		"garden {\n name a\n name b\n}":              "garden: name is given twice",
		"garden {\n bed a {\n rows 1\n rows 1\n}\n}": "garden: bed: rows is given twice",
		"garden {\n name\n}":                         "garden: name takes one argument, got 0",
		"garden {\n name a b\n}":                     "garden: name takes one argument, got 2",
		"garden {\n open yes\n}":                     `garden: open takes no argument, got "yes"`,
		"garden {\n plants\n}":                       "garden: plants takes the names of plants",
		"garden {\n size 0\n}":                       `garden: size: "0" is not a size like 8MiB`,
		"garden {\n doors 5\n}":                      `garden: doors: "5" is not a number from 1 to 4`,
		"garden {\n rows 4294967296\n}":              `garden: rows: "4294967296" is not a number of at least 1`,
		"garden {\n labels a b\n}":                   "garden: labels takes one argument, got 2",
		"garden {\n labels a {\n x 1\n }\n}":         "garden: labels takes a file or a block, not both",
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want+",") && !strings.HasPrefix(err.Error(), want+" at") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
