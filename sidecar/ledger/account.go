package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// GameAccount is what a game costs its owner.
type GameAccount struct {
	BlockPrice api.TIK
	Blocks     int64   // that were ever paid
	Day        api.TIK // paid in the last 24 hours
	Month      api.TIK // paid in this month of UTC
	Most       api.TIK // what it may cost in a month
	Forecast   api.TIK // of the whole month, if it goes on like the month so far
	Balance    api.TIK // the owner's
}

// warnFrom is the share of a game's cap from which on its owner is warned.
const warnFrom = 0.8

// Warnings say what the owner should see to, before events are no longer kept.
func (a GameAccount) Warnings() []string {
	var said []string
	switch {
	case a.Most == 0:
	case a.Month+a.BlockPrice > a.Most:
		said = append(said, fmt.Sprintf("The game has cost %s of the %s TIK that it may cost in this month: once the events of the paid block are used up, only sessions are kept until the next month, or until the cap is higher.", a.Month, a.Most))
	case float64(a.Month) >= warnFrom*float64(a.Most):
		said = append(said, fmt.Sprintf("The game has cost %s of the %s TIK that it may cost in this month.", a.Month, a.Most))
	}
	switch {
	case a.BlockPrice == 0:
	case a.Balance < a.BlockPrice:
		said = append(said, fmt.Sprintf("The balance of %s TIK holds no further block of events: once those of the paid one are used up, only sessions are kept until a top-up.", a.Balance))
	case a.Balance < a.Day:
		said = append(said, fmt.Sprintf("The balance of %s TIK lasts for less than a day: the game has cost %s in the last 24 hours.", a.Balance, a.Day))
	}
	return said
}

// GameAccount returns that of a project's game, or sidecar.ErrUnknownProject.
func (l *Ledger) GameAccount(ctx context.Context, projectID string) (a GameAccount, err error) {
	a.BlockPrice = l.blockPrice()
	err = l.store.View(ctx, func(r *store.Reader) error {
		now, err := r.Now(l.now)
		if err != nil {
			return err
		}
		month := monthOf(now)
		var most, balance, spent, day int64
		err = r.Row(`SELECT coalesce(s.tik_per_month, ?), coalesce(b.tik, 0) FROM projects p
			LEFT JOIN play_settings s ON s.project_id = p.id LEFT JOIN balances b ON b.user_id = p.owner_id WHERE p.id = ?`,
			int64(DefaultGameTIK), projectID).Scan(&most, &balance)
		if errors.Is(err, store.ErrNoRows) {
			return sidecar.ErrUnknownProject
		}
		if err != nil {
			return err
		}
		if err := r.Row(`SELECT count(*), CAST(coalesce(-sum(CASE WHEN at >= ? THEN delta ELSE 0 END), 0) AS BIGINT),
				CAST(coalesce(-sum(CASE WHEN at >= ? THEN delta ELSE 0 END), 0) AS BIGINT)
			FROM tik_entries WHERE project_id = ? AND feed_id = ?`,
			month.UnixMilli(), now.Add(-24*time.Hour).UnixMilli(), projectID, blockFeed).Scan(&a.Blocks, &spent, &day); err != nil {
			return err
		}
		a.Most, a.Balance, a.Month, a.Day = api.TIK(most), api.TIK(balance), api.TIK(spent), api.TIK(day)
		passed, whole := now.Sub(month), month.AddDate(0, 1, 0).Sub(month)
		a.Forecast = api.TIK(float64(spent) * float64(whole) / float64(max(passed, time.Hour)))
		return nil
	})
	if err != nil {
		return GameAccount{}, fmt.Errorf("reading what game %s costs: %w", projectID, err)
	}
	return a, nil
}

// monthOf is when a month of UTC began.
func monthOf(now time.Time) time.Time {
	return time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
}
