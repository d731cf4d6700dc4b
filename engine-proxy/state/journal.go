package state

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

// Entry is the journal of one project: what must be known to find its engine
// again, and never to give a generation twice.
type Entry struct {
	Schema     int           `json:"schema"`
	ProjectID  string        `json:"projectId"`
	OwnerID    string        `json:"ownerId"`
	Generation uint64        `json:"generation"`          // of the last start, on disk before it
	InstanceID string        `json:"instanceId"`          // "" when no engine is meant to run
	Socket     string        `json:"socket,omitempty"`    // of an engine of this machine
	Address    string        `json:"address,omitempty"`   // host:port of one that runs elsewhere, once it is known
	Away       bool          `json:"away,omitempty"`      // its volume is elsewhere: an engine was made there
	Authority  string        `json:"authority,omitempty"` // by whose certificate it is known there
	Handle     driver.Handle `json:"handle"`              // empty between the decision to start and the start
	At         time.Time     `json:"at"`

	// Unread: there is a journal that can't be read, which knows the generation
	// and must not be replaced by this one, which does not.
	Unread bool `json:"-"`
}

// Endpoint is where the engine listens; zero when that is not known.
func (e *Entry) Endpoint() driver.Endpoint {
	if e.Address != "" {
		return driver.TCPEndpoint(e.Address)
	}
	return driver.UnixEndpoint(e.Socket)
}

// SetEndpoint notes where the engine is.
func (e *Entry) SetEndpoint(at driver.Endpoint) {
	e.Socket, e.Address = "", ""
	if at.Network == driver.TCP {
		e.Address = at.Address
		return
	}
	e.Socket = at.Address
}

// VolumeElsewhere reports whether the project's volume is on another machine, as far as
// is known here. Journals of before Away say so by an address.
func (e *Entry) VolumeElsewhere() bool { return e.Away || e.Address != "" }

const journalSchema = 1

// Files of a state directory.
const (
	JournalFile = "engine.json"
	DamagedFile = "engine.json.damaged" // a journal that was set aside, for a look
)

// ErrDamaged: a journal holds what is none.
var ErrDamaged = errors.New("the engine's journal is damaged")

// ReadEntry returns the journal in a state directory; an empty one when
// there is none yet.
func ReadEntry(dir string) (Entry, error) {
	var e Entry
	raw, err := os.ReadFile(filepath.Join(dir, JournalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("reading engine journal: %w", err)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return Entry{}, fmt.Errorf("decoding engine journal: %w: %w", ErrDamaged, err)
	}
	if e.Schema != journalSchema {
		return Entry{}, fmt.Errorf("decoding engine journal: schema %d is unknown", e.Schema)
	}
	return e, nil
}

// ReplaceDamaged sets a damaged journal aside and puts e in its place.
func ReplaceDamaged(dir string, e Entry) error {
	raw, err := os.ReadFile(filepath.Join(dir, JournalFile))
	if err != nil {
		return fmt.Errorf("reading engine journal: %w", err)
	}
	if err := durable.Replace(filepath.Join(dir, DamagedFile), raw); err != nil {
		return fmt.Errorf("setting engine journal aside: %w", err)
	}
	return WriteEntry(dir, e)
}

// WriteEntry returns once the journal is on disk.
func WriteEntry(dir string, e Entry) error {
	e.Schema = journalSchema
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encoding engine journal: %w", err)
	}
	if err := durable.Replace(filepath.Join(dir, JournalFile), raw); err != nil {
		return fmt.Errorf("writing engine journal: %w", err)
	}
	return nil
}
