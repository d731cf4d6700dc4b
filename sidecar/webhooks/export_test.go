package webhooks

import (
	"context"
	"net/netip"
	"time"
)

// Bounds of a sender.
const (
	Lease     = lease
	PerOwner  = perOwner
	Keep      = keep
	MaxAnswer = maxAnswer
)

// Waits returns those after each failed attempt.
func Waits() []time.Duration { return waits }

// Once posts what is due and waits for it.
func (s *Sender) Once(ctx context.Context) {
	s.round(ctx)
	s.tasks.Wait()
}

// Begin begins to post what is due.
func (s *Sender) Begin(ctx context.Context) { s.round(ctx) }

// Prune deletes what is too old to be listed.
func (s *Sender) Prune(ctx context.Context) { s.tidy(ctx) }

// SetTimeout bounds an attempt.
func (s *Sender) SetTimeout(d time.Duration) { s.timeout = d }

// Allowed reports whether a URL of a scheme may lead to an address.
func Allowed(addr, scheme string, networks ...netip.Prefix) bool {
	return allowed(netip.MustParseAddr(addr), scheme, networks)
}
