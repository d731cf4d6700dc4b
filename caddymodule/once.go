package caddymodule

import "sync"

// afterStart returns a function that makes a handler's core when it is first
// called, and returns the same from then on. What the core needs is open once the
// app has started, which comes after the handler's Provision.
func afterStart[T any](build func(*Shared) *T) func(*Shared) *T {
	var once sync.Once
	var core *T
	return func(s *Shared) *T {
		once.Do(func() { core = build(s) })
		return core
	}
}
