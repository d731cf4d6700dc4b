package corpus

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func load10(t *testing.T) []Game {
	t.Helper()
	dir := os.Getenv("SVC_FRAMEWORKS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "bin", "frameworks")
	}
	games, err := Games(dir)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return games
}

func TestEveryMutationHasAPlaceAndIsTheSameEachTime(t *testing.T) {
	games := load10(t)
	total := 0
	for _, m := range Mutations {
		n := 0
		for _, g := range games {
			first, ok := m.Apply(g.Kind, g.Files)
			if !ok {
				continue
			}
			n++
			second, _ := m.Apply(g.Kind, g.Files)
			for name := range first {
				if !bytes.Equal(first[name], second[name]) {
					t.Errorf("%s of %s: %s is another the second time", m.Name, g.Name, name)
				}
			}
			if _, err := Built(t.Context(), first); err != nil {
				t.Errorf("%s of %s: %v", m.Name, g.Name, err)
			}
		}
		if n == 0 || len(m.Rules) == 0 {
			t.Errorf("%s: %d games, rules %q", m.Name, n, m.Rules)
		}
		total += n
	}
	t.Logf("%d mutants of %d games", total, len(games))
}
