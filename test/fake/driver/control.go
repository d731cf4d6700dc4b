package fakedriver

import (
	"maps"
	"slices"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// Faults are what a test makes of a driver.
type Faults struct {
	Down        bool                    // it is unavailable
	StartTakes  time.Duration           // how long a start lasts
	Refuse      func(driver.Spec) error // instead of a start
	Unfit       error                   // what a check finds
	Hidden      int                     // how many looks at an instance don't show its address yet
	Computes    map[string]bool         // projects whose engine wants the processor
	Generations bool                    // it knows the generation of what it observes
}

// Set changes the driver's faults.
func (f *fake) Set(change func(*Faults)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.faults)
}

// SetDown has the driver answer nothing, or answer again.
func (f *fake) SetDown(down bool) { f.Set(func(now *Faults) { now.Down = down }) }

// Change replaces the switches of the engines that run.
func (f *fake) Change(s fakeengine.Switches) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.instances {
		if i.exit == nil {
			i.engine.Change(s)
		}
	}
}

// Spec returns what an instance was started with.
func (f *fake) Spec(instanceID string) driver.Spec {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.instances[instanceID].spec
}

// Starts counts the starts, by project.
func (f *fake) Starts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.starts)
}

// Running returns the ids of the instances that have not ended.
func (f *fake) Running() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for id, i := range f.instances {
		if i.exit == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Breaches returns what no driver may ever be asked for, and this one was.
func (f *fake) Breaches() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.breaches)
}

// Kill ends an instance as a signal would.
func (f *fake) Kill(instanceID string) {
	f.end(instanceID, &driver.Exit{Code: -1, Signal: 9, Reason: driver.ReasonKilled, At: time.Now()})
}

// Close kills what runs, so that no goroutine is left.
func (f *fake) Close() {
	for _, id := range f.Running() {
		f.Kill(id)
	}
}
