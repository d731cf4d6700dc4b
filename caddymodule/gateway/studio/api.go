package studio

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"

	"go.uber.org/zap"
)

// v1 sends a request to the API as the studio's key, through every step that those of
// clients take but the first: who asks is known.
func (s *Studio) v1(ctx context.Context, x *exchange, method, target string, body []byte, header http.Header) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for name, values := range header {
		r.Header[name] = values
	}
	q := &gateway.Request{KeyID: x.who.KeyID, UserID: x.who.UserID}
	w := &record{header: http.Header{}}
	err = s.Access.Serve(w, r, q, func(w http.ResponseWriter, r *http.Request) error {
		if q.Route.OfProjects() {
			return s.Projects.Serve(w, r, q)
		}
		return s.Locator.Serve(w, r, q, func(w http.ResponseWriter, r *http.Request) error {
			engine := gateway.PassTo(q, zap.NewStdLog(s.Logger))
			if q.Route.Action != policy.ActionGenerate {
				return engine(w, r)
			}
			return s.Quota.Serve(w, r, q, engine)
		})
	})
	var refused *answers.Error
	if errors.As(err, &refused) {
		return answer{}, refused
	}
	return answer{w.status, w.header, w.body.Bytes()}, err
}

// record keeps an answer.
type record struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *record) Header() http.Header { return w.header }

func (w *record) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *record) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Interface guards
var (
	_ http.ResponseWriter = (*record)(nil)
)
