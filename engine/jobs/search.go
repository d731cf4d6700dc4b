package jobs

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
)

// maxFoundText bounds what is shown of a line, in bytes.
const maxFoundText = 200

// Search returns the lines of the game's files that hold a text, in whatever case.
func (m *Manager) Search(text string) (contract.Found, error) {
	game, err := m.present()
	if err != nil {
		return contract.Found{}, err
	}
	found := contract.Found{Lines: []contract.FoundLine{}}
	text = strings.ToLower(text)
	for _, name := range slices.Sorted(maps.Keys(game)) {
		if !searched(game, name) {
			continue
		}
		n := 0
		for line := range strings.Lines(string(game[name])) {
			n++
			if !strings.Contains(strings.ToLower(line), text) {
				continue
			}
			if len(found.Lines) == contract.MaxFound {
				found.More = true
				return found, nil
			}
			found.Lines = append(found.Lines, contract.FoundLine{File: name, Line: n, Text: clip(strings.TrimSpace(line), maxFoundText)})
		}
	}
	return found, nil
}

// searched reports whether a file is one that people write: no picture, no framework, and
// nothing that is made of others.
func searched(game map[string][]byte, name string) bool {
	data := game[name]
	return len(data) <= contract.MaxEdit && utf8.Valid(data) && !strings.HasSuffix(name, ".min.js") && !gen.Made(game, name)
}
