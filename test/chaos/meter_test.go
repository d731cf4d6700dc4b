package chaos

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// capped is how many blocks the owner of a game lets it have in a month, and
	// afforded how many the owner of another one can pay.
	capped   = 7
	afforded = 9
)

// metered are the books of games whose players are reported while the processes that
// keep them are killed: one that its owner lets cost anything, one with a cap, and one
// whose owner's balance ends.
type metered struct {
	t                *testing.T
	address          string
	store            *store.Store
	free, cap, broke string
	sup              *supervisor
}

// TestBlocksArePaidExactlyWhoeverIsKilled holds what is so of events that are paid ahead:
// each is kept once, none that is not paid, no block is charged twice and one at most
// ahead, no balance goes below zero, and no key's month counts any of it.
func TestBlocksArePaidExactlyWhoeverIsKilled(t *testing.T) {
	together(t)
	for name, address := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), store.SQLiteFile) },
		"PostgreSQL": stores["PostgreSQL"],
	} {
		t.Run(name, func(t *testing.T) {
			together(t)
			began, kills := time.Now(), killsOr(20)
			m := meter(t, address(t))
			// A file has one process that writes to it; PostgreSQL as many as there are sidecars.
			crew := []member{{roleRecorder, 0}}
			if store.IsPostgresURL(m.address) {
				crew = append(crew, member{roleRecorder, 1}, member{roleRecorder, 6})
			}
			m.sup.rage(kills, 3*time.Minute+time.Duration(kills)*3*time.Second, m.enough, crew...)
			if t.Failed() {
				return
			}
			m.sendAgain()
			wrong, events := m.audit()
			for _, w := range wrong {
				t.Error(w)
			}
			outcome{
				form: "events of players on " + name, kills: m.sup.kills.Load(), points: m.sup.reached,
				events: events, wrong: len(wrong), took: time.Since(began),
			}.note()
		})
	}
}

// meter makes the two owners and their games.
func meter(t *testing.T, address string) *metered {
	m := &metered{t: t, address: address}
	var err error
	m.store, err = openStore(address)
	m.must(err)
	t.Cleanup(func() {
		if err := m.store.Close(); err != nil {
			t.Error(err)
		}
	})
	registry, catalog := keys.New(m.store, nil), projects.New(projects.Options{Store: m.store, Now: time.Now})
	game := func(owner string) string {
		p, err := catalog.CreateProject(t.Context(), owner, api.ProjectRequest{Name: "game"})
		m.must(err)
		return p.ID
	}
	_, err = registry.CreateUser(t.Context(), "test", "alice", credit)
	m.must(err)
	_, err = registry.CreateUser(t.Context(), "test", "bob", afforded*ledger.DefaultBlockPrice)
	m.must(err)
	_, err = registry.Create(t.Context(), "test", "bob", "key", policy.Limits{})
	m.must(err)
	m.free, m.cap, m.broke = game("alice"), game("alice"), game("bob")
	m.must(m.store.Update(t.Context(), func(tx *store.Tx) error {
		for game, most := range map[string]api.TIK{m.free: credit, m.cap: capped * ledger.DefaultBlockPrice} {
			if _, err := tx.Exec("INSERT INTO play_settings (project_id, tik_per_month, origins, blocked_for) VALUES (?, ?, '[]', '')", game, int64(most)); err != nil {
				return err
			}
		}
		return nil
	}))
	o := orders{Store: address, Projects: []string{m.free, m.cap, m.broke}}
	m.sup = &supervisor{t: t, orders: o, stop: make(chan struct{}), reached: make(map[string]int), sent: make(map[page]bool)}
	return m
}

// enough reports whether cap and balance were met.
func (m *metered) enough() bool {
	blocks, err := store.Read(m.t.Context(), m.store, ledger.Blocks)
	return err == nil && blocks[m.cap] == capped && blocks[m.broke] == afforded && blocks[m.free] > afforded
}

