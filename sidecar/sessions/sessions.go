// Package sessions knows who is signed in to the console. A browser holds a
// secret; the store has its hash, so that whoever reads the store can't enter.
package sessions

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

// Defaults of Options.
const (
	DefaultIdle     = time.Hour
	DefaultAbsolute = 12 * time.Hour
)

// How a user signed in.
const (
	ViaLink  = "link"  // a one-time link
	ViaOIDC  = "oidc"  // an OpenID provider
	ViaCaddy = "caddy" // an identity that Caddy's own authentication set
)

// seenEvery is how exact a session's last use is: noting each would turn every
// page into a write.
const seenEvery = time.Minute

// ErrNone: the secret belongs to no session, or to one that has ended.
var ErrNone = errors.New("no such session")

// Session is one user signed in with one browser or, via Caddy, with any.
type Session struct {
	UserID    string
	Via       string
	CreatedAt time.Time
	hash      string
}

// Name names the session to Ended. It opens nothing.
func (s Session) Name() string { return s.hash }

// Options of a Registry.
type Options struct {
	Store *store.Store
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Idle ends a session that was not used for so long; 0 means DefaultIdle.
	Idle time.Duration
	// Absolute ends every session; 0 means DefaultAbsolute.
	Absolute time.Duration
}

// Registry makes, finds and ends sessions and codes. It is safe for concurrent
// use.
type Registry struct {
	store    *store.Store
	now      func() time.Time
	idle     time.Duration
	absolute time.Duration
}

// New returns the registry of a store.
func New(o Options) *Registry {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Registry{store: o.Store, now: o.Now, idle: cmp.Or(o.Idle, DefaultIdle), absolute: cmp.Or(o.Absolute, DefaultAbsolute)}
}

// Begin signs a user in and returns the secret that the browser keeps. A user
// who is not there is store.ErrUnknownUser.
func (r *Registry) Begin(ctx context.Context, userID, via string) (secret string, err error) {
	secret, hash := newSecret()
	err = r.store.Update(ctx, func(tx *store.Tx) error { return r.begin(tx, userID, via, hash) })
	if err != nil {
		return "", fmt.Errorf("signing in: %w", err)
	}
	return secret, nil
}

func (r *Registry) begin(tx *store.Tx, userID, via, hash string) error {
	if err := tx.LockUser(userID); err != nil {
		return err
	}
	now := r.now()
	if err := r.sweep(tx, now); err != nil {
		return err
	}
	n, err := tx.Exec(`INSERT INTO sessions (hash, user_id, via, created_at, seen_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (hash) DO NOTHING`, hash, userID, via, now.UnixMilli(), now.UnixMilli())
	if n == 0 || err != nil {
		return err // or another request of the same named user was first
	}
	return tx.Audit(now, store.AuditEntry{
		Actor: Actor(userID), Action: "console.sign_in", Subject: userID, Detail: map[string]any{"via": via},
	})
}

// Named returns the session of a user whom Caddy's authentication names with each
// request, and begins it when there is none. It is one for all of the user's
// browsers, and no secret opens it: requests that bring no cookie would begin
// another each time. A user who is not there is store.ErrUnknownUser.
func (r *Registry) Named(ctx context.Context, userID string) (Session, error) {
	hash := digest("named\n" + userID) // no cookie holds a line break
	s, err := r.find(ctx, hash)
	if !errors.Is(err, ErrNone) {
		return s, err
	}
	if err := r.store.Update(ctx, func(tx *store.Tx) error { return r.begin(tx, userID, ViaCaddy, hash) }); err != nil {
		return Session{}, fmt.Errorf("signing in: %w", err)
	}
	return r.find(ctx, hash)
}

// sweep removes the sessions that have ended, so that the table doesn't grow
// for ever.
func (r *Registry) sweep(tx *store.Tx, now time.Time) error {
	_, err := tx.Exec("DELETE FROM sessions WHERE seen_at < ? OR created_at < ?",
		now.Add(-r.idle).UnixMilli(), now.Add(-r.absolute).UnixMilli())
	return err
}

