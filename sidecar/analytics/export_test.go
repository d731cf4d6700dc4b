package analytics

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/svc-games/svc/sidecar/store"
)

// What an engine proxy that looks for runs costs.
const (
	OldReplay = oldReplay
	NextTurn  = nextTurn
)

// Store is what the log keeps all in.
func (l *Log) Store() *store.Store { return l.store }

// Bounds of what is free.
const (
	MaxFree     = maxFree
	MaxDeclared = maxDeclared
)

// PartPlayers is how many players a part of a board has.
const PartPlayers = partPlayers

// MaxDayFunnels bounds the funnels of a build's day.
const MaxDayFunnels = maxDayFunnels

// FormerSchema is the schema as it was when it had so many steps.
func FormerSchema(t *testing.T, steps int) store.Schema {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) <= steps {
		t.Fatalf("there are %d steps, %v", len(names), err)
	}
	for _, name := range names[:steps] {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return store.Schema{Files: files, Steps: schema.Steps}
}
