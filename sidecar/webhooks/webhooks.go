// Package webhooks keeps where the ends of a project's jobs are posted to, and posts
// them. What is to be posted the ledger writes with the end itself.
package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/webhook"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// formerLife is how long a secret signs beside the one that replaced it.
const formerLife = 24 * time.Hour

// Registry knows all webhooks and their deliveries. It is safe for concurrent use.
type Registry struct {
	store    *store.Store
	now      func() time.Time
	networks []netip.Prefix
}

// New returns the registry of a store. A nil clock is the store's. networks are those
// that are not public and may be posted to all the same, also without TLS.
func New(s *store.Store, now func() time.Time, networks []netip.Prefix) *Registry {
	return &Registry{store: s, now: now, networks: networks}
}

// SetWebhook implements sidecar.Service.
func (g *Registry) SetWebhook(ctx context.Context, projectID string, req api.WebhookRequest) (api.Webhook, error) {
	if err := g.CheckURL(req.URL, "url"); err != nil {
		return api.Webhook{}, err
	}
	var made api.Webhook
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := lockProject(tx, projectID, g.now)
		if err != nil {
			return err
		}
		secret := webhook.NewSecret()
		n, err := tx.Exec(`INSERT INTO webhooks (project_id, url, events, secret, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (project_id) DO NOTHING`, projectID, req.URL, joined(req.Events), secret, now.UnixMilli())
		if err == nil && n == 1 { // an end may have been noted beside the former one's end
			_, err = tx.Exec("DELETE FROM webhook_deliveries WHERE project_id = ?", projectID)
		} else if err == nil {
			secret = ""
			_, err = tx.Exec("UPDATE webhooks SET url = ?, events = ? WHERE project_id = ?", req.URL, joined(req.Events), projectID)
		}
		if err != nil {
			return err
		}
		made, err = read(&tx.Reader, projectID, now)
		made.Secret = secret
		return err
	})
	if err != nil {
		return api.Webhook{}, fmt.Errorf("setting the webhook of project %s: %w", projectID, inDoubt(err))
	}
	return made, nil
}

// CheckJobWebhook implements sidecar.Service.
func (g *Registry) CheckJobWebhook(ctx context.Context, projectID string, req api.WebhookRequest) error {
	if err := g.CheckURL(req.URL, "webhook.url"); err != nil {
		return err
	}
	_, err := g.Webhook(ctx, projectID)
	if errors.Is(err, sidecar.ErrNoWebhook) {
		return sidecar.NoSigningWebhook()
	}
	return err
}

// RotateWebhook implements sidecar.Service.
func (g *Registry) RotateWebhook(ctx context.Context, projectID string) (api.Webhook, error) {
	var made api.Webhook
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := lockProject(tx, projectID, g.now)
		if err != nil {
			return err
		}
		secret := webhook.NewSecret()
		n, err := tx.Exec("UPDATE webhooks SET former = secret, former_until = ?, secret = ? WHERE project_id = ?",
			now.Add(formerLife).UnixMilli(), secret, projectID)
		if err == nil && n == 0 {
			err = sidecar.ErrNoWebhook
		}
		if err != nil {
			return err
		}
		made, err = read(&tx.Reader, projectID, now)
		made.Secret = secret
		return err
	})
	if err != nil {
		return api.Webhook{}, fmt.Errorf("rotating the secret of project %s: %w", projectID, inDoubt(err))
	}
	return made, nil
}

// Webhook implements sidecar.Service.
func (g *Registry) Webhook(ctx context.Context, projectID string) (api.Webhook, error) {
	found, err := store.Read(ctx, g.store, func(r *store.Reader) (api.Webhook, error) {
		now, err := r.Now(g.now)
		if err != nil {
			return api.Webhook{}, err
		}
		return read(r, projectID, now)
	})
	if err != nil {
		return api.Webhook{}, fmt.Errorf("reading the webhook of project %s: %w", projectID, err)
	}
	return found, nil
}

// DropWebhook implements sidecar.Service.
func (g *Registry) DropWebhook(ctx context.Context, projectID string) error {
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("SELECT id FROM projects WHERE id = ?", projectID); err != nil {
			return err
		}
		_, err1 := tx.Exec("DELETE FROM webhook_deliveries WHERE project_id = ?", projectID)
		_, err2 := tx.Exec("DELETE FROM webhooks WHERE project_id = ?", projectID)
		return errors.Join(err1, err2)
	})
	if err != nil {
		return fmt.Errorf("dropping the webhook of project %s: %w", projectID, err)
	}
	return nil
}

// inDoubt names an error after which nobody knows whether a secret was made.
func inDoubt(err error) error {
	if errors.Is(err, store.ErrInDoubt) {
		return fmt.Errorf("%w: %w", sidecar.ErrInDoubt, err)
	}
	return err
}

// lockProject keeps a project from being deleted until tx ends, and returns the time; or
// sidecar.ErrUnknownProject.
func lockProject(tx *store.Tx, projectID string, clock func() time.Time) (time.Time, error) {
	if err := tx.Lock("SELECT id FROM projects WHERE id = ?", projectID); err != nil {
		return time.Time{}, err
	}
	var there int64
	if err := tx.Row("SELECT count(*) FROM projects WHERE id = ?", projectID).Scan(&there); err != nil {
		return time.Time{}, err
	}
	if there == 0 {
		return time.Time{}, sidecar.ErrUnknownProject
	}
	return tx.Now(clock)
}

// read returns a webhook without its secret, or sidecar.ErrNoWebhook.
func read(r *store.Reader, projectID string, now time.Time) (api.Webhook, error) {
	var found api.Webhook
	var events string
	var created, until int64
	err := r.Row("SELECT url, events, created_at, former_until FROM webhooks WHERE project_id = ?", projectID).
		Scan(&found.URL, &events, &created, &until)
	if errors.Is(err, store.ErrNoRows) {
		return api.Webhook{}, sidecar.ErrNoWebhook
	}
	found.Events, found.CreatedAt = strings.Fields(events), time.UnixMilli(created).UTC()
	if until > now.UnixMilli() {
		found.FormerUntil = instant(until)
	}
	return found, err
}

// joined writes events as they are kept: each between two spaces.
func joined(events []string) string { return " " + strings.Join(events, " ") + " " }

func instant(ms int64) *time.Time {
	t := time.UnixMilli(ms).UTC()
	return &t
}

// CheckURL refuses early, with an *answers.Error, what could never be posted to. A name is
// looked at when something is posted, each time. at is where the address stands.
func (g *Registry) CheckURL(text, at string) error {
	u, err := url.Parse(text)
	if err != nil {
		return answers.BadRequest("%s must be an https address, in ASCII.", at)
	}
	if u.Scheme != "https" && len(g.networks) == 0 {
		return answers.BadRequest("%s must be an https address.", at)
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !allowed(addr, u.Scheme, g.networks) {
		return answers.BadRequest("%s has an address that is not allowed: with https it must be public, with http in one of the operator's networks.", at)
	}
	return nil
}
