package caddymodule

import (
	"errors"
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/svc-games/svc/api/answers"
)

func TestRefusalHasItsOwnStatusWhateverItsCauseHas(t *testing.T) {
	refused := answers.EngineStarting(0)
	refused.Cause = caddyhttp.Error(http.StatusBadGateway, errors.New("connection refused"))
	err := handOn(refused)
	var handler caddyhttp.HandlerError
	if !errors.As(err, &handler) || handler.StatusCode != http.StatusServiceUnavailable || handler.ID == "" {
		t.Errorf("Caddy gets %#v", err)
	}
	if answer := answerTo(err); answer != refused {
		t.Errorf("the client gets %#v", answer)
	}
}
