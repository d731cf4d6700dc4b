package keys_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/store"
)

// Who got no answer asks again.
func TestCreditWithAReferenceCountsOnceHoweverOftenItIsSent(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		for _, user := range []string{"carol", "bob"} {
			if _, err := g.CreateUser(t.Context(), "a", user, 0); err != nil {
				t.Fatal(err)
			}
		}
		credit := keys.Credit{TIK: 5, Reference: "invoice/2026-11#1"}
		var first atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				c, err := g.TopUp(t.Context(), "a", "carol", credit)
				if err != nil || c.Balance != 5 {
					t.Errorf("got %+v, %v", c, err)
				}
				if !c.Repeated {
					first.Add(1)
				}
			})
		}
		wg.Wait()
		if n := first.Load(); n != 1 {
			t.Errorf("%d of eight were the first", n)
		}
		for name, other := range map[string]struct {
			user   string
			credit keys.Credit
			want   error
		}{
			"another amount":         {"carol", keys.Credit{TIK: 6, Reference: credit.Reference}, keys.ErrReference},
			"another user":           {"bob", credit, keys.ErrReference},
			"no acceptable name":     {"bob", keys.Credit{TIK: 5, Reference: "two words"}, keys.ErrInvalid},
			"a name that is no text": {"bob", keys.Credit{TIK: 5, Reference: "a\x00"}, keys.ErrInvalid},
		} {
			if _, err := g.TopUp(t.Context(), "a", other.user, other.credit); !errors.Is(err, other.want) {
				t.Errorf("%s: %v, want %v", name, err, other.want)
			}
		}
		for user, want := range map[string]api.TIK{"carol": 5, "bob": 0} {
			st, err := g.Statement(t.Context(), user, "", "")
			if err != nil {
				t.Fatal(err)
			}
			var sum api.TIK
			for _, e := range st.Entries {
				sum += e.TIK
			}
			if u, err := g.User(t.Context(), user); err != nil || u.Balance != want || sum != want {
				t.Errorf("%s has %s by %s in entries, want %s: %v", user, u.Balance, sum, want, err)
			}
		}
		refusedTopUpLeavesItsReferenceFree(t, g, s)
	})
}

func refusedTopUpLeavesItsReferenceFree(t *testing.T, g *keys.Registry, s *store.Store) {
	t.Helper()
	near := keys.Credit{TIK: ledger.MaxAmount, Reference: "large"}
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE balances SET tik = ?", int64(1000*ledger.MaxAmount))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.TopUp(t.Context(), "a", "carol", near); !errors.Is(err, keys.ErrInvalid) {
		t.Fatalf("got %v", err)
	}
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE balances SET tik = 0")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if c, err := g.TopUp(t.Context(), "a", "carol", near); err != nil || c.Repeated {
		t.Errorf("after a refusal: %+v, %v", c, err)
	}
}

func TestBalanceCannotGrowBeyondWhatCanBeCounted(t *testing.T) {
	onEach(t, func(t *testing.T, g *keys.Registry, s *store.Store) {
		near := 999 * ledger.MaxAmount
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("UPDATE balances SET tik = ?", int64(near+1))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.TopUp(t.Context(), "a", "alice", keys.Credit{TIK: ledger.MaxAmount}); !errors.Is(err, keys.ErrInvalid) {
			t.Errorf("got %v, want ErrInvalid", err)
		}
		if u, err := g.User(t.Context(), "alice"); err != nil || u.Balance != near+1 {
			t.Errorf("balance %s, %v: want it unchanged", u.Balance, err)
		}
		if _, err := g.TopUp(t.Context(), "a", "alice", keys.Credit{TIK: ledger.MaxAmount - 1}); err != nil {
			t.Errorf("up to the bound: %v", err)
		}
	})
}
