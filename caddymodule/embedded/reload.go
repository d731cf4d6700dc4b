package embedded

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/svc-games/svc/caddymodule"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/engine-proxy/host"
)

// liveEngines is the engine proxy in this process, with what the present
// configuration wants of it.
type liveEngines struct {
	engineproxy.Engines // as the gateway reaches them
	proxy               *fleet.Proxy
	fixed               Engines // the options that it was opened with and that can't change
	mode                fleet.CloseMode
}

// fixed returns the options that hold for as long as the engine proxy runs.
func (e *Engines) fixed() Engines {
	f := *e
	f.Idle, f.Retain, f.MaxArchive, f.MaxEngines, f.MaxPerOwner, f.StopOnExit = 0, 0, 0, 0, 0, ""
	return f
}

// apply changes the options that can change.
func (l *liveEngines) apply(e *Engines) error {
	mode, err := host.StopMode(e.StopOnExit)
	if err != nil {
		return err
	}
	l.mode = mode
	return l.proxy.Apply(e.settings())
}

// ReloadEngines implements caddymodule.EnginesReloader. Options that would
// need other engines than those that run are refused: a reload stops none.
func (e *Engines) ReloadEngines(opened *caddymodule.OpenedEngines) error {
	live, ok := opened.Engines.(*liveEngines)
	if !ok {
		return errors.New("engines: an earlier configuration opened an engine proxy of another kind")
	}
	if was, is := live.fixed, e.fixed(); !reflect.DeepEqual(was, is) {
		return fmt.Errorf("engines: a reload changes idle, retain, max_archive, max_engines, max_per_owner and stop_on_exit alone; restart the service to change more")
	}
	return live.apply(e)
}
