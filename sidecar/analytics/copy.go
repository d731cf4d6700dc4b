package analytics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// CheckEmpty is store.CheckEmpty for what is kept of games that are played.
func CheckEmpty(ctx context.Context, address string) error {
	return store.CheckEmptyOf(ctx, address, schema)
}

// Copy copies all that is kept of games that are played from a PostgreSQL database to a
// SQLite file or back, as store.Copy does it, and brings the schema of both up to date. Its
// error is an fs.ErrNotExist where nothing was ever played.
func Copy(ctx context.Context, from, to string) ([]store.Table, error) {
	err := store.ReadOnlyOf(ctx, from, schema, func(*store.Reader) error { return nil })
	if errors.Is(err, store.ErrOtherVersion) { // the first play after an upgrade would do it
		var l *Log
		if l, err = Open(ctx, from, nil, time.Now); err == nil {
			err = l.Close()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was played: %w", err)
	}
	return store.CopyOf(ctx, from, to, schema)
}
