package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// entry is the journal of one project: what must be known to find its engine
// again, and never to give a generation twice.
type entry struct {
	Schema     int           `json:"schema"`
	ProjectID  string        `json:"projectId"`
	OwnerID    string        `json:"ownerId"`
	Generation uint64        `json:"generation"`        // of the last start, on disk before it
	InstanceID string        `json:"instanceId"`        // "" when no engine is meant to run
	Socket     string        `json:"socket,omitempty"`  // of an engine of this machine
	Address    string        `json:"address,omitempty"` // host:port of one that runs elsewhere, once it is known
	Away       bool          `json:"away,omitempty"`    // its volume is elsewhere: an engine was made there
	Handle     driver.Handle `json:"handle"`            // empty between the decision to start and the start
	At         time.Time     `json:"at"`

	// unread: there is a journal that can't be read, which knows the generation
	// and must not be replaced by this one, which does not.
	unread bool
}

// endpoint is where the engine listens; zero when that is not known.
func (e *entry) endpoint() driver.Endpoint {
	if e.Address != "" {
		return driver.TCPEndpoint(e.Address)
	}
	return driver.UnixEndpoint(e.Socket)
}

// listens notes where the engine is.
func (e *entry) listens(at driver.Endpoint) {
	e.Socket, e.Address = "", ""
	if at.Network == driver.TCP {
		e.Address = at.Address
		return
	}
	e.Socket = at.Address
}

const (
	journalSchema = 1
	journalFile   = "engine.json"
	damagedFile   = "engine.json.damaged" // one that was set aside, for a look
)

// errDamaged: a journal holds what is none.
var errDamaged = errors.New("the engine's journal is damaged")

// readEntry returns the journal in a state directory; an empty one when
// there is none yet.
func readEntry(dir string) (entry, error) {
	var e entry
	raw, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("reading engine journal: %w", err)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return entry{}, fmt.Errorf("decoding engine journal: %w: %w", errDamaged, err)
	}
	if e.Schema != journalSchema {
		return entry{}, fmt.Errorf("decoding engine journal: schema %d is unknown", e.Schema)
	}
	return e, nil
}

// replaceDamaged sets a damaged journal aside and puts e in its place.
func replaceDamaged(dir string, e entry) error {
	raw, err := os.ReadFile(filepath.Join(dir, journalFile))
	if err != nil {
		return fmt.Errorf("reading engine journal: %w", err)
	}
	if err := durable.Replace(filepath.Join(dir, damagedFile), raw); err != nil {
		return fmt.Errorf("setting engine journal aside: %w", err)
	}
	return writeEntry(dir, e)
}

// writeEntry returns once the journal is on disk.
func writeEntry(dir string, e entry) error {
	e.Schema = journalSchema
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encoding engine journal: %w", err)
	}
	if err := durable.Replace(filepath.Join(dir, journalFile), raw); err != nil {
		return fmt.Errorf("writing engine journal: %w", err)
	}
	return nil
}