// sendAgain has every page that got no answer send once more what it sent, as the
// library does; and one that got it, which changes nothing.
func (m *metered) sendAgain() {
	l, err := newLedger(m.store, nil)
	m.must(err)
	log, err := analytics.Open(m.t.Context(), playsOf(m.address), l, time.Now)
	m.must(err)
	for p := range m.sup.sent {
		_, err := log.Record(m.t.Context(), pageOf(p.game, p.stream))
		m.must(err)
	}
	m.must(log.Close())
}

// audit compares what was sent with what is kept, and that with what is paid.
func (m *metered) audit() (wrong []string, events int64) {
	want := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	var blocks map[string]int64
	found, err := analytics.CheckMeters(m.t.Context(), playsOf(m.address), func() (map[string]int64, error) {
		var err error
		blocks, err = store.Read(m.t.Context(), m.store, ledger.Blocks)
		return blocks, err
	})
	m.must(err)
	wrong = append(wrong, found...)
	used, kept := make(map[string]int64), m.kept(want)
	for p, n := range kept {
		used[p.game] += n
		events += n
		_, sent := m.sup.sent[p]
		want(sent, "stream %s was never sent, and has %d events", p.stream, n)
		want(n == ofStream || p.game != m.free && n <= ofStream, "stream %s has %d events of %d", p.stream, n, ofStream)
	}
	for p, acknowledged := range m.sup.sent {
		want(p.game != m.free || kept[p] > 0, "stream %s, acknowledged %t, is lost", p.stream, acknowledged)
	}
	for _, game := range m.sup.orders.Projects {
		n := blocks[game]
		want(n*analytics.BlockEvents >= used[game], "game %s has %d events of %d blocks", game, used[game], n)
		want(n <= used[game]/analytics.BlockEvents+2, "game %s has %d blocks for %d events", game, n, used[game])
	}
	want(used[m.cap] == capped*analytics.BlockEvents, "%d events are kept on a cap of %d blocks", used[m.cap], capped)
	want(used[m.broke] == afforded*analytics.BlockEvents, "%d events are kept on a balance for %d blocks", used[m.broke], afforded)
	m.auditBalances(want, blocks)
	m.t.Logf("%d kills at %v; events kept %v, blocks paid %v", m.sup.kills.Load(), m.sup.reached, used, blocks)
	return wrong, events
}

// kept counts the events of each page that are kept, and looks that each is there once.
func (m *metered) kept(want func(ok bool, format string, args ...any)) map[page]int64 {
	log, err := analytics.Open(m.t.Context(), playsOf(m.address), nil, time.Now)
	m.must(err)
	kept, last := make(map[page]int64), make(map[page]int64)
	today := time.Now().Unix() / (24 * 3600)
	for _, game := range m.sup.orders.Projects {
		for day := today - 1; day <= today; day++ { // midnight may have passed
			m.must(log.Events(m.t.Context(), game, day, func(e analytics.Event) error {
				p := page{game, e.Stream}
				want(e.Seq > last[p], "event %d of stream %s is kept twice", e.Seq, e.Stream)
				kept[p]++
				last[p] = e.Seq
				return nil
			}))
		}
	}
	m.must(log.Close())
	return kept
}

// auditBalances compares blocks with balances, and with the months of keys.
func (m *metered) auditBalances(want func(ok bool, format string, args ...any), blocks map[string]int64) {
	m.must(m.store.View(context.Background(), func(r *store.Reader) error {
		var alice, bob, counted int64
		err := errors.Join(
			r.Row("SELECT tik FROM balances WHERE user_id = 'alice'").Scan(&alice),
			r.Row("SELECT tik FROM balances WHERE user_id = 'bob'").Scan(&bob),
			r.Row("SELECT count(*) FROM usage").Scan(&counted),
			auditInvariants(r, want))
		price := int64(ledger.DefaultBlockPrice)
		want(alice == int64(credit)-price*(blocks[m.free]+blocks[m.cap]), "alice has %d after %v", alice, blocks)
		want(bob == 0 && blocks[m.broke] == afforded, "bob has %d after %d blocks", bob, blocks[m.broke])
		want(counted == 0, "%d months and days of keys count what is played", counted)
		return err
	}))
}

func (m *metered) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}
