package drivertest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/test/fake/engine/orders"
	"github.com/svc-games/svc/test/wait"
)

func (h Harness) testFind(t *testing.T) {
	t.Run("ListKnowsWhatRuns", h.findListKnowsWhatRuns)
	t.Run("ListForgetsWhatEnded", h.findListForgetsWhatEnded)
	t.Run("TheHandleSurvivesTheJournal", h.findTheHandleSurvivesTheJournal)
	t.Run("AnotherDriverAdopts", h.findAnotherDriverAdopts)
	t.Run("TheAdopterHearsOfTheEnd", h.findTheAdopterSeesTheEnd)
	t.Run("AnEndThatNobodyWatchedIsKnown", h.findAnEndThatNobodyWatchedIsKnown)
	t.Run("WhatEndedIsNotAdopted", h.findWhatEndedIsNotAdopted)
	for name, handle := range map[string]driver.Handle{
		"OfAnotherDriver": {Driver: "another", Data: json.RawMessage(`{}`)},
		"ThatIsEmpty":     {},
		"OfGarbage":       {Driver: "", Data: json.RawMessage(`"garbage"`)},
	} {
		t.Run("AHandle"+name+"NamesNothing", func(t *testing.T) {
			d := h.New(t)
			if name == "OfGarbage" {
				handle.Driver = d.Name()
			}
			if _, err := d.Adopt(t.Context(), handle); !errors.Is(err, driver.ErrNotFound) {
				t.Errorf("adopt: %v, want ErrNotFound", err)
			}
			if _, err := d.Inspect(t.Context(), handle); !errors.Is(err, driver.ErrNotFound) {
				t.Errorf("inspect: %v, want ErrNotFound", err)
			}
			if err := d.Stop(t.Context(), handle, 0); err != nil {
				t.Errorf("stop: %v, want nothing to do", err)
			}
		})
	}
	t.Run("ARecycledNameIsNeverTouched", h.findARecycledNameIsNeverTouched)
	t.Run("SilenceIsNotAbsence", h.findSilenceIsNotAbsence)
}

func (h Harness) findListKnowsWhatRuns(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{})
	all := listed(t, h.New(t), s)
	if len(all) != 1 {
		t.Fatalf("listed %+v", all)
	}
	obs := all[0]
	if obs.InstanceID != s.InstanceID || obs.Volume != s.Volume || !obs.Running || string(obs.Handle.Data) != string(handle.Data) || obs.Handle.Driver != d.Name() {
		t.Errorf("listed %+v, handle %s", obs, handle.Data)
	}
}

func (h Harness) findListForgetsWhatEnded(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	for _, obs := range listed(t, h.New(t), s) {
		if obs.Running {
			t.Errorf("listed %+v", obs)
		}
	}
}

func (h Harness) findTheHandleSurvivesTheJournal(t *testing.T) {
	_, s, handle := h.running(t, orders.Orders{})
	raw, err := json.Marshal(handle)
	must(t, err)
	var back driver.Handle
	must(t, json.Unmarshal(raw, &back))
	if obs, err := h.New(t).Inspect(t.Context(), back); err != nil || !obs.Running || obs.InstanceID != s.InstanceID {
		t.Errorf("inspected %+v, %v", obs, err)
	}
}

func (h Harness) findAnotherDriverAdopts(t *testing.T) {
	_, s, handle := h.running(t, orders.Orders{})
	second := h.New(t)
	for range 2 { // twice is harmless
		obs, err := second.Adopt(t.Context(), handle)
		if err != nil || !obs.Running || obs.InstanceID != s.InstanceID || obs.ProjectID != s.ProjectID || obs.Volume != s.Volume {
			t.Fatalf("adopted %+v, %v", obs, err)
		}
	}
}

func (h Harness) findTheAdopterSeesTheEnd(t *testing.T) {
	d, s, handle := h.running(t, orders.Orders{})
	second := h.New(t)
	events, err := second.Watch(t.Context())
	must(t, err)
	_, err = second.Adopt(t.Context(), handle)
	must(t, err)
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	awaitHint(t, second, handle, s, events)
	if exit := ended(t, second, handle); exit == nil || exit.Code != 0 || exit.Reason != driver.ReasonExited {
		t.Errorf("the adopter saw that it %s", exit)
	}
}

func (h Harness) findAnEndThatNobodyWatchedIsKnown(t *testing.T) {
	d, s := h.New(t), h.Spec(t)
	seven := 7
	handle := start(t, d, s, orders.Orders{Exit: &seven})
	ended(t, d, handle)
	// A driver without memory must know it as well.
	obs, err := h.New(t).Inspect(t.Context(), handle)
	if err != nil || obs.Running || obs.Exit == nil || obs.Exit.Code != seven {
		t.Errorf("inspected %+v, %v, want exit code %d", obs, err, seven)
	}
}

func (h Harness) findWhatEndedIsNotAdopted(t *testing.T) {
	d, _, handle := h.running(t, orders.Orders{})
	must(t, d.Stop(t.Context(), handle, wait.Patience))
	if _, err := h.New(t).Adopt(t.Context(), handle); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func (h Harness) findARecycledNameIsNeverTouched(t *testing.T) {
	if h.Recycled == nil {
		t.Skip("names of this driver are never used again")
	}
	_, s, handle := h.running(t, orders.Orders{})
	earlier := h.Recycled(t, handle)
	second := h.New(t)
	if _, err := second.Adopt(t.Context(), earlier); !errors.Is(err, driver.ErrIdentity) {
		t.Errorf("adopt: %v, want ErrIdentity", err)
	}
	must(t, second.Stop(t.Context(), earlier, 0))
	if runs, err := orders.EngineRuns(s.Volume); err != nil || !runs {
		t.Errorf("the engine that has the name now runs: %t, %v", runs, err)
	}
}

func (h Harness) findSilenceIsNotAbsence(t *testing.T) {
	if h.Unavailable == nil {
		t.Skip("this driver is its own backend")
	}
	_, _, handle := h.running(t, orders.Orders{})
	deaf := h.Unavailable(t)
	for what, call := range map[string]func() error{
		"check":   func() error { return deaf.Check(t.Context()) },
		"start":   func() error { _, err := deaf.Start(t.Context(), h.Spec(t), nil); return err },
		"adopt":   func() error { _, err := deaf.Adopt(t.Context(), handle); return err },
		"inspect": func() error { _, err := deaf.Inspect(t.Context(), handle); return err },
		"list":    func() error { _, err := deaf.List(t.Context()); return err },
		"stop":    func() error { return deaf.Stop(t.Context(), handle, 0) },
		"remove":  func() error { return deaf.Remove(t.Context(), handle) },
		"logs":    func() error { _, err := deaf.Logs(t.Context(), handle, 1); return err },
	} {
		if err := call(); !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", what, err)
		}
	}
}
