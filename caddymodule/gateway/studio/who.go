package studio

import (
	"context"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/sidecar/site"
)

type whoKey struct{}

func withWho(ctx context.Context, who site.Studio) context.Context {
	return context.WithValue(ctx, whoKey{}, who)
}

func whoOf(ctx context.Context) site.Studio {
	who, _ := ctx.Value(whoKey{}).(site.Studio)
	return who
}

type shareKey struct{}

// withShare has what is made with the context hold answers of engines in the share.
func withShare(ctx context.Context, share *gateway.Share) context.Context {
	return context.WithValue(ctx, shareKey{}, share)
}

func shareOf(ctx context.Context) *gateway.Share {
	share, _ := ctx.Value(shareKey{}).(*gateway.Share)
	return share
}
