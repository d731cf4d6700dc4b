package console

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/site"
)

// keyPage is one key.
type keyPage struct {
	keyRow
	Of      string // the user, "" for the visitor
	Fields  limitFields
	Rename  string // the name as it was typed
	Error   string
	Done    string
	Changes []auditRow
}

// Facts says what the key has for the policy, "" for a key that may do everything.
func (p keyPage) Facts() string {
	var parts []string
	if !slices.Equal(p.Scopes, []string{policy.ScopeFull}) {
		parts = append(parts, "scopes: "+strings.Join(p.Scopes, " "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Labels)) {
		parts = append(parts, name+"="+p.Labels[name])
	}
	return strings.Join(parts, " · ")
}

// key returns the key that the address names, for an action that the user may do with it.
// One of another user, with which the policy does not let this one do that, gets the same
// answer as one that does not exist.
func (c *Console) key(x *exchange, action policy.Action) (keys.Key, error) {
	none := &failure{http.StatusNotFound, "You have no such key."}
	ctx, id := x.r.Context(), x.r.PathValue("key")
	d, own, err := c.Access.DecideOnKey(decisionlog.WithPage(ctx), atConsole(x.user), id, action)
	switch {
	case err != nil:
		return keys.Key{}, err
	case !d.Allow && own:
		return keys.Key{}, &failure{d.Status, d.Error}
	case !d.Allow:
		return keys.Key{}, none
	}
	key, err := c.Keys.Key(ctx, id)
	if errors.Is(err, sidecar.ErrUnknownKey) {
		err = none
	}
	return key, err
}

// done are what a page says after a change, named in its address.
var done = map[string]string{
	"name": "The name is changed.", "limits": "The limits are changed. They hold from the next submission on.",
	"disable": "The key is disabled: every request with it gets 401 now.", "enable": "The key works again.",
	"revoke": "The key is revoked for good.",
}

func (c *Console) showKey(x *exchange) error {
	key, err := c.key(x, policy.ActionReadKeys)
	if err != nil {
		return err
	}
	return c.presentKey(x, http.StatusOK, key,
		keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits), Done: done[x.r.URL.Query().Get("done")]})
}

// presentKey shows a key with what was typed into its forms.
func (c *Console) presentKey(x *exchange, status int, key keys.Key, page keyPage) error {
	plots, err := c.plots(x, key.UserID)
	if err != nil {
		return err
	}
	row, err := c.keyRow(x, key, plots)
	if err != nil {
		return err
	}
	log, err := c.Keys.Audit(x.r.Context(), key.ID, "", 0)
	if err != nil {
		return err
	}
	if key.UserID != x.user {
		page.Of = key.UserID
	}
	page.keyRow, page.Changes = row, c.auditRows(log.Entries, x.user, nil)
	return c.show(x, status, "key", page)
}

func (c *Console) renameKey(x *exchange) error {
	key, err := c.key(x, policy.ActionChangeKey)
	if err != nil {
		return err
	}
	name := x.r.PostFormValue("name")
	_, err = c.Keys.Rename(x.r.Context(), x.actor(), key.ID, name)
	return c.settle(x, key, "name", err, keyPage{Rename: name, Fields: fieldsOf(key.Limits)})
}

func (c *Console) limitKey(x *exchange) error {
	key, err := c.key(x, policy.ActionChangeKey)
	if err != nil {
		return err
	}
	page := keyPage{Rename: key.Name, Fields: readLimitFields(x.r)}
	limits, err := page.Fields.parse()
	if err != nil {
		page.Error = sentence(err)
		return c.presentKey(x, http.StatusUnprocessableEntity, key, page)
	}
	version, err := strconv.ParseInt(x.r.PostFormValue("version"), 10, 64)
	if err != nil {
		return &failure{http.StatusBadRequest, "The form has no version."}
	}
	_, err = c.Keys.SetLimits(x.r.Context(), x.actor(), key.ID, version, limits)
	return c.settle(x, key, "limits", err, page)
}

// stateChanges are the changes of a key's state that are asked for and confirmed, as
// the address names them.
var stateChanges = map[string]func(g *keys.Registry, ctx context.Context, actor, keyID string) (keys.Key, error){
	"disable": (*keys.Registry).Disable, "enable": (*keys.Registry).Enable, "revoke": (*keys.Registry).Revoke,
}

// confirmPage asks once more, naming the key.
type confirmPage struct {
	Key     keys.Key
	Change  string
	Running int64
}

func (c *Console) confirmChange(x *exchange) error {
	change := x.r.PathValue("change")
	if stateChanges[change] == nil {
		return &failure{http.StatusNotFound, "There is no such page."}
	}
	key, err := c.key(x, policy.ActionChangeKey)
	if err != nil {
		return err
	}
	usage, err := c.Keys.Usage(x.r.Context(), key.ID)
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "confirm", confirmPage{Key: key, Change: change, Running: usage.RunningJobs})
}

func (c *Console) changeState(x *exchange) error {
	change := x.r.PathValue("change")
	set := stateChanges[change]
	if set == nil {
		return &failure{http.StatusNotFound, "There is no such page."}
	}
	key, err := c.key(x, policy.ActionChangeKey)
	if err != nil {
		return err
	}
	_, err = set(c.Keys, x.r.Context(), x.actor(), key.ID)
	return c.settle(x, key, change, err, keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits)})
}

// settle answers a change: with the key's page when it was made, and with the
// key as it is now and what was typed when it was refused.
func (c *Console) settle(x *exchange, key keys.Key, change string, err error, page keyPage) error {
	var refusal *keys.Refusal
	switch {
	case err == nil:
		return x.redirect(site.Path + "keys/" + key.ID + "?done=" + change)
	case errors.As(err, &refusal):
		status := http.StatusUnprocessableEntity
		if errors.Is(err, keys.ErrVersion) || errors.Is(err, keys.ErrState) {
			status = http.StatusConflict
		}
		now, err := c.Keys.Key(x.r.Context(), key.ID)
		if err != nil {
			return err
		}
		page.Error = ofKey(refusal, key)
		return c.presentKey(x, status, now, page)
	}
	return err
}

// ofKey says why a change of the key was refused that the page is about.
func ofKey(refusal *keys.Refusal, key keys.Key) string {
	if errors.Is(refusal, keys.ErrVersion) {
		return "The key was changed meanwhile, perhaps in another tab. The page shows its current state; the fields hold what you typed. Save again to overwrite the change."
	}
	return sentence(errors.New(strings.Replace(refusal.Message, "key "+key.ID, "the key", 1)))
}
