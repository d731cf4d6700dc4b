package sessions

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// desk is a registry on a clock that the test moves.
type desk struct {
	*Registry
	store *store.Store
	at    atomic.Int64 // Unix milliseconds
}

func (d *desk) pass(t time.Duration) { d.at.Add(t.Milliseconds()) }

// onEach runs a test with the users alice and bob on each kind of store.
func onEach(t *testing.T, test func(t *testing.T, d *desk)) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		d := &desk{store: s}
		d.at.Store(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).UnixMilli())
		now := func() time.Time { return time.UnixMilli(d.at.Load()).UTC() }
		d.Registry = New(Options{Store: s, Now: now})
		users := keys.New(s, now)
		for _, id := range []string{"alice", "bob"} {
			if _, err := users.CreateUser(t.Context(), "test", id, 0); err != nil {
				t.Fatal(err)
			}
		}
		test(t, d)
	})
}

func (d *desk) begin(t *testing.T, userID string) string {
	t.Helper()
	secret, err := d.Begin(t.Context(), userID, ViaLink)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func (d *desk) find(t *testing.T, secret string) Session {
	t.Helper()
	s, err := d.Find(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *desk) gone(t *testing.T, secret string) {
	t.Helper()
	if s, err := d.Find(t.Context(), secret); !errors.Is(err, ErrNone) {
		t.Errorf("session %+v, %v; want ErrNone", s, err)
	}
}

func TestSessionEndsWhenIdle(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		secret := d.begin(t, "alice")
		for range 3 { // each use starts the time anew
			d.pass(DefaultIdle - time.Second)
			if s := d.find(t, secret); s.UserID != "alice" || s.Via != ViaLink {
				t.Errorf("session %+v", s)
			}
		}
		d.pass(DefaultIdle + time.Second)
		d.gone(t, secret)
	})
}

func TestSessionEndsHoweverMuchItIsUsed(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		secret := d.begin(t, "alice")
		for range DefaultAbsolute / (30 * time.Minute) {
			d.pass(30 * time.Minute)
			d.find(t, secret)
		}
		d.pass(time.Second)
		d.gone(t, secret)
	})
}

func TestSignOutEndsOneSessionAndEverywhereAll(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		one, two, others := d.begin(t, "alice"), d.begin(t, "alice"), d.begin(t, "bob")
		if err := d.End(t.Context(), d.find(t, one)); err != nil {
			t.Fatal(err)
		}
		d.gone(t, one)
		three := d.begin(t, "alice")
		link, err := d.NewLink(t.Context(), "test", "alice")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.EndAll(t.Context(), d.find(t, two)); err != nil {
			t.Fatal(err)
		}
		d.gone(t, two)
		d.gone(t, three)
		d.find(t, others)
		if _, err := d.SignIn(t.Context(), link.Code); !errors.Is(err, ErrCode) {
			t.Errorf("a link from before: %v, want ErrCode", err)
		}
	})
}

func TestWhoAsksWhetherASessionHasEndedDoesNotKeepIt(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		idle, used, out, everywhere := d.begin(t, "alice"), d.begin(t, "alice"), d.begin(t, "alice"), d.begin(t, "bob")
		ended := func(secret string) bool {
			t.Helper()
			over, err := d.Ended(t.Context(), Session{hash: digest(secret)}.Name())
			if err != nil {
				t.Fatal(err)
			}
			return over
		}
		for name, secret := range map[string]string{"idle": idle, "used": used, "out": out, "everywhere": everywhere} {
			if ended(secret) {
				t.Errorf("%s has ended at its beginning", name)
			}
		}
		if err := errors.Join(d.End(t.Context(), d.find(t, out)), d.EndAll(t.Context(), d.find(t, everywhere))); err != nil {
			t.Fatal(err)
		}
		if !ended(out) || !ended(everywhere) || ended(idle) {
			t.Errorf("ended: signed out %t, everywhere %t, another %t", ended(out), ended(everywhere), ended(idle))
		}
		for range 2 {
			d.pass(DefaultIdle - time.Minute)
			d.find(t, used)
			ended(idle)
		}
		if !ended(idle) || ended(used) {
			t.Errorf("ended: unused %t, used %t", ended(idle), ended(used))
		}
		for range DefaultAbsolute / (30 * time.Minute) {
			d.pass(30 * time.Minute)
			if !ended(used) {
				d.find(t, used)
			}
		}
		if !ended(used) {
			t.Error("a session of more than its longest time goes on")
		}
	})
}

func TestLinkSignsInOnce(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		link, err := d.NewLink(t.Context(), "test", "alice")
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var signedIn, refused atomic.Int64
		for range 8 {
			wg.Go(func() {
				secret, err := d.SignIn(t.Context(), link.Code)
				switch {
				case errors.Is(err, ErrCode):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				default:
					signedIn.Add(1)
					if s, err := d.Find(t.Context(), secret); err != nil || s.UserID != "alice" {
						t.Errorf("session %+v, %v", s, err)
					}
				}
			})
		}
		wg.Wait()
		if signedIn.Load() != 1 || refused.Load() != 7 {
			t.Errorf("%d signed in, %d refused", signedIn.Load(), refused.Load())
		}
	})
}

