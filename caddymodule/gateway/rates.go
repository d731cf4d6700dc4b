package gateway

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/caddymodule/gateway/rate"
)

// How much is remembered.
const (
	RatedKeys      = 20_000 // buckets of API keys
	ratedAddresses = 20_000 // buckets of client addresses
	knownKeys      = 50_000 // keys that are no strangers
)

// How many keys of strangers are looked up at once that come from addresses which
// sent many keys that were refused.
const (
	lookUpsOfAddress = 4
	lookUpsInAll     = 64
)

// Rates is what a gateway knows of request rates. It is safe for concurrent use, and
// is meant to be kept over reloads.
type Rates struct {
	keys     rate.Limiter            // by key id
	failures *rate.Local[netip.Addr] // by client: keys that were refused
	known    *lru.Cache[mint.KeyHash, struct{}]
	lookUps  Places // of strangers at suspect addresses
}

// NewRates returns rates that count the requests of keys with a limiter, which is the
// caller's to close.
func NewRates(keys rate.Limiter, now func() time.Time) *Rates {
	known, err := lru.New[mint.KeyHash, struct{}](knownKeys)
	if err != nil {
		panic(err) // a size that is not above 0
	}
	return &Rates{keys: keys, failures: rate.NewLocal[netip.Addr](ratedAddresses, now), known: known}
}

// RateError is the cause of a 503 for a rate that was gone over.
type RateError struct{ Kind RateKind }

// RateKind is what a rate counts by, as it stands in metrics.
type RateKind string

// Rates that a request can go over.
const (
	RateOfKey     RateKind = "key"     // requests of a key
	RateOfAddress RateKind = "address" // refused keys of an address
)

func (e *RateError) Error() string { return fmt.Sprintf("over the rate of one %s", e.Kind) }

// Spend takes one request from the key's rate, or returns the 503: the
// specification closes the list of limits that answer 429.
func (r *Rates) Spend(ctx context.Context, keyID string, limit rate.Limit) *answers.Error {
	if limit.Rate == 0 {
		return nil
	}
	wait := r.keys.Take(ctx, keyID, limit)
	if wait == 0 {
		return nil
	}
	return answers.Unavailable("Too many requests with this API key. Slow down.", wait, &RateError{RateOfKey})
}

// suspect takes part in the look-up of a key whose client sent many keys that were
// refused: there are few such look-ups at once, so that guessing costs the store
// little. done must be called after it. A key that this node found good the last time is no
// stranger, and a good one that it has not is never taken for a bad one.
func (r *Rates) suspect(client netip.Addr, hash mint.KeyHash, limit rate.Limit) (done func(), refused *answers.Error) {
	if limit.Rate == 0 || r.failures.Wait(clientOf(client), limit) == 0 || r.known.Contains(hash) {
		return func() {}, nil
	}
	done, full := r.lookUps.Enter(client, PlaceBounds{All: lookUpsInAll, PerAddress: lookUpsOfAddress}, func() bool { return false })
	if full == "" {
		return done, nil
	}
	return nil, answers.Unavailable("Many refused API keys come from this address. This one can't be checked right now.",
		time.Second, &RateError{RateOfAddress})
}

// learn counts the outcome of a look-up: good for a key that may be used. Any other costs
// a decision each time, whoever had it.
func (r *Rates) learn(ctx context.Context, client netip.Addr, hash mint.KeyHash, good bool, limit rate.Limit) {
	switch {
	case limit.Rate == 0:
	case !good:
		r.failures.Take(ctx, clientOf(client), limit)
		r.known.Remove(hash)
	default:
		r.known.Add(hash, struct{}{})
	}
}

// clientOf returns what a client's refused keys, and its places, are counted by: its
// address, of IPv6 the /64 that one client usually has.
func clientOf(address netip.Addr) netip.Addr {
	address = address.Unmap().WithZone("")
	if !address.Is6() {
		return address
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.Addr()
}
