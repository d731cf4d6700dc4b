package activation_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/svc-games/svc/sidecar/activation"
)

// memory is what sidecars share.
type memory struct {
	mu       sync.Mutex
	version  int64
	state    []byte
	archives map[string][]byte
	sidecars map[string]string
	down     error
	unproven bool // as sidecars of former versions leave it: it does not say who proved what

	questions map[string]asked
	asked     int
	mute      []string // sidecars of a former version: they answer nothing
}

// asked is a question with its answers by sidecar.
type asked struct {
	by      string
	text    []byte
	answers map[string][]byte
}

func (m *memory) Leave(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sidecars, name)
	return m.down
}

func (m *memory) Ask(_ context.Context, name string, question []byte) (string, []string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	id := fmt.Sprint(m.asked)
	m.questions[id] = asked{name, question, map[string][]byte{}}
	return id, slices.DeleteFunc(slices.Sorted(maps.Keys(m.sidecars)), func(other string) bool { return other == name }), m.down
}

func (m *memory) Asked(_ context.Context, name string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := map[string][]byte{}
	for id, q := range m.questions {
		if q.by != name && q.answers[name] == nil && !slices.Contains(m.mute, name) {
			open[id] = q.text
		}
	}
	return open, m.down
}

func (m *memory) Answer(_ context.Context, id, name string, answer []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q, ok := m.questions[id]; ok {
		q.answers[name] = answer
	}
	return m.down
}

func (m *memory) Answers(_ context.Context, id string, known []string) (map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answers := maps.Clone(m.questions[id].answers)
	maps.DeleteFunc(answers, func(name string, _ []byte) bool { return slices.Contains(known, name) })
	return answers, m.down
}

func (m *memory) Withdraw(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.questions, id)
	return m.down
}

func (m *memory) Version(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version, m.down
}

func (m *memory) Load(context.Context) (int64, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version, m.state, m.down
}

func (m *memory) Save(_ context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return m.down
	}
	if version != m.version {
		return activation.ErrMeanwhile
	}
	if m.unproven {
		state = provenBy.ReplaceAll(state, nil)
	}
	m.version, m.state = version+1, state
	for digest, text := range archives {
		m.archives[digest] = text
	}
	for digest := range m.archives {
		if !slices.Contains(keep, digest) {
			delete(m.archives, digest)
		}
	}
	return nil
}

var provenBy = regexp.MustCompile(`,"provenBy":"[0-9a-f]+"`)

func (m *memory) Archive(_ context.Context, digest string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if text, ok := m.archives[digest]; ok {
		return text, m.down
	}
	return nil, fs.ErrNotExist
}

func (m *memory) Report(_ context.Context, name, revision string) ([]activation.Sidecar, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sidecars[name] = revision
	var all []activation.Sidecar
	for name, revision := range m.sidecars {
		all = append(all, activation.Sidecar{Name: name, Revision: revision})
	}
	return all, m.down
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

func newMemory() *memory {
	return &memory{archives: map[string][]byte{}, sidecars: map[string]string{}, questions: map[string]asked{}}
}
