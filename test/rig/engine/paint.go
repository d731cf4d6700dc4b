package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/test/rig/script"
)

// painter returns what asks for one picture behind the egress socket. Its error is
// gen.ErrExhausted when the balance allows none.
func painter(socket, token string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://egress/v1/images/generations",
			strings.NewReader(`{"model":"`+script.Painter+`","prompt":"a duck"}`))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		switch res.StatusCode {
		case http.StatusOK:
			return nil
		case http.StatusPaymentRequired:
			return gen.ErrExhausted
		}
		return fmt.Errorf("asking for a picture: %s", res.Status)
	}
}