func TestCodeIsGoodForItsPurposeAndTimeOnly(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		link, err := d.NewLink(t.Context(), "test", "alice")
		if err != nil {
			t.Fatal(err)
		}
		preview, err := d.NewPreview(t.Context(), "alice", "job_1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.SignIn(t.Context(), preview); !errors.Is(err, ErrCode) {
			t.Errorf("signed in with a preview: %v", err)
		}
		if _, _, err := d.Preview(t.Context(), link.Code); !errors.Is(err, ErrCode) {
			t.Errorf("previewed with a link: %v", err)
		}
		if job, user, err := d.Preview(t.Context(), preview); err != nil || job != "job_1" || user != "alice" {
			t.Errorf("preview of %q, %v", job, err)
		}
		d.pass(LinkTTL)
		if _, err := d.SignIn(t.Context(), link.Code); !errors.Is(err, ErrCode) {
			t.Errorf("signed in with an old link: %v", err)
		}
		d.pass(PreviewTTL)
		if _, _, err := d.Preview(t.Context(), preview); !errors.Is(err, ErrCode) {
			t.Errorf("previewed with an old code: %v", err)
		}
	})
}

func TestPreviewsAreKeptWhileTheyAreGoodOnly(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		const most = 2 * PreviewTTL / 3
		code, err := d.NewPreview(t.Context(), "alice", "project:1")
		if err != nil {
			t.Fatal(err)
		}
		keep := func(user, subject string) {
			t.Helper()
			if err := d.KeepPreviews(t.Context(), user, subject); err != nil {
				t.Fatal(err)
			}
		}
		keep("alice", "project:1") // too early to be noted
		for range 3 {
			d.pass(most)
			keep("alice", "project:1")
		}
		if subject, user, err := d.Preview(t.Context(), code); err != nil || subject != "project:1" || user != "alice" {
			t.Errorf("preview of %q, %v", subject, err)
		}
		d.pass(most)
		keep("bob", "project:1")
		keep("alice", "project:2")
		d.pass(most)
		keep("alice", "project:1")
		if _, _, err := d.Preview(t.Context(), code); !errors.Is(err, ErrCode) {
			t.Errorf("others kept it, or its end did not: %v", err)
		}
	})
}

func TestFormIsTakenOnce(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		form := NewForm()
		if err := d.useForm(t, "alice", form); err != nil {
			t.Fatal(err)
		}
		if err := d.useForm(t, "alice", form); !errors.Is(err, ErrCode) {
			t.Errorf("a second time: %v, want ErrCode", err)
		}
		if err := d.useForm(t, "bob", form); err != nil {
			t.Errorf("of another user: %v", err)
		}
	})
}

// useForm takes a form in a transaction of its own.
func (d *desk) useForm(t *testing.T, userID, form string) error {
	return d.store.Update(t.Context(), func(tx *store.Tx) error { return d.UseForm(tx, userID, form) })
}

// codes returns how many codes the store holds.
func (d *desk) codes(t *testing.T) int {
	t.Helper()
	var n int
	if err := d.store.View(t.Context(), func(r *store.Reader) error {
		return r.Row("SELECT count(*) FROM session_codes").Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCodesThatHaveRunOutGoWhereOthersAreMade(t *testing.T) {
	makers := map[string]func(t *testing.T, d *desk) error{
		"link":    func(t *testing.T, d *desk) error { _, err := d.NewLink(t.Context(), "test", "alice"); return err },
		"preview": func(t *testing.T, d *desk) error { _, err := d.NewPreview(t.Context(), "alice", "job"); return err },
		"form":    func(t *testing.T, d *desk) error { return d.useForm(t, "alice", NewForm()) },
	}
	for name, add := range makers {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, d *desk) {
				for range 3 {
					if err := add(t, d); err != nil {
						t.Fatal(err)
					}
				}
				if n := d.codes(t); n != 3 {
					t.Fatalf("%d codes, want the 3 that are good", n)
				}
				d.pass(formTTL + time.Second)
				if err := add(t, d); err != nil {
					t.Fatal(err)
				}
				if n := d.codes(t); n != 1 {
					t.Errorf("%d codes, want the one that is good", n)
				}
			})
		})
	}
}

func TestUnknownUserCanNotSignIn(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		if _, err := d.Begin(t.Context(), "nobody", ViaOIDC); !errors.Is(err, store.ErrUnknownUser) {
			t.Errorf("got %v", err)
		}
		if _, err := d.NewLink(t.Context(), "test", "nobody"); !errors.Is(err, store.ErrUnknownUser) {
			t.Errorf("got %v", err)
		}
	})
}

func TestStoreHoldsNoSecretOfASession(t *testing.T) {
	onEach(t, func(t *testing.T, d *desk) {
		link, err := d.NewLink(t.Context(), "test", "alice")
		if err != nil {
			t.Fatal(err)
		}
		secret, err := d.SignIn(t.Context(), link.Code)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		err = d.store.View(t.Context(), func(r *store.Reader) error {
			return r.Row(`SELECT (SELECT count(*) FROM sessions WHERE hash IN (?, ?))
				+ (SELECT count(*) FROM session_codes WHERE hash IN (?, ?) OR subject IN (?, ?))
				+ (SELECT count(*) FROM audit WHERE detail LIKE '%' || ? || '%' OR detail LIKE '%' || ? || '%')`,
				secret, link.Code, secret, link.Code, secret, link.Code, secret, link.Code).Scan(&n)
		})
		if err != nil || n != 0 {
			t.Errorf("%d rows hold a secret, %v", n, err)
		}
	})
}
