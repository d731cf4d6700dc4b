package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/sessions"
	"github.com/svc-games/svc/sidecar/store"
)

// newKeyPage is the form for a new key.
type newKeyPage struct {
	Form   string // the code that lets it be sent once
	Name   string
	Limits limitFields
	Scope  string // policy.ScopeFull or another
	Labels string // as they were typed
	Error  string
	Live   int
	Max    int
}

// Full reports whether another key would be one too many.
func (p newKeyPage) Full() bool { return p.Live >= p.Max }

// createdPage shows a secret, this once.
type createdPage struct {
	Key    keys.Created
	Origin string // where the API is
}

func (c *Console) newKey(x *exchange) error {
	return c.askForKey(x, http.StatusOK, newKeyPage{Scope: policy.ScopeFull})
}

func (c *Console) askForKey(x *exchange, status int, page newKeyPage) error {
	user, err := c.Keys.User(x.r.Context(), x.user)
	if err != nil {
		return err
	}
	page.Form, page.Live, page.Max = sessions.NewForm(), int(user.Keys), keys.MaxPerUser
	return c.show(x, status, "newkey", page)
}

// createKey makes a key and shows its secret in the answer itself: it is kept
// nowhere. The form's code makes a repeated form, after "back" or "reload", a
// refusal and not a second key.
func (c *Console) createKey(x *exchange) error {
	page := newKeyPage{
		Name: x.r.PostFormValue("name"), Limits: readLimitFields(x.r),
		Scope: cmp.Or(x.r.PostFormValue("scope"), policy.ScopeFull), Labels: x.r.PostFormValue("labels"),
	}
	wanted := keys.Request{UserID: x.user, Name: page.Name, Scopes: []string{page.Scope}}
	var err error
	if wanted.Limits, err = page.Limits.parse(); err == nil {
		wanted.Labels, err = parseLabels(page.Labels)
	}
	if err != nil {
		page.Error = sentence(err)
		return c.askForKey(x, http.StatusUnprocessableEntity, page)
	}
	created, err := c.createOnce(x, wanted)
	var refusal *keys.Refusal
	switch {
	case errors.Is(err, sessions.ErrCode):
		return &failure{
			http.StatusConflict,
			"This form was sent before and the key was made. Its secret was shown then and can't be shown again; if it is lost, revoke the key and create another.",
		}
	case errors.As(err, &refusal):
		page.Error = sentence(refusal)
		return c.askForKey(x, http.StatusUnprocessableEntity, page)
	case err != nil:
		return err
	}
	return c.show(x, http.StatusOK, "created", createdPage{Key: created, Origin: c.origin(x.r)})
}

// parseLabels reads NAME=VALUE pairs with commas between them. What they may be,
// package keys checks.
func parseLabels(text string) (map[string]string, error) {
	labels := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		if _, twice := labels[name]; !found || twice {
			return nil, fmt.Errorf("the label %q is not acceptable: want NAME=VALUE, each name once", pair)
		}
		labels[name] = value
	}
	return labels, nil
}

func (c *Console) createOnce(x *exchange, wanted keys.Request) (keys.Created, error) {
	return c.Keys.CreateWith(x.r.Context(), x.actor(), wanted, func(tx *store.Tx) error {
		return c.Sessions.UseForm(tx, x.user, x.r.PostFormValue("form"))
	})
}
