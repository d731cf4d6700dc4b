package console

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/site"
)

// keyPage is one key.
type keyPage struct {
	keyRow
	Fields  limitFields
	Rename  string // the name as it was typed
	Error   string
	Done    string
	Changes []auditRow
}

// ownKey returns the key that the address names. A key of another user gets the
// same answer as one that does not exist.
func (c *Console) ownKey(x *exchange) (keys.Key, bool) {
	key, err := c.Keys.Key(x.r.Context(), x.r.PathValue("key"))
	switch {
	case errors.Is(err, sidecar.ErrUnknownKey), err == nil && key.UserID != x.user:
		c.fail(x, x.r, http.StatusNotFound, "You have no such key.")
	case err != nil:
		c.broken(x, x.r, err)
	default:
		return key, true
	}
	return keys.Key{}, false
}

// done are what a page says after a change, named in its address.
var done = map[string]string{
	"name": "The name is changed.", "limits": "The limits are changed. They hold from the next submission on.",
	"disable": "The key is disabled: every request with it gets 401 now.", "enable": "The key works again.",
	"revoke": "The key is revoked for good.",
}

func (c *Console) showKey(x *exchange) {
	if key, ok := c.ownKey(x); ok {
		c.presentKey(x, http.StatusOK, key, keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits), Done: done[x.r.URL.Query().Get("done")]})
	}
}

// presentKey shows a key with what was typed into its forms.
func (c *Console) presentKey(x *exchange, status int, key keys.Key, page keyPage) {
	row, err := c.keyRow(x, key)
	if err != nil {
		c.broken(x, x.r, err)
		return
	}
	plots, err := c.plots(x)
	if err != nil {
		c.broken(x, x.r, err)
		return
	}
	row.Plot = plots.of(key.ID)
	log, err := c.Keys.Audit(x.r.Context(), key.ID, "", 0)
	if err != nil {
		c.broken(x, x.r, err)
		return
	}
	page.keyRow, page.Changes = row, c.auditRows(log.Entries, x.user, nil)
	c.render(x, x.r, status, "key", page)
}

func (c *Console) renameKey(x *exchange) {
	key, ok := c.ownKey(x)
	if !ok {
		return
	}
	name := x.r.PostFormValue("name")
	_, err := c.Keys.Rename(x.r.Context(), x.actor(), key.ID, name)
	c.settle(x, key, "name", err, keyPage{Rename: name, Fields: fieldsOf(key.Limits)})
}

func (c *Console) limitKey(x *exchange) {
	key, ok := c.ownKey(x)
	if !ok {
		return
	}
	page := keyPage{Rename: key.Name, Fields: readLimitFields(x.r)}
	limits, err := page.Fields.parse()
	if err != nil {
		page.Error = sentence(err)
		c.presentKey(x, http.StatusUnprocessableEntity, key, page)
		return
	}
	version, err := strconv.ParseInt(x.r.PostFormValue("version"), 10, 64)
	if err != nil {
		c.fail(x, x.r, http.StatusBadRequest, "The form has no version.")
		return
	}
	_, err = c.Keys.SetLimits(x.r.Context(), x.actor(), key.ID, version, limits)
	c.settle(x, key, "limits", err, page)
}

// stateChange is a change of a key's state that is asked for and confirmed.
type stateChange struct {
	Name string // in the address
	do   func(*keys.Registry, context.Context, string, string) (keys.Key, error)
}

var stateChanges = map[string]stateChange{
	"disable": {"disable", (*keys.Registry).Disable},
	"enable":  {"enable", (*keys.Registry).Enable},
	"revoke":  {"revoke", (*keys.Registry).Revoke},
}

// confirmPage asks once more, naming the key.
type confirmPage struct {
	Key     keys.Key
	Change  string
	Running int64
}

func (c *Console) confirmChange(x *exchange) {
	change, known := stateChanges[x.r.PathValue("change")]
	if !known {
		c.fail(x, x.r, http.StatusNotFound, "There is no such page.")
		return
	}
	key, ok := c.ownKey(x)
	if !ok {
		return
	}
	usage, err := c.Keys.Usage(x.r.Context(), key.ID)
	if err != nil {
		c.broken(x, x.r, err)
		return
	}
	c.show(x, "confirm", confirmPage{Key: key, Change: change.Name, Running: usage.RunningJobs})
}

func (c *Console) changeState(x *exchange) {
	change, known := stateChanges[x.r.PathValue("change")]
	if !known {
		c.fail(x, x.r, http.StatusNotFound, "There is no such page.")
		return
	}
	key, ok := c.ownKey(x)
	if !ok {
		return
	}
	_, err := change.do(c.Keys, x.r.Context(), x.actor(), key.ID)
	c.settle(x, key, change.Name, err, keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits)})
}

// settle answers a change: with the key's page when it was made, and with the
// key as it is now and what was typed when it was refused.
func (c *Console) settle(x *exchange, key keys.Key, change string, err error, page keyPage) {
	var refusal *keys.Refusal
	switch {
	case err == nil:
		http.Redirect(x, x.r, site.Path+"keys/"+key.ID+"?done="+change, http.StatusSeeOther)
	case errors.As(err, &refusal):
		status := http.StatusUnprocessableEntity
		if errors.Is(err, keys.ErrVersion) || errors.Is(err, keys.ErrState) {
			status = http.StatusConflict
		}
		if now, ok := c.ownKey(x); ok {
			page.Error = ofKey(refusal, key)
			c.presentKey(x, status, now, page)
		}
	default:
		c.broken(x, x.r, err)
	}
}

// ofKey says why a change of the key was refused that the page is about.
func ofKey(refusal *keys.Refusal, key keys.Key) string {
	if errors.Is(refusal, keys.ErrVersion) {
		return "The key was changed meanwhile, perhaps in another tab. The page shows its current state; the fields hold what you typed. Save again to overwrite the change."
	}
	return sentence(errors.New(strings.Replace(refusal.Message, "key "+key.ID, "the key", 1)))
}
