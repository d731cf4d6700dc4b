package analytics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// meter is what is paid of a game's events, and how many of them are used.
type meter struct {
	game          string
	granted, used int64
}

// CarryMeters carries the meters of games over from a SQLite file, where it is there, to
// another database: what the ledger says is paid can't be used twice. It may be done
// again, and takes nothing back.
func CarryMeters(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	meters, err := readMeters(ctx, from)
	if err != nil || len(meters) == 0 {
		return err
	}
	l, err := Open(ctx, to, nil, time.Now)
	if err != nil {
		return err
	}
	err = l.store.Update(ctx, func(tx *store.Tx) error {
		for _, m := range meters {
			if _, err := tx.Exec(`INSERT INTO play_meters (game, granted, used, carried) VALUES (?, ?, ?, ?)
				ON CONFLICT (game) DO UPDATE SET granted = excluded.granted, used = excluded.used,
					carried = play_meters.carried + excluded.used - play_meters.used
				WHERE (play_meters.granted, play_meters.used) < (excluded.granted, excluded.used)`, m.game, m.granted, m.used, m.used); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, l.Close()); err != nil {
		return fmt.Errorf("carrying the meters of games over: %w", err)
	}
	return nil
}

// readMeters brings the schema up to date, so that a file of an earlier version is read.
func readMeters(ctx context.Context, from string) (meters []meter, err error) {
	l, err := Open(ctx, from, nil, time.Now)
	if err != nil {
		return nil, err
	}
	err = l.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var m meter
			err := scan(&m.game, &m.granted, &m.used)
			meters = append(meters, m)
			return err
		}, "SELECT game, granted, used FROM play_meters")
	})
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, fmt.Errorf("reading the meters of games: %w", err)
	}
	return meters, nil
}