// Find returns the session of a secret and notes that it is used, or ErrNone.
func (r *Registry) Find(ctx context.Context, secret string) (Session, error) {
	return r.find(ctx, digest(secret))
}

// Look returns the session of a secret, or ErrNone. To ask is no use of it.
func (r *Registry) Look(ctx context.Context, secret string) (Session, error) {
	s, _, err := r.look(ctx, digest(secret), r.now())
	return s, err
}

// look returns a session that is not over, and when it was last used, in Unix
// milliseconds.
func (r *Registry) look(ctx context.Context, hash string, now time.Time) (s Session, seen int64, err error) {
	s = Session{hash: hash}
	var created int64
	err = r.store.View(ctx, func(v *store.Reader) error {
		return v.Row("SELECT user_id, via, created_at, seen_at FROM sessions WHERE hash = ?", s.hash).
			Scan(&s.UserID, &s.Via, &created, &seen)
	})
	if errors.Is(err, store.ErrNoRows) || err == nil && r.over(now, created, seen) {
		return Session{}, 0, ErrNone
	}
	if err != nil {
		return Session{}, 0, fmt.Errorf("finding a session: %w", err)
	}
	s.CreatedAt = time.UnixMilli(created).UTC()
	return s, seen, nil
}

func (r *Registry) find(ctx context.Context, hash string) (Session, error) {
	now := r.now()
	s, seen, err := r.look(ctx, hash, now)
	if err != nil || now.Sub(time.UnixMilli(seen)) < seenEvery {
		return s, err
	}
	err = r.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE sessions SET seen_at = ? WHERE hash = ? AND seen_at < ?", now.UnixMilli(), s.hash, now.UnixMilli())
		return err
	})
	if err != nil {
		return Session{}, fmt.Errorf("noting the use of a session: %w", err)
	}
	return s, nil
}

// Ended reports whether the session of a Name has ended. To ask is no use of it:
// a page that is left open does not keep its session from ending.
func (r *Registry) Ended(ctx context.Context, name string) (bool, error) {
	var created, seen int64
	err := r.store.View(ctx, func(v *store.Reader) error {
		return v.Row("SELECT created_at, seen_at FROM sessions WHERE hash = ?", name).Scan(&created, &seen)
	})
	if errors.Is(err, store.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking whether a session has ended: %w", err)
	}
	return r.over(r.now(), created, seen), nil
}

// over reports whether the time of a session is over that was begun and last used
// at the given times, in Unix milliseconds.
func (r *Registry) over(now time.Time, created, seen int64) bool {
	return now.Sub(time.UnixMilli(seen)) > r.idle || now.Sub(time.UnixMilli(created)) > r.absolute
}

// End signs a session out.
func (r *Registry) End(ctx context.Context, s Session) error {
	return r.end(ctx, s, "console.sign_out", s.hash, "DELETE FROM sessions WHERE hash = ?")
}

// EndAll signs all sessions of the session's user out, and voids the codes
// that could open another.
func (r *Registry) EndAll(ctx context.Context, s Session) error {
	return r.end(ctx, s, "console.sign_out_everywhere", s.UserID,
		"DELETE FROM sessions WHERE user_id = ?", "DELETE FROM session_codes WHERE user_id = ?")
}

// end runs statements of one argument, and audits them.
func (r *Registry) end(ctx context.Context, s Session, action, arg string, statements ...string) error {
	err := r.store.Update(ctx, func(tx *store.Tx) error {
		for _, statement := range statements {
			if _, err := tx.Exec(statement, arg); err != nil {
				return err
			}
		}
		return tx.Audit(r.now(), store.AuditEntry{Actor: Actor(s.UserID), Action: action, Subject: s.UserID})
	})
	if err != nil {
		return fmt.Errorf("signing out: %w", err)
	}
	return nil
}

// Actor names a user of the console in the audit log.
func Actor(userID string) string { return "console:" + userID }

// newSecret returns 256 random bits as text, and their hash.
func newSecret() (secret, hash string) {
	var bits [32]byte
	rand.Read(bits[:]) // never fails
	secret = base64.RawURLEncoding.EncodeToString(bits[:])
	return secret, digest(secret)
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
