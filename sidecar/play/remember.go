package play

import (
	"sync"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
)

const (
	// keyTime is how long an answer about a key holds, and so how long after the end
	// of a publication events may still come.
	keyTime = 5 * time.Second
	// boardTime is how long a board is shown as it was.
	boardTime = 2 * time.Second
	// forgottenTime is how long what comes of a player who was forgotten has no name: it
	// was sent before, and may take as long as the library waits for an answer.
	forgottenTime = 15 * time.Second
	// So many there are at most: anybody can ask for any.
	maxKnownKeys   = 10_000
	maxKnownBoards = 2000
	maxForgotten   = 10_000
)

// remembered are answers that hold for a moment. It is safe for concurrent use.
type remembered[K comparable, V any] struct {
	now   func() time.Time
	lasts time.Duration
	most  int // past it all are forgotten

	mu      sync.Mutex // guards answers
	answers map[K]answer[V]
}

type answer[V any] struct {
	value V
	until time.Time
}

// of returns what is remembered of a key, or asks.
func (m *remembered[K, V]) of(key K, ask func() (V, error)) (V, error) {
	if value, there := m.get(key); there {
		return value, nil
	}
	asked := m.now()
	value, err := ask()
	if err == nil {
		m.put(key, value, asked)
	}
	return value, err
}

func (m *remembered[K, V]) get(key K) (value V, there bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.answers[key]
	return found.value, m.now().Before(found.until)
}

func (m *remembered[K, V]) put(key K, value V, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil || len(m.answers) >= m.most {
		m.answers = make(map[K]answer[V])
	}
	m.answers[key] = answer[V]{value, at.Add(m.lasts)}
}

// KnownKeys remembers for a moment which keys are those of published games. It is safe
// for concurrent use.
type KnownKeys struct {
	keys remembered[[2]string, sidecar.PlayGrant]
}

// NewKnownKeys returns one that knows none.
func NewKnownKeys(now func() time.Time) *KnownKeys {
	return &KnownKeys{remembered[[2]string, sidecar.PlayGrant]{now: now, lasts: keyTime, most: maxKnownKeys}}
}

func (k *KnownKeys) of(game, key string, ask func() (sidecar.PlayGrant, error)) (sidecar.PlayGrant, error) {
	if !mint.ValidPlayKey(key) {
		return sidecar.PlayGrant{}, nil
	}
	return k.keys.of([2]string{game, key}, ask)
}

// shownBoard is a game's board as a player sees it.
type shownBoard struct{ game, player, window string }

// named is a player of a game.
type named struct{ game, player string }
