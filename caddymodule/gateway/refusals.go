package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
)

const (
	// reportedEvery is how often the sidecar gets what was refused meanwhile.
	reportedEvery = time.Second
	// reportTimeout bounds one report.
	reportTimeout = 5 * time.Second
)

// refusals counts what is refused without a decision, for the decision log: anyone can
// cause any number of them, and a second of them costs one call for each text.
type refusals struct {
	mu   sync.Mutex
	held map[string]*refusedText // by text; nil while none is to be reported
}

// refusedText is one text, with the last request that got it.
type refusedText struct {
	sidecar.Refused
	of peer.Request
}

// undecided notes a refusal that no policy decided, and returns it.
func (a *Auth) undecided(ctx context.Context, refused *answers.Error) *answers.Error {
	var of peer.Request
	if a.Request != nil {
		of = a.Request(ctx)
	}
	if a.refused.count(refused, of) {
		time.AfterFunc(reportedEvery, a.report)
	}
	return refused
}

// count adds a refusal, and reports whether it is the first since the last report.
func (r *refusals) count(refused *answers.Error, of peer.Request) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if first = r.held == nil; first {
		r.held = map[string]*refusedText{}
	}
	last := r.held[refused.Message]
	if last == nil {
		last = &refusedText{Refused: sidecar.Refused{Status: refused.Status, Message: refused.Message, Reason: refused.Reason}}
		r.held[refused.Message] = last
	}
	last.Count++
	last.of = of
	return first
}

// take returns what was counted since the last time.
func (r *refusals) take() map[string]*refusedText {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.held
	r.held = nil
	return held
}

// report tells the sidecar. What it can't be told is in the access log alone, as the
// answers are given; a sidecar of an earlier version takes none of it.
func (a *Auth) report() {
	defer func() { _ = recover() }() // a log is nothing to end the gateway for
	ctx, cancel := context.WithTimeout(context.Background(), reportTimeout)
	defer cancel()
	held := a.refused.take()
	service, err := a.Sidecar(ctx)
	if err != nil {
		return
	}
	for _, text := range held {
		_ = service.NoteRefused(peer.WithRequest(ctx, text.of), text.Refused)
	}
}
