package fleet

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/admission"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/lifecycle"
	"github.com/svc-games/svc/engine-proxy/state"
)

// errStopped is the cause of an incarnation's context once it is to end.
var errStopped = errors.New("the engine is to stop")

// exitError is the cause of an incarnation's context when its engine has
// ended before it was ready.
type exitError struct{ exit *driver.Exit }

func (e *exitError) Error() string { return "the engine " + e.exit.String() }

// incarnation is one start of the engine, from the moment it is wanted until
// it is provably gone. Like the actor's fields, its own belong to who has the
// actor's turn; ctx and client don't change once others see them.
type incarnation struct {
	number uint64          // the machine's name for it
	ctx    context.Context // ends when it is to stop, or has ended
	cancel context.CancelCauseFunc
	ticket *admission.Ticket // turn among the starts; nil for an adopted one
	tried  bool              // the driver was asked to start it

	entry  state.Entry // empty until the start is in the journal
	token  string
	pid    int
	at     engineproxy.Endpoint // zero until it is known where the engine listens,
	client *engineclient.Client // which is nil until then
	exit   *driver.Exit         // of an engine that ended before it was ready
	exited bool

	inspecting, inspectAgain bool // the driver is being asked for it; and is to be once more

	ready contract.Ready // what it said when it became ready

	stopTimer func() bool // of the overall deadline
	began     time.Time   // the start; zero for an adopted one
	phaseAt   time.Time
	phases    map[lifecycle.Phase]time.Duration // how long each took
}

func (a *actor) newIncarnation(number uint64) *incarnation {
	r := &incarnation{number: number, stopTimer: func() bool { return false }}
	r.ctx, r.cancel = context.WithCancelCause(a.px.ctx)
	return r
}

// adoptable is an engine that may run already.
type adoptable struct {
	entry state.Entry
	token string
}

// connect gives the incarnation a client, now that it is known where it listens.
func (a *actor) connect(r *incarnation) {
	where := r.entry.Endpoint()
	r.at = engineproxy.Endpoint{Network: where.Network, Address: where.Address, InstanceID: r.entry.InstanceID, Token: r.token}
	dial := a.px.dial
	if where.Network == driver.TCP {
		r.at.TLS = a.px.authorities.By(r.entry.Authority).Client(r.entry.InstanceID)
		at := r.at
		dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return at.Dial(ctx) }
	}
	r.client = engineclient.New(engineclient.Target{
		ProjectID: a.id, InstanceID: r.entry.InstanceID,
		Network: where.Network, Address: where.Address, Token: r.token, Dial: dial,
	})
}

func (r *incarnation) instance() string {
	if r == nil {
		return ""
	}
	return r.entry.InstanceID
}

// abort ends the start that is under way.
func (r *incarnation) abort() {
	if r.exited {
		r.cancel(&exitError{r.exit})
		return
	}
	r.cancel(errStopped)
}

// releaseTurn gives up its turn among the starts and its timers.
func (r *incarnation) releaseTurn() {
	r.stopTimer()
	if r.ticket != nil {
		r.ticket.Close()
	}
}

// end is called when no instance is left.
func (r *incarnation) end() {
	r.cancel(errStopped)
	r.releaseTurn()
	if r.client != nil {
		r.client.Close()
	}
}
