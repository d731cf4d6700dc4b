package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/site"
)

// maxSites bounds how many consoles are kept: there is one for each different
// configuration among the gateways.
const maxSites = 32

// ConsoleHandler serves the console to gateways. open returns one with given options.
func ConsoleHandler(open func(site.Options) (site.Site, error), logger *zap.Logger) http.Handler {
	s := &consoles{open: open, logger: logger, sites: make(map[string]site.Site)}
	mux := http.NewServeMux()
	mux.Handle(pathPages+"/", http.StripPrefix(pathPages, s.serve(func(c site.Site) http.Handler { return c })))
	mux.Handle(pathPreview+"/", http.StripPrefix(pathPreview, s.serve(site.Site.Preview)))
	mux.Handle("GET "+pathSessions+"/{session}", s.serve(endings))
	return mux
}

type consoles struct {
	open   func(site.Options) (site.Site, error)
	logger *zap.Logger

	mu    sync.Mutex
	sites map[string]site.Site // by their settings
}

func (s *consoles) serve(part func(site.Site) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := readRequestInfo(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		site, err := s.site(info.settings)
		if err != nil {
			s.logger.Error("console can't be opened", zap.Error(err))
			http.Error(w, "The console can't be opened.", http.StatusInternalServerError)
			return
		}
		ctx := peer.ReadRequest(r.Context(), r.Header)
		r = r.WithContext(context.WithValue(ctx, requestInfoKey{}, info))
		r.Host, r.RemoteAddr = info.Host, info.Remote
		part(site).ServeHTTP(w, r)
	})
}

// endings answers whether sessions of a console have ended.
func endings(c site.Site) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ended, err := c.Ended(r.Context(), r.PathValue("session"))
		switch {
		case err != nil:
			http.Error(w, "The session can't be looked up right now.", http.StatusServiceUnavailable)
		case ended:
			w.WriteHeader(statusEnded)
		default:
			w.WriteHeader(statusGoesOn)
		}
	})
}

type requestInfoKey struct{}

// requestInfoOf returns what the gateway knows of a request.
func requestInfoOf(r *http.Request) requestInfo {
	info, _ := r.Context().Value(requestInfoKey{}).(requestInfo)
	return info
}

// site returns the console with the given settings.
func (s *consoles) site(set settings) (site.Site, error) {
	text, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if site := s.sites[string(text)]; site != nil {
		return site, nil
	}
	o := site.Options{
		Secure: set.Secure, Idle: set.Idle, Absolute: set.Absolute, OIDC: set.OIDC,
		Preview: func(r *http.Request) string { return requestInfoOf(r).Preview },
	}
	if set.Identifies {
		o.Identity = func(r *http.Request) string { return requestInfoOf(r).Named }
	}
	site, err := s.open(o)
	if err != nil {
		return nil, err
	}
	if len(s.sites) >= maxSites {
		clear(s.sites) // mostly of configurations that are gone
	}
	s.sites[string(text)] = site
	return site, nil
}
