package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/sessions"
)

// ErrNotRunning is returned, wrapped, when nobody listens on the socket.
var ErrNotRunning = errors.New("is the service running? start it with make run, or name its data directory with --data-dir")

// Error is why the service refused a request.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// Client talks to the admin API on a socket.
type Client struct{ peer *peer.Client }

// NewClient returns a client. It connects when it is used.
func NewClient(socket string) *Client { return &Client{peer: peer.UnixClient(socket)} }

// CreateUser makes a user with a first credit.
func (c *Client) CreateUser(ctx context.Context, id string, tik api.TIK) (keys.User, error) {
	return ask[keys.User](ctx, c, http.MethodPost, "/users", userRequest{ID: id, TIK: tik})
}

// User returns a user.
func (c *Client) User(ctx context.Context, id string) (keys.User, error) {
	return ask[keys.User](ctx, c, http.MethodGet, "/users/"+url.PathEscape(id), nil)
}

// TopUp credits a user.
func (c *Client) TopUp(ctx context.Context, id string, credit keys.Credit) (keys.Credited, error) {
	return ask[keys.Credited](ctx, c, http.MethodPost, "/users/"+url.PathEscape(id)+"/topup", credit)
}

// Suspend keeps a user from what the policy forbids to suspended users, which is all.
func (c *Client) Suspend(ctx context.Context, id string) (keys.User, error) {
	return ask[keys.User](ctx, c, http.MethodPost, "/users/"+url.PathEscape(id)+"/suspend", nil)
}

// Resume takes that back.
func (c *Client) Resume(ctx context.Context, id string) (keys.User, error) {
	return ask[keys.User](ctx, c, http.MethodPost, "/users/"+url.PathEscape(id)+"/resume", nil)
}

// SetUserAttributes sets attributes of a user, and removes those that are nil.
func (c *Client) SetUserAttributes(ctx context.Context, id string, set map[string]*string) (keys.User, error) {
	return ask[keys.User](ctx, c, http.MethodPatch, "/users/"+url.PathEscape(id)+"/attributes", attributesRequest{Set: set})
}

// LoginLink makes a code that signs a user in to the console once.
func (c *Client) LoginLink(ctx context.Context, id string) (sessions.Link, error) {
	return ask[sessions.Link](ctx, c, http.MethodPost, "/users/"+url.PathEscape(id)+"/login-link", struct{}{})
}

// Statement returns a page of what moved a user's balance, through one key when
// keyID is not "".
func (c *Client) Statement(ctx context.Context, userID, keyID, after string) (keys.Statement, error) {
	query := url.Values{"key": {keyID}, "after": {after}}
	return ask[keys.Statement](ctx, c, http.MethodGet, "/users/"+url.PathEscape(userID)+"/statement?"+query.Encode(), nil)
}

// Audit returns a page of the audit log, newest first: of a key, of a user and
// the user's keys, or of all. before is 0 or the Next of the page before.
func (c *Client) Audit(ctx context.Context, keyID, userID string, before int64) (keys.AuditLog, error) {
	query := url.Values{"key": {keyID}, "user": {userID}}
	if before > 0 {
		query.Set("before", strconv.FormatInt(before, 10))
	}
	return ask[keys.AuditLog](ctx, c, http.MethodGet, "/audit?"+query.Encode(), nil)
}

// CreateKey makes a key and returns it with its secret.
func (c *Client) CreateKey(ctx context.Context, r keys.Request) (keys.Created, error) {
	return ask[keys.Created](ctx, c, http.MethodPost, "/keys", r)
}

// Keys lists the keys of a user or, with "", of all.
func (c *Client) Keys(ctx context.Context, userID string) ([]keys.Key, error) {
	return ask[[]keys.Key](ctx, c, http.MethodGet, "/keys?user="+url.QueryEscape(userID), nil)
}

// Key returns a key.
func (c *Client) Key(ctx context.Context, id string) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodGet, keyPath(id, ""), nil)
}

// Usage returns what a key used.
func (c *Client) Usage(ctx context.Context, id string) (keys.Usage, error) {
	return ask[keys.Usage](ctx, c, http.MethodGet, keyPath(id, "/usage"), nil)
}

// Rename gives a key another name.
func (c *Client) Rename(ctx context.Context, id, name string) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodPut, keyPath(id, "/name"), nameRequest{Name: name})
}

// SetLimits replaces the limits of a key that still has the given version.
func (c *Client) SetLimits(ctx context.Context, id string, version int64, limits policy.Limits) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodPut, keyPath(id, "/limits"), limitsRequest{Version: version, Limits: limits})
}

// Disable makes a key unusable until it is enabled.
func (c *Client) Disable(ctx context.Context, id string) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodPost, keyPath(id, "/disable"), nil)
}

// Enable makes a disabled key usable again.
func (c *Client) Enable(ctx context.Context, id string) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodPost, keyPath(id, "/enable"), nil)
}

// Revoke ends a key for good.
func (c *Client) Revoke(ctx context.Context, id string) (keys.Key, error) {
	return ask[keys.Key](ctx, c, http.MethodPost, keyPath(id, "/revoke"), nil)
}

// EnginesOwner returns the installation that has the engines.
func (c *Client) EnginesOwner(ctx context.Context) (contract.Installation, error) {
	return ask[contract.Installation](ctx, c, http.MethodGet, "/engines/owner", nil)
}

// ReleaseEngines lets the next installation have the engines, and returns which
// one had them.
func (c *Client) ReleaseEngines(ctx context.Context) (contract.Installation, error) {
	return ask[contract.Installation](ctx, c, http.MethodDelete, "/engines/owner", nil)
}

func keyPath(id, rest string) string { return "/keys/" + url.PathEscape(id) + rest }

// ask makes one request and returns what the service answered.
func ask[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var into T
	sent, err := json.Marshal(body)
	if err == nil {
		err = c.send(ctx, method, path, sent, &into)
	}
	return into, err
}

// send makes one request. Its error is an *Error when the service refused.
func (c *Client) send(ctx context.Context, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://admin"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.peer.RoundTrip(req)
	switch {
	case errors.Is(err, peer.ErrNotListening):
		return fmt.Errorf("nobody listens on %s: %w", c.peer.Address().Name, ErrNotRunning)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("asking the service: %w: run the command as the user that runs the service", err)
	case err != nil:
		return fmt.Errorf("asking the service: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		var refusal errorBody
		if err := json.NewDecoder(res.Body).Decode(&refusal); err != nil {
			return fmt.Errorf("reading the refusal (status %d): %w", res.StatusCode, err)
		}
		return &Error{Status: res.StatusCode, Message: refusal.Error}
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	return nil
}
