package playtest

import (
	"context"
	"sync"
	"time"
)

// idleTime is how long a browser is kept for the next game.
const idleTime = 2 * time.Minute

// Pool has one browser that is started when a game needs it, and ended when
// none did for a while. It is safe for concurrent use.
type Pool struct {
	path string

	mu      sync.Mutex // guards the following fields
	browser *Browser
	users   int
	idle    *time.Timer
}

// NewPool returns a pool of the Chromium at path. Nothing is started yet.
func NewPool(path string) *Pool { return &Pool{path: path} }

// Warm starts the browser in the background, for a game that will soon need
// it. If it can't be started, Get will say so.
func (p *Pool) Warm() {
	go func() {
		if _, release, err := p.Get(); err == nil {
			release(false)
		}
	}()
}

// Play plays a game in the browser, as Browser.Play does.
func (p *Pool) Play(ctx context.Context, g Game) (Report, error) {
	return inPool(ctx, p, func(b *Browser) (Report, error) { return b.Play(ctx, g) })
}

// Get returns the browser, and a function that gives it back. A browser that
// failed is not given to anyone else: release(true).
func (p *Pool) Get() (b *Browser, release func(failed bool), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.browser == nil {
		if p.browser, err = Start(context.Background(), p.path); err != nil {
			return nil, nil, err
		}
	}
	if p.idle != nil {
		p.idle.Stop()
	}
	p.users++
	b = p.browser
	return b, func(failed bool) { p.release(b, failed) }, nil
}

func (p *Pool) release(b *Browser, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
	if failed {
		b.Close()
		if p.browser == b {
			p.browser = nil
		}
		return
	}
	if p.users == 0 {
		p.idle = time.AfterFunc(idleTime, p.expire)
	}
}

// expire ends a browser that no one uses.
func (p *Pool) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 && p.browser != nil {
		p.browser.Close()
		p.browser = nil
	}
}

// Close ends the browser, if one runs.
func (p *Pool) Close() { p.expire() }
