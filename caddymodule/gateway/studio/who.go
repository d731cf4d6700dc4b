package studio

import (
	"context"
	"net/http"

	"github.com/svc-games/svc/sidecar/site"
)

func withWho(r *http.Request, who site.Studio) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), whoKey{}, who))
}

func whoOf(r *http.Request) site.Studio {
	who, _ := r.Context().Value(whoKey{}).(site.Studio)
	return who
}
