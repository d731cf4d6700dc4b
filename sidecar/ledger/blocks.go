package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/store"
)

// UnitKEvents is a block of a thousand events of a game that is played. No engine
// reports it: the game's owner pays for it ahead.
const UnitKEvents = "analytics.kevents"

const (
	// DefaultBlockPrice is what a block costs by a price list that lacks it: a list
	// made before there were blocks goes on.
	DefaultBlockPrice = api.MicroPerTIK / 100
	// DefaultGameTIK is what a game may cost its owner in a UTC month who set nothing
	// else.
	DefaultGameTIK = 10 * api.MicroPerTIK
)

// blockFeed is the feed of the entries of blocks. No engine's feed can be called so:
// its name has no blank.
const blockFeed = "play blocks"

// errUnpaid: the balance or the game's cap does not hold the price of a block.
var errUnpaid = errors.New("the block is not paid")

// BuyBlock charges the owner of a game for its nth block of events, n from 1, and
// reports whether it is paid: not when the owner's balance is less than its price, nor
// when the game would cost more than its cap in this month. A block that was paid is
// paid for good: who got no answer asks again. No key's month counts it.
func (l *Ledger) BuyBlock(ctx context.Context, projectID string, n int64) (bool, error) {
	units, err := json.Marshal([]contract.Unit{{Name: UnitKEvents, Quantity: 1}})
	if err != nil {
		return false, err
	}
	var cost api.TIK
	err = l.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(l.now)
		if err != nil {
			return err
		}
		cost, err = l.buyBlock(tx, now, projectID, n, string(units))
		return err
	})
	if errors.Is(err, errUnpaid) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("buying block %d of game %s: %w", n, projectID, err)
	}
	l.metrics.charge(forGames, cost)
	return true, nil
}

// buyBlock returns what the block cost, 0 for one that was paid before.
func (l *Ledger) buyBlock(tx *store.Tx, now time.Time, projectID string, n int64, units string) (api.TIK, error) {
	price := l.blockPrice()
	var owner string
	var most int64
	err := tx.Row(`SELECT p.owner_id, coalesce(s.tik_per_month, ?) FROM projects p LEFT JOIN play_settings s ON s.project_id = p.id
		WHERE p.id = ?`, int64(DefaultGameTIK), projectID).Scan(&owner, &most)
	if errors.Is(err, store.ErrNoRows) {
		return 0, errUnpaid // nobody is there to pay
	}
	if err != nil {
		return 0, err
	}
	added, err := tx.Exec(`INSERT INTO tik_entries (project_id, feed_id, seq, user_id, delta, units, at)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, feed_id, seq) DO NOTHING`,
		projectID, blockFeed, n, owner, int64(-price), units, now.UnixMilli())
	if added == 0 || err != nil {
		return 0, err
	}
	var spent int64
	if err := tx.Row("SELECT CAST(coalesce(-sum(delta), 0) AS BIGINT) FROM tik_entries WHERE project_id = ? AND feed_id = ? AND at >= ?",
		projectID, blockFeed, monthOf(now).UnixMilli()).Scan(&spent); err != nil {
		return 0, err
	}
	if spent > most {
		return 0, errUnpaid
	}
	if price == 0 {
		return 0, nil
	}
	paid, err := tx.Exec("UPDATE balances SET tik = tik - ? WHERE user_id = ? AND tik >= ?", int64(price), owner, int64(price))
	if paid == 0 && err == nil {
		err = errUnpaid
	}
	return price, err
}

// blockPrice is what a block costs now.
func (l *Ledger) blockPrice() api.TIK {
	if price, priced := (*l.prices.Load())[UnitKEvents]; priced {
		return price
	}
	return DefaultBlockPrice
}

// Blocks returns how many blocks of each game are paid.
func Blocks(r *store.Reader) (map[string]int64, error) {
	blocks := make(map[string]int64)
	err := r.Each(func(scan store.Scan) error {
		var game string
		var n int64
		err := scan(&game, &n)
		blocks[game] = n
		return err
	}, "SELECT project_id, count(*) FROM tik_entries WHERE feed_id = ? GROUP BY project_id", blockFeed)
	if err != nil {
		return nil, fmt.Errorf("counting the blocks of games: %w", err)
	}
	return blocks, nil
}
