package analytics

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-games/svc/sidecar/store"
)

// In PostgreSQL the events of a day are a part of play_events: to drop one costs nothing,
// whereas its rows, deleted, would have to be vacuumed. SQLite has one table, whose rows
// are deleted.
const (
	partOf = "play_events_" // and the day
	// daysAhead is for how many days parts are made ahead. They are made each hour, and
	// the events of a day without one are kept all the same.
	daysAhead = 2
)

// makeParts makes the parts of the days that come.
func (l *Log) makeParts(ctx context.Context) error {
	if !l.parted {
		return nil
	}
	today := l.now().UnixMilli() / msOfDay
	var lacking []int64
	err := l.store.View(ctx, func(r *store.Reader) (err error) {
		lacking, err = lackingParts(r, today)
		return err
	})
	if err == nil && len(lacking) > 0 {
		err = l.store.Update(ctx, func(tx *store.Tx) error {
			// No event of these days may come in between.
			if _, err := tx.Exec("LOCK TABLE ONLY play_events IN ACCESS EXCLUSIVE MODE"); err != nil {
				return err
			}
			lacking, err := lackingParts(&tx.Reader, today)
			for _, day := range lacking {
				if err == nil {
					_, err = tx.Exec(fmt.Sprintf("CREATE TABLE %s%d PARTITION OF play_events FOR VALUES FROM (%d) TO (%d)", partOf, day, day, day+1))
				}
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("making tables of the days that come: %w", err)
	}
	return nil
}

// lackingParts are the days that are to have a part. One that has events among the rest
// can't have one any more.
func lackingParts(r *store.Reader, today int64) (days []int64, err error) {
	for day := today; day <= today+daysAhead && err == nil; day++ {
		var lacks bool
		err = r.Row("SELECT to_regclass(?) IS NULL AND NOT EXISTS (SELECT 1 FROM play_events_rest WHERE day = ?)", partOf+strconv.FormatInt(day, 10), day).Scan(&lacks)
		if lacks {
			days = append(days, day)
		}
	}
	return days, err
}

// dropParts drops the parts of days before one, and returns how many events they had.
func (l *Log) dropParts(ctx context.Context, before int64) (dropped int64, err error) {
	if !l.parted {
		return 0, nil
	}
	parts, err := store.Read(ctx, l.store, func(r *store.Reader) ([]string, error) {
		return store.All(r, store.Column[string], `SELECT CAST(c.relname AS TEXT) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = to_regclass('play_events') ORDER BY 1`)
	})
	for _, part := range parts {
		day, notOne := strconv.ParseInt(strings.TrimPrefix(part, partOf), 10, 64)
		if err != nil || notOne != nil || day >= before {
			continue
		}
		rows := int64(0) // none if another process was faster
		err = l.store.Update(ctx, func(tx *store.Tx) error {
			// Another process that does the same waits, batches don't.
			if _, err := tx.Exec("LOCK TABLE ONLY play_events IN SHARE UPDATE EXCLUSIVE MODE"); err != nil {
				return err
			}
			var gone bool
			if err := tx.Row("SELECT to_regclass(?) IS NULL", part).Scan(&gone); err != nil || gone {
				return err
			}
			if err := tx.Row("SELECT count(*) FROM " + part).Scan(&rows); err != nil {
				return err
			}
			_, err := tx.Exec("DROP TABLE " + part)
			return err
		})
		dropped += rows
	}
	if err != nil {
		return dropped, fmt.Errorf("dropping tables of old events: %w", err)
	}
	return dropped, nil
}
