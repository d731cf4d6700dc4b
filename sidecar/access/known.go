package access

import (
	"errors"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// maxKnown bounds the keys and the projects whose facts are kept, each.
const maxKnown = 4096

// known keeps the facts about keys and projects from one decision to the next. They are
// good while the store has the stamp that they were read with: each change of such a fact
// changes the stamp in its own transaction, whichever process makes it.
type known struct {
	keys     *lru.Cache[string, stamped[policy.Key]]
	projects *lru.Cache[string, stamped[policy.Project]]
}

type stamped[T any] struct {
	at   int64
	fact *T
}

func newKnown() known {
	keys, err := lru.New[string, stamped[policy.Key]](maxKnown)
	if err != nil {
		panic(err) // of a size that is not positive
	}
	projects, err := lru.New[string, stamped[policy.Project]](maxKnown)
	if err != nil {
		panic(err)
	}
	return known{keys, projects}
}

// stampQuery reads the version of a key, which its own changes count; the number of
// changes of states and attributes, those of users and projects among them; and whether
// there is a project.
const stampQuery = `SELECT version,
	(SELECT seq FROM heads WHERE log = '` + store.LogRevoke + `') + (SELECT seq FROM heads WHERE log = '` + store.LogAttributes + `'),
	EXISTS (SELECT 1 FROM projects WHERE projects.id = ?)
	FROM keys WHERE keys.id = ?`

// read returns the facts about a key and a project, nil for what is not there.
func (k known) read(r *store.Reader, keyID, projectID string) (*policy.Key, *policy.Project, error) {
	var version, changes int64
	var exists bool
	err := r.Row(stampQuery, projectID, keyID).Scan(&version, &changes, &exists)
	if errors.Is(err, store.ErrNoRows) { // no such key: its refusal still names the project
		project, err := readProject(r, projectID)
		return nil, project, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("looking for changes of the key: %w", err)
	}
	key, err := take(k.keys, keyID, version+changes, func() (*policy.Key, error) { return readKey(r, "id", keyID) })
	if err != nil || !exists {
		return key, nil, err
	}
	project, err := take(k.projects, projectID, changes, func() (*policy.Project, error) { return readProject(r, projectID) })
	return key, project, err
}

// fact is what can be prepared to be decided on.
type fact[T any] interface {
	*T
	Prepare()
}

// take returns a fact that is kept with a stamp, or reads it and keeps it.
func take[T any, F fact[T]](kept *lru.Cache[string, stamped[T]], id string, at int64, read func() (*T, error)) (*T, error) {
	if found, ok := kept.Get(id); ok && found.at == at {
		return found.fact, nil
	}
	value, err := read()
	if err == nil && value != nil {
		F(value).Prepare()
		kept.Add(id, stamped[T]{at, value})
	}
	return value, err
}
