package keys

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/store"
)

// Day is what a key did in one UTC day.
type Day struct {
	KeyID string
	Date  string // 2026-11-20
	Jobs  int64
	TIK   api.TIK // spent
}

// Daily returns what the keys of a user did in each UTC day from the first to
// the last one, in order; days on which a key did nothing are left out.
func (g *Registry) Daily(ctx context.Context, userID string, first, last time.Time) ([]Day, error) {
	type place struct{ date, key string }
	days := make(map[place]Day)
	from, to := first.UTC().Format(time.DateOnly), last.UTC().Format(time.DateOnly)
	err := g.store.View(ctx, func(r *store.Reader) error {
		err := r.Each(func(scan store.Scan) error {
			var d Day
			var bucket string
			if err := scan(&d.KeyID, &bucket, &d.Jobs); err != nil {
				return err
			}
			d.Date = strings.TrimPrefix(bucket, "d:")
			days[place{d.Date, d.KeyID}] = d
			return nil
		}, `SELECT u.key_id, u.bucket, u.jobs FROM usage u JOIN keys k ON k.id = u.key_id
			WHERE k.user_id = ? AND u.bucket BETWEEN ? AND ? AND u.jobs > 0`, userID, "d:"+from, "d:"+to)
		if err != nil {
			return err
		}
		return r.Each(func(scan store.Scan) error {
			var key string
			var day int64
			var spent api.TIK
			if err := scan(&key, &day, &spent); err != nil {
				return err
			}
			date := time.UnixMilli(day * msPerDay).UTC().Format(time.DateOnly)
			d := days[place{date, key}]
			d.KeyID, d.Date, d.TIK = key, date, spent
			days[place{date, key}] = d
			return nil
		}, `SELECT key_id, at / 86400000, CAST(-sum(delta) AS BIGINT) FROM tik_entries
			WHERE user_id = ? AND key_id IS NOT NULL AND at >= ? AND at < ? GROUP BY 1, 2`,
			userID, midnight(first), midnight(last)+msPerDay)
	})
	if err != nil {
		return nil, fmt.Errorf("reading the daily usage of %s: %w", userID, err)
	}
	return slices.SortedFunc(maps.Values(days), func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.KeyID, b.KeyID))
	}), nil
}

const msPerDay = 24 * 60 * 60 * 1000

// midnight is the beginning of an instant's UTC day, in milliseconds.
func midnight(t time.Time) int64 { return t.UTC().Truncate(24 * time.Hour).UnixMilli() }
