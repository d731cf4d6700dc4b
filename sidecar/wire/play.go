package wire

import (
	"context"
	"net/http"

	"go.uber.org/zap"

	"github.com/svc-games/svc/sidecar/site"
)

// Paths at which the sidecar serves published games.
const (
	PlayPath      = "/play-of/v1"
	pathPlayPages = PlayPath + "/pages"
	pathPlayGames = PlayPath + "/games"
)

// Play is what players see of a sidecar in another process.
type Play struct{ forwarder *Console }

// NewPlay returns what the sidecar at the other end of transport serves players with.
func NewPlay(transport http.RoundTripper, o site.PlayOptions, logger *zap.Logger) Play {
	forwarder := NewConsole(transport, site.Options{
		Preview: o.Origin, Secure: o.Secure, Idle: o.Idle, Absolute: o.Absolute, Identity: o.Identity,
	}, logger)
	forwarder.away = "Games can't be shown right now. Try again in a moment."
	return Play{forwarder}
}

// Pages implements site.Play.
func (p Play) Pages() http.Handler { return p.forward(pathPlayPages) }

// Games implements site.Play.
func (p Play) Games() http.Handler { return p.forward(pathPlayGames) }

func (p Play) forward(prefix string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.forwarder.forward(w, r, prefix) })
}

// PlayHandler serves players to gateways. open returns what answers them.
func PlayHandler(open func(site.PlayOptions) (site.Play, error), logger *zap.Logger) http.Handler {
	serve := func(set settings, part func(site.Play) http.Handler) (http.Handler, error) {
		play, err := open(site.PlayOptions{
			Secure: set.Secure, Idle: set.Idle, Absolute: set.Absolute,
			Origin:   func(r *http.Request) string { return requestInfoOf(r).Preview },
			Identity: func(r *http.Request) string { return requestInfoOf(r).Named },
		})
		if err != nil {
			return nil, err
		}
		return part(play), nil
	}
	handle := func(part func(site.Play) http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			info, err := readRequestInfo(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			handler, err := serve(info.settings, part)
			if err != nil {
				logger.Error("games can't be opened", zap.Error(err))
				http.Error(w, "Games can't be shown.", http.StatusInternalServerError)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), requestInfoKey{}, info))
			r.Host, r.RemoteAddr = info.Host, info.Remote
			handler.ServeHTTP(w, r)
		})
	}
	mux := http.NewServeMux()
	mux.Handle(pathPlayPages+"/", http.StripPrefix(pathPlayPages, handle(site.Play.Pages)))
	mux.Handle(pathPlayGames+"/", http.StripPrefix(pathPlayGames, handle(site.Play.Games)))
	return mux
}

// Interface guards
var _ site.Play = Play{}
