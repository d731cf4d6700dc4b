package push

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/push/redisconn"
)

const (
	// redisChannel is the channel of hints. A message holds no more than who
	// sent it.
	redisChannel = "svc:changes"
	// redisTimeout bounds one step of a command.
	redisTimeout = 250 * time.Millisecond
	// redisSilence is how long the channel may be silent before the server is
	// asked whether it is still there.
	redisSilence = 2 * time.Second
	// redisRetry is the pause before a lost channel is opened again, and before a
	// hint that could not be sent is sent again.
	redisRetry = 500 * time.Millisecond
)

// Redis carries hints between the hubs of several processes through one Redis
// server. Nothing rests on it: while it is away, the log is polled.
type Redis struct {
	hub    *Hub
	client *redis.Client
	self   string // this process's name on the channel: its own hints are no news
	logger *zap.Logger

	send      chan struct{} // holds a token when there is a hint to publish
	connected atomic.Bool
	cancel    context.CancelFunc
	done      sync.WaitGroup
}

// ConnectRedis connects a hub to those of other processes through the server at
// a URL: redis://, rediss:// or unix://. It does not wait for the server; Close
// ends it.
func ConnectRedis(hub *Hub, url string, logger *zap.Logger) (*Redis, error) {
	client, err := redisconn.New(url, redisTimeout)
	if err != nil {
		return nil, fmt.Errorf("connecting to Redis: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &Redis{
		hub: hub, client: client, self: rand.Text(), logger: logger,
		send: make(chan struct{}, 1), cancel: cancel,
	}
	r.done.Go(func() { r.listen(ctx) })
	r.done.Go(func() { r.publish(ctx) })
	hub.connect(func() {
		select {
		case r.send <- struct{}{}:
		default: // the hint on its way says as much
		}
	})
	return r, nil
}

// Connected reports whether hints of other processes come in.
func (r *Redis) Connected() bool { return r.connected.Load() }

// Close disconnects the hub. The last hint may not have been sent.
func (r *Redis) Close() error {
	r.hub.connect(nil)
	r.cancel()
	r.done.Wait()
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("closing the connections to Redis: %w", err)
	}
	return nil
}

// publish sends hints, each until it succeeds: a server that was slow for a moment
// has passed none on. Until then the others poll.
func (r *Redis) publish(ctx context.Context) {
	for {
		select {
		case <-r.send:
		case <-ctx.Done():
			return
		}
		for {
			err := r.client.Publish(ctx, redisChannel, r.self).Err()
			if err == nil || ctx.Err() != nil {
				break
			}
			if c := r.logger.Check(zap.DebugLevel, "hint not sent"); c != nil {
				c.Write(zap.Error(err))
			}
			peer.Sleep(ctx, redisRetry)
		}
	}
}

// listen passes on the hints of others, and opens the channel again whenever it is
// lost.
func (r *Redis) listen(ctx context.Context) {
	lost := false // logged once
	for {
		err := r.receive(ctx, func() {
			r.connected.Store(true)
			if lost {
				r.logger.Info("push channel is back")
			}
			lost = false
			r.hub.hint() // something may have been missed
		})
		r.connected.Store(false)
		if ctx.Err() != nil {
			return
		}
		if !lost {
			r.logger.Warn("push channel is lost, revocations of other nodes are polled", zap.Error(err))
		}
		lost = true
		if !peer.Sleep(ctx, redisRetry) {
			return
		}
	}
}

// receive opens the channel, calls open once it is, and hints at each message
// until the channel is lost.
func (r *Redis) receive(ctx context.Context, open func()) (err error) {
	channel := r.client.Subscribe(ctx, redisChannel)
	// A read that waits does not look at ctx.
	interrupt := context.AfterFunc(ctx, func() { _ = channel.Close() })
	defer func() {
		if interrupt() {
			err = errors.Join(err, channel.Close())
		}
	}()
	asked := false // whether the server was asked for a sign of life
	for {
		message, err := channel.ReceiveTimeout(ctx, redisSilence)
		var late net.Error
		switch {
		case errors.As(err, &late) && late.Timeout() && !asked && r.connected.Load():
			if err := channel.Ping(ctx); err != nil {
				return err
			}
			asked = true
			continue
		case err != nil:
			return err
		}
		asked = false
		switch m := message.(type) {
		case *redis.Subscription:
			open()
		case *redis.Message:
			if m.Payload != r.self {
				r.hub.hint()
			}
		}
	}
}
