package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/projects"
)

// PolicyStatus describes the policy in force.
func (c *Client) PolicyStatus(ctx context.Context) (activation.Status, error) {
	return ask[activation.Status](ctx, c, http.MethodGet, "/policy", nil)
}

// PolicyDecisions returns what the decision logs of the other sidecars with the same store
// have.
func (c *Client) PolicyDecisions(ctx context.Context, q decisionlog.Query) (activation.Gathered, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return activation.Gathered{}, err
	}
	return ask[activation.Gathered](ctx, c, http.MethodGet, "/policy/decisions?query="+url.QueryEscape(string(text)), nil)
}

// PolicyFiles returns the files of a policy that is kept, those of the active
// one for "".
func (c *Client) PolicyFiles(ctx context.Context, revision string) (bundle.Snapshot, error) {
	return c.policyFiles(ctx, url.Values{"revision": {revision}})
}

// DecidedPolicy is PolicyFiles for one that decided what is in the log of any sidecar.
func (c *Client) DecidedPolicy(ctx context.Context, revision string) (bundle.Snapshot, error) {
	return c.policyFiles(ctx, url.Values{"revision": {revision}, "decided": {"true"}})
}

func (c *Client) policyFiles(ctx context.Context, of url.Values) (bundle.Snapshot, error) {
	texts, err := ask[map[string]string](ctx, c, http.MethodGet, "/policy/files?"+of.Encode(), nil)
	if err != nil {
		return nil, err
	}
	files := make(bundle.Snapshot, len(texts))
	for name, text := range texts {
		files[name] = []byte(text)
	}
	return files, nil
}

// ActivatePolicy makes a policy the active one, if it passes every step, or has it wait in
// shadow: it is then Held. from is the
// revision of the one that it was compared with, "" for none: it must still be the active
// one. older accepts a sequence below that of the policy before.
func (c *Client) ActivatePolicy(ctx context.Context, files bundle.Snapshot, source, from string, older bool) (activation.Info, error) {
	query := url.Values{"source": {source}, "from": {from}, "older": {strconv.FormatBool(older)}}
	var info activation.Info
	return info, c.upload(ctx, http.MethodPost, "/policy/activate?"+query.Encode(), files, &info)
}

// ApprovePolicy makes the policy that waits the active one. signature is that of its
// activation.Statement, nil for none.
func (c *Client) ApprovePolicy(ctx context.Context, revision string, signature []byte) (activation.Info, error) {
	return ask[activation.Info](ctx, c, http.MethodPost, "/policy/approve", approvalRequest{revision, signature})
}

// RefusePolicy has the service forget the policy that waits.
func (c *Client) RefusePolicy(ctx context.Context, revision string) (activation.Info, error) {
	return ask[activation.Info](ctx, c, http.MethodPost, "/policy/refuse", rollbackRequest{Revision: revision})
}

// RollBackPolicy makes a policy active that was active before; "" is the one before the active
// one. from is that of ActivatePolicy.
func (c *Client) RollBackPolicy(ctx context.Context, revision, from string) (activation.Info, error) {
	return ask[activation.Info](ctx, c, http.MethodPost, "/policy/rollback", rollbackRequest{revision, from})
}

// ShadowPolicy has a policy decide beside the active one, without effect.
func (c *Client) ShadowPolicy(ctx context.Context, files bundle.Snapshot, source string, sample float64) (activation.Candidate, error) {
	query := url.Values{"source": {source}, "sample": {strconv.FormatFloat(sample, 'g', -1, 64)}}
	var candidate activation.Candidate
	return candidate, c.upload(ctx, http.MethodPut, "/policy/shadow?"+query.Encode(), files, &candidate)
}

// ShadowReport reports what the policy in shadow would have decided.
func (c *Client) ShadowReport(ctx context.Context) (activation.Report, error) {
	return ask[activation.Report](ctx, c, http.MethodGet, "/policy/shadow", nil)
}

// EndShadow ends the shadow and returns its last report.
func (c *Client) EndShadow(ctx context.Context) (activation.Report, error) {
	return ask[activation.Report](ctx, c, http.MethodDelete, "/policy/shadow", nil)
}

// upload sends a policy.
func (c *Client) upload(ctx context.Context, method, path string, files bundle.Snapshot, into any) error {
	var archive bytes.Buffer
	if err := files.WriteArchive(&archive); err != nil {
		return err
	}
	return c.send(ctx, method, path, archive.Bytes(), into)
}

// Projects lists a page of the projects of a user or, with "", of all, newest
// first, after "" or the Next of an earlier page.
func (c *Client) Projects(ctx context.Context, userID, after string) (projects.DetailsPage, error) {
	query := url.Values{"user": {userID}, "after": {after}}
	return ask[projects.DetailsPage](ctx, c, http.MethodGet, "/projects?"+query.Encode(), nil)
}

// Project returns a project with its attributes.
func (c *Client) Project(ctx context.Context, id string) (projects.Details, error) {
	return ask[projects.Details](ctx, c, http.MethodGet, "/projects/"+url.PathEscape(id), nil)
}

// SetAttributes sets attributes of a project, or with ofAdmin those that no owner can
// set; nil removes one.
func (c *Client) SetAttributes(ctx context.Context, id string, set map[string]*string, ofAdmin bool) (projects.Details, error) {
	return ask[projects.Details](ctx, c, http.MethodPatch, "/projects/"+url.PathEscape(id)+"/attributes", attributesRequest{set, ofAdmin})
}

// BlockGame keeps a game from players; its owner reads why.
func (c *Client) BlockGame(ctx context.Context, projectID, why string) error {
	_, err := ask[struct{}](ctx, c, http.MethodPost, "/projects/"+url.PathEscape(projectID)+"/block", blockRequest{why})
	return err
}

// UnblockGame lets players have a game again.
func (c *Client) UnblockGame(ctx context.Context, projectID string) error {
	_, err := ask[struct{}](ctx, c, http.MethodPost, "/projects/"+url.PathEscape(projectID)+"/unblock", nil)
	return err
}

// Reports returns the games that players reported, the latest first.
func (c *Client) Reports(ctx context.Context) ([]projects.Reported, error) {
	return ask[[]projects.Reported](ctx, c, http.MethodGet, "/reports", nil)
}
