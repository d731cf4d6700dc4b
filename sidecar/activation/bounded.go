package activation

import (
	"context"
	"time"
)

// storeTimeout bounds one read or write of the store.
const storeTimeout = 5 * time.Second

// leaveTimeout bounds what a stop waits for the store, which forgets a sidecar anyway.
const leaveTimeout = time.Second

// bounded has a bound for each call. What was read is compiled and tested without it:
// that takes longer on a busy machine.
type bounded struct{ Shared }

func (b bounded) Version(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Version(ctx)
}

func (b bounded) Load(ctx context.Context) (version int64, state []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Load(ctx)
}

func (b bounded) Save(ctx context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Save(ctx, version, state, archives, keep)
}

func (b bounded) Archive(ctx context.Context, digest string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Archive(ctx, digest)
}

func (b bounded) Report(ctx context.Context, name, revision string) ([]Sidecar, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Report(ctx, name, revision)
}

func (b bounded) Leave(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	return b.Shared.Leave(ctx, name)
}

func (b bounded) Ask(ctx context.Context, name string, question []byte) (id string, others []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Ask(ctx, name, question)
}

func (b bounded) Asked(ctx context.Context, name string) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Asked(ctx, name)
}

func (b bounded) Answer(ctx context.Context, id, name string, answer []byte) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Answer(ctx, id, name, answer)
}

func (b bounded) Answers(ctx context.Context, id string, known []string) (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Answers(ctx, id, known)
}

func (b bounded) Withdraw(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return b.Shared.Withdraw(ctx, id)
}

// Interface guards
var _ Shared = bounded{}
