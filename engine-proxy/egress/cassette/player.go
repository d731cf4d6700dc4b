package cassette

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Player answers as it was recorded, to who asks the same model with the same roles and
// tools. What the engine says of itself must be as it was: else the cassette is stale.
type Player struct {
	names []string
	tapes []Tape

	mu    sync.Mutex // guards what follows
	used  []int      // how often a tape was played
	stale []string
}

// Open reads the cassettes of a folder.
func Open(folder string) (*Player, error) {
	names, tapes, err := read(folder)
	if err != nil {
		return nil, err
	}
	return &Player{names: names, tapes: tapes, used: make([]int, len(tapes))}, nil
}

// Len is how many cassettes there are.
func (p *Player) Len() int { return len(p.tapes) }

// Stale are those that were asked for with another prompt, each with the parts that
// changed.
func (p *Player) Stale() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.stale)
}

// find returns the tape for a request: of several alike the one that was played the
// least.
func (p *Player) find(now Tape) (t Tape, trouble string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, old := -1, ""
	for i, t := range p.tapes {
		if t.key() != now.key() {
			continue
		}
		if parts := t.stale(now); len(parts) > 0 {
			old = fmt.Sprintf("%s is stale: %s changed since it was recorded", p.names[i], strings.Join(parts, " and "))
			if !slices.Contains(p.stale, old) {
				p.stale = append(p.stale, old)
			}
			continue
		}
		if best < 0 || p.used[i] < p.used[best] {
			best = i
		}
	}
	switch {
	case best >= 0:
		p.used[best]++
		return p.tapes[best], ""
	case old != "":
		return t, old
	}
	return t, fmt.Sprintf("no cassette of %s has the roles %s", now.Model, strings.Join(now.Roles, ", "))
}

// Play answers a request at any address that ends in a wire's path.
func (p *Player) Play(w http.ResponseWriter, path string, body map[string]any) {
	for _, end := range []string{"/chat/completions", "/responses", "/messages"} {
		if strings.HasSuffix(path, end) {
			path = end
		}
	}
	t, trouble := p.find(of(path, body))
	if trouble != "" {
		http.Error(w, trouble, http.StatusConflict)
		return
	}
	w.Header().Set("Content-Type", t.Type)
	w.WriteHeader(t.Status)
	_, _ = io.WriteString(w, t.Answer)
}
