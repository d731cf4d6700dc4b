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

// ownKey returns the key that the address names, if it is the visitor's. One
// of somebody else is not there, as far as the visitor can tell.
func (c *Console) ownKey(v *visit) (keys.Key, bool) {
	key, err := c.Keys.Key(v.r.Context(), v.r.PathValue("key"))
	switch {
	case errors.Is(err, sidecar.ErrUnknownKey), err == nil && key.UserID != v.user:
		c.fail(v, v.r, http.StatusNotFound, "You have no such key.")
	case err != nil:
		c.broken(v, v.r, err)
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

func (c *Console) showKey(v *visit) {
	if key, ok := c.ownKey(v); ok {
		c.presentKey(v, http.StatusOK, key, keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits), Done: done[v.r.URL.Query().Get("done")]})
	}
}

// presentKey shows a key with what was typed into its forms.
func (c *Console) presentKey(v *visit, status int, key keys.Key, page keyPage) {
	row, err := c.keyRow(v, key)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	plots, err := c.plots(v)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	row.Plot = plots.of(key.ID)
	log, err := c.Keys.Audit(v.r.Context(), key.ID, "", 0)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	page.keyRow, page.Changes = row, c.auditRows(log.Entries, v.user, nil)
	c.render(v, v.r, status, "key", page)
}

func (c *Console) renameKey(v *visit) {
	key, ok := c.ownKey(v)
	if !ok {
		return
	}
	name := v.r.PostFormValue("name")
	_, err := c.Keys.Rename(v.r.Context(), v.actor(), key.ID, name)
	c.settle(v, key, "name", err, keyPage{Rename: name, Fields: fieldsOf(key.Limits)})
}

func (c *Console) limitKey(v *visit) {
	key, ok := c.ownKey(v)
	if !ok {
		return
	}
	page := keyPage{Rename: key.Name, Fields: readLimitFields(v.r)}
	limits, err := page.Fields.parse()
	if err != nil {
		page.Error = sentence(err)
		c.presentKey(v, http.StatusUnprocessableEntity, key, page)
		return
	}
	version, err := strconv.ParseInt(v.r.PostFormValue("version"), 10, 64)
	if err != nil {
		c.fail(v, v.r, http.StatusBadRequest, "The form has no version.")
		return
	}
	_, err = c.Keys.SetLimits(v.r.Context(), v.actor(), key.ID, version, limits)
	c.settle(v, key, "limits", err, page)
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

func (c *Console) confirmChange(v *visit) {
	change, known := stateChanges[v.r.PathValue("change")]
	if !known {
		c.fail(v, v.r, http.StatusNotFound, "There is no such page.")
		return
	}
	key, ok := c.ownKey(v)
	if !ok {
		return
	}
	usage, err := c.Keys.Usage(v.r.Context(), key.ID)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	c.show(v, "confirm", confirmPage{Key: key, Change: change.Name, Running: usage.RunningJobs})
}

func (c *Console) changeState(v *visit) {
	change, known := stateChanges[v.r.PathValue("change")]
	if !known {
		c.fail(v, v.r, http.StatusNotFound, "There is no such page.")
		return
	}
	key, ok := c.ownKey(v)
	if !ok {
		return
	}
	_, err := change.do(c.Keys, v.r.Context(), v.actor(), key.ID)
	c.settle(v, key, change.Name, err, keyPage{Rename: key.Name, Fields: fieldsOf(key.Limits)})
}

// settle answers a change: with the key's page when it was made, and with the
// key as it is now and what was typed when it was refused.
func (c *Console) settle(v *visit, key keys.Key, change string, err error, page keyPage) {
	var refusal *keys.Refusal
	switch {
	case err == nil:
		http.Redirect(v, v.r, site.Path+"keys/"+key.ID+"?done="+change, http.StatusSeeOther)
	case errors.As(err, &refusal):
		status := http.StatusUnprocessableEntity
		if errors.Is(err, keys.ErrVersion) || errors.Is(err, keys.ErrState) {
			status = http.StatusConflict
		}
		if now, ok := c.ownKey(v); ok {
			page.Error = ofKey(refusal, key)
			c.presentKey(v, status, now, page)
		}
	default:
		c.broken(v, v.r, err)
	}
}

// ofKey says why a change of the key was refused that the page is about.
func ofKey(refusal *keys.Refusal, key keys.Key) string {
	if errors.Is(refusal, keys.ErrVersion) {
		return "The key was changed meanwhile, perhaps in another tab. The page shows it as it is now, and in the fields what you typed: save again if that shall hold."
	}
	return sentence(errors.New(strings.Replace(refusal.Message, "key "+key.ID, "the key", 1)))
}
