package docker

import (
	"context"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"
	"go.uber.org/zap"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// Pace of the attempts to hear from a daemon that has gone.
const (
	rewatchMin = 100 * time.Millisecond
	rewatchMax = 5 * time.Second
)

// Watch implements driver.Driver. It follows the daemon's events and begins
// again whenever they break off, with a hint that some may have been lost.
func (d *Driver) Watch(ctx context.Context) (<-chan driver.Event, error) {
	out := make(chan driver.Event)
	go func() {
		defer close(out)
		since := time.Now()
		for pause := rewatchMin; ; pause = min(2*pause, rewatchMax) {
			last, answered, err := d.follow(ctx, since, out)
			if ctx.Err() != nil {
				return
			}
			since = last
			if answered {
				pause = rewatchMin
			}
			d.opts.Logger.Warn("the Docker daemon's events broke off", zap.Duration("next", pause), zap.Error(err))
			if clock.Sleep(ctx, clock.System{}, pause) != nil {
				return
			}
		}
	}()
	return out, nil
}

// follow passes ends on until the stream breaks off. It returns the time of
// the last event, and whether the daemon answered at all. Events since the
// given time come again, as far as the daemon has them still.
func (d *Driver) follow(ctx context.Context, since time.Time, out chan<- driver.Event) (last time.Time, answered bool, err error) {
	last = since
	stream := d.api.Events(ctx, client.EventsListOptions{
		Since: strconv.FormatInt(since.Unix(), 10),
		Filters: d.ours().
			Add("type", string(events.ContainerEventType)).
			Add("event", string(events.ActionDie), string(events.ActionDestroy)),
	})
	select {
	case err := <-stream.Err:
		return last, false, err
	default:
	}
	// The daemon answers. What happened while it did not is unknown.
	if !driverkit.Send(ctx, out, driver.Event{}) {
		return last, true, ctx.Err()
	}
	for {
		select {
		case err := <-stream.Err:
			return last, true, err
		case m := <-stream.Messages:
			last = time.Unix(0, m.TimeNano)
			if !driverkit.Send(ctx, out, driverkit.EventOf(m.Actor.Attributes)) {
				return last, true, ctx.Err()
			}
		}
	}
}
