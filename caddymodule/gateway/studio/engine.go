package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// Bounds of a call of an engine.
const (
	callTimeout = 30 * time.Second
	dialTimeout = 2 * time.Second
	maxAnswer   = 80 << 20 // a ZIP
)

// hold is how long a page waits for an engine that starts.
const hold = time.Second

// call is a request to an engine.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
}

// answer is what an engine said: nobody vouches for it.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask calls the engine of a project, which is started if need be. The error is an
// *answers.Error for an engine that is not ready, or can't be reached, and for an answer that
// the context's share has no room for.
func (s *Studio) ask(ctx context.Context, p engineproxy.Project, c call) (answer, error) {
	lease, err := s.Engines.Submit(ctx, p, hold)
	if err != nil {
		refused, _ := s.Locator.NotReady(err)
		return answer{}, refused
	}
	defer lease.Release()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	target := &url.URL{Scheme: "http", Host: "engine", Path: c.path, RawQuery: c.query.Encode()}
	req, err := http.NewRequestWithContext(ctx, c.method, target.String(), bytes.NewReader(c.body))
	if err != nil {
		return answer{}, err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+lease.Token)
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		d := net.Dialer{Timeout: dialTimeout}
		return d.DialContext(ctx, lease.Network, lease.Address)
	}}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return answer{}, answers.Unavailable("The project's engine can't be reached right now.", time.Second, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(shareOf(ctx).Reader(io.LimitReader(res.Body, maxAnswer+1), maxAnswer+1))
	switch {
	case errors.Is(err, gateway.ErrBodies):
		return answer{}, answers.Unavailable("Too many large files are being read right now.", time.Second, err)
	case err != nil:
		return answer{}, answers.Unavailable("The project's engine broke its answer off.", time.Second, err)
	case len(body) > maxAnswer, res.Header.Get(contract.HeaderInstance) != lease.InstanceID:
		return answer{}, answers.Unavailable("The project's engine gave no answer that can be used.", time.Second, errors.New("an answer of another engine, or too long"))
	}
	return answer{res.StatusCode, res.Header, body}, nil
}

// refused returns the error of an answer that is one: what it says is the engine's.
func (a answer) refused() error {
	if a.status == http.StatusOK {
		return nil
	}
	var said struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(a.body, &said) // one that says nothing is told by its status
	if said.Error == "" {
		said.Error = fmt.Sprintf("The project's engine refused with status %d.", a.status)
	}
	status := a.status
	if status < 400 || status > 599 || status == http.StatusUnauthorized {
		status = http.StatusBadGateway
	}
	return &answers.Error{Status: status, Message: said.Error}
}

// askFor is ask for an answer of JSON.
func askFor[T any](ctx context.Context, s *Studio, p engineproxy.Project, c call) (out T, err error) {
	a, err := s.ask(ctx, p, c)
	if err != nil {
		return out, err
	}
	return decode[T](a)
}

// decode reads an answer of JSON.
func decode[T any](a answer) (out T, err error) {
	if err := a.refused(); err != nil {
		return out, err
	}
	if err := json.Unmarshal(a.body, &out); err != nil {
		return out, answers.Unavailable("The project's engine gave no answer that can be used.", time.Second, err)
	}
	return out, nil
}

// change asks an engine to change something of the project, and leads to a part of its page.
// means begins what is said where that is refused.
func (s *Studio) change(x *exchange, means, to string, c call) error {
	a, err := s.ask(x.r.Context(), x.owner(), c)
	return s.changed(x, means, to, a, err)
}

// changed is change once the engine has answered, or could not.
func (s *Studio) changed(x *exchange, means, to string, a answer, err error) error {
	if err == nil {
		err = a.refused()
	}
	switch {
	case err != nil && !x.json():
		return s.showRefused(x, means, err)
	case err != nil:
		return err
	case x.json():
		return pass(x, a)
	}
	return x.redirect(x.at(to))
}

// owner is the project of an exchange as the engine proxy wants to know it.
func (x *exchange) owner() engineproxy.Project { return x.ownerOf(x.project()) }

// ownerOf is the same of any project that may has let the user do something with. Of
// another one nothing is known but its id.
func (x *exchange) ownerOf(projectID string) engineproxy.Project {
	return engineproxy.Project{ID: projectID, OwnerID: x.owners[projectID]}
}
