package ledger_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

func (f *fixture) buy(n int64, want bool) {
	f.t.Helper()
	if paid, err := f.ledger.BuyBlock(f.t.Context(), f.project, n); err != nil || paid != want {
		f.t.Errorf("block %d: paid %t, %v, want %t", n, paid, err, want)
	}
}

// blocksAt has a block cost so much.
func (f *fixture) blocksAt(price api.TIK) {
	f.t.Helper()
	f.must(f.ledger.SetPrices(map[string]api.TIK{"step": 10 * api.MicroPerTIK, "free": 0, ledger.UnitKEvents: price}))
}

func TestBlockIsPaidOnceHoweverOftenItIsBought(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { f.buy(1, true) })
		}
		all.Wait()
		f.restart()
		f.buy(1, true)
		f.buy(2, true)
		if got, want := f.balance(), api.TIK(100*api.MicroPerTIK-2*ledger.DefaultBlockPrice); got != want {
			t.Errorf("the balance is %s, want %s", got, want)
		}
		if spent := f.usage(key).TIKThisMonth; spent != 0 {
			t.Errorf("the key's month counts %s TIK", spent)
		}
		f.accept(key) // admitted all the same
		blocks, err := store.Read(t.Context(), f.store, ledger.Blocks)
		if err != nil || len(blocks) != 1 || blocks[f.project] != 2 {
			t.Errorf("paid blocks are %v, %v", blocks, err)
		}
		st, err := f.keys.Statement(t.Context(), "alice", "", "")
		if err != nil || len(st.Entries) != 3 || st.Entries[2].Kind != keys.EntryCharge || st.Entries[2].Units[0].Name != ledger.UnitKEvents {
			t.Errorf("the statement is %+v, %v", st, err)
		}
		wantInvariants(t, f.store)
	})
}

func TestBlocksMakeNoDebtAndATopUpPaysForTheNext(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.must(f.store.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO play_settings (project_id, tik_per_month, origins, blocked_for) VALUES (?, ?, '[]', '')",
				f.project, int64(1000*api.MicroPerTIK))
			return err
		}))
		f.blocksAt(50 * api.MicroPerTIK)
		var all sync.WaitGroup
		for n := range int64(6) {
			all.Go(func() { f.must(second(f.ledger.BuyBlock(t.Context(), f.project, n+1))) })
		}
		all.Wait()
		if got := f.balance(); got != 0 {
			t.Errorf("the balance is %s, want 0", got)
		}
		f.buy(9, false)
		f.must(second(f.keys.TopUp(t.Context(), "test", "alice", keys.Credit{TIK: 50 * api.MicroPerTIK})))
		f.buy(9, true)
		f.buy(10, false)
		f.blocksAt(0)
		f.buy(10, true)
		wantNoDebt(t, f)
	})
}

// wantNoDebt checks what holds though the blocks were not bought in their order.
func wantNoDebt(t *testing.T, f *fixture) {
	t.Helper()
	f.must(f.store.View(t.Context(), func(r *store.Reader) error {
		broken, err := violations(r)
		delete(broken, "blocks")
		if len(broken) > 0 || f.balance() < 0 {
			t.Errorf("the ledger breaks %v", broken)
		}
		return err
	}))
}

func TestGameCostsNoMoreThanItsCapInAMonth(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.blocksAt(4 * api.MicroPerTIK)
		f.buy(1, true)
		f.buy(2, true)
		f.buy(3, false) // 12 of 10 TIK
		f.buy(2, true)  // which is paid
		f.clock.Set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		f.buy(3, true)
		wantInvariants(t, f.store)
	})
}

// account is what the fixture's game costs.
func (f *fixture) account() ledger.GameAccount {
	f.t.Helper()
	a, err := f.ledger.GameAccount(f.t.Context(), f.project)
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func (f *fixture) wantWarnings(want ...string) {
	f.t.Helper()
	said := f.account().Warnings()
	if len(said) != len(want) {
		f.t.Errorf("warned of %q, want %q", said, want)
		return
	}
	for i, text := range want {
		if !strings.Contains(said[i], text) {
			f.t.Errorf("warned of %q, want %q", said[i], text)
		}
	}
}

func TestOwnerIsWarnedBeforeEventsAreNoLongerKept(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.clock.Set(time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC))
		f.blocksAt(2 * api.MicroPerTIK)
		for n := range int64(3) {
			f.buy(n+1, true)
		}
		f.wantWarnings()
		f.clock.Set(time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC))
		f.buy(4, true)
		want := ledger.GameAccount{
			BlockPrice: 2 * api.MicroPerTIK, Blocks: 4, Day: 2 * api.MicroPerTIK, Month: 8 * api.MicroPerTIK, Most: 10 * api.MicroPerTIK,
			Forecast: 16 * api.MicroPerTIK, Balance: 92 * api.MicroPerTIK,
		}
		if got := f.account(); got != want {
			t.Errorf("the account is %+v, want %+v", got, want)
		}
		f.wantWarnings("8 of the 10 TIK")
		f.buy(5, true)
		f.wantWarnings("once the events of the paid block are used up, only sessions are kept until the next month")
		f.clock.Set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
		f.wantWarnings()
		f.blocksAt(30 * api.MicroPerTIK)
		f.must(f.store.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO play_settings (project_id, tik_per_month, origins, blocked_for) VALUES (?, ?, '[]', '')",
				f.project, int64(1000*api.MicroPerTIK))
			return err
		}))
		f.buy(6, true)
		f.buy(7, true)
		f.wantWarnings("lasts for less than a day")
		f.buy(8, true)
		f.wantWarnings("once those of the paid one are used up")
		f.blocksAt(0)
		f.wantWarnings()
		if _, err := f.ledger.GameAccount(t.Context(), "fedcba9876543210fedcba98"); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("of no project: %v", err)
		}
	})
}

func TestBlockOfAProjectThatIsGoneIsNotPaid(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		if paid, err := f.ledger.BuyBlock(t.Context(), "fedcba9876543210fedcba98", 1); paid || err != nil {
			t.Errorf("paid %t, %v", paid, err)
		}
	})
}
