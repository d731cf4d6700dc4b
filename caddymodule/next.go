package caddymodule

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/svc-games/svc/caddymodule/gateway"
)

// nextOf returns h as the core calls it. This is the only place that knows how
// reverse_proxy says that it sent nothing, since it could not connect.
func nextOf(h caddyhttp.Handler) gateway.Next {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h.ServeHTTP(w, r)
		if dial := (reverseproxy.DialError{}); errors.As(err, &dial) {
			return fmt.Errorf("%w: %w", gateway.ErrNotSent, err)
		}
		return err
	}
}
