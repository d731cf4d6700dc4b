package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// handleData is what Handle.Data holds.
type handleData struct {
	Container  string `json:"container"` // the daemon's id, never given twice
	ProjectID  string `json:"projectId"`
	InstanceID string `json:"instanceId"`
}

func newHandle(id, projectID, instanceID string) (driver.Handle, error) {
	raw, err := json.Marshal(handleData{Container: id, ProjectID: projectID, InstanceID: instanceID})
	if err != nil {
		return driver.Handle{}, fmt.Errorf("encoding container handle: %w", err)
	}
	return driver.Handle{Driver: Name, Data: raw}, nil
}

func parseHandle(h driver.Handle) (handleData, error) {
	var data handleData
	if h.Driver != Name {
		return data, fmt.Errorf("reading handle of driver %q: %w", h.Driver, driver.ErrNotFound)
	}
	if err := json.Unmarshal(h.Data, &data); err != nil || data.Container == "" {
		return data, fmt.Errorf("reading container handle: %w", driver.ErrNotFound)
	}
	return data, nil
}

// inspect asks the daemon for a container.
func (d *Driver) inspect(ctx context.Context, id string) (container.InspectResponse, error) {
	found, err := d.api.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return container.InspectResponse{}, fmt.Errorf("inspecting container: %w", absence(err))
	}
	if found.Container.State == nil || found.Container.Config == nil {
		return container.InspectResponse{}, fmt.Errorf("inspecting container: the answer is incomplete: %w", driver.ErrUnavailable)
	}
	return found.Container, nil
}

// Adopt implements driver.Driver. Watch reports every container's end, so all
// there is to do is to look.
func (d *Driver) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	obs, err := d.Inspect(ctx, h)
	if err == nil && !obs.Running {
		return driver.Observed{}, driver.ErrNotFound
	}
	return obs, err
}

// Inspect implements driver.Driver.
func (d *Driver) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	data, err := parseHandle(h)
	if err != nil {
		return driver.Observed{}, err
	}
	found, err := d.inspect(ctx, data.Container)
	if err != nil {
		return driver.Observed{}, err
	}
	if found.Config.Labels[labelInstance] != data.InstanceID {
		return driver.Observed{}, driver.ErrIdentity
	}
	obs, err := observed(found.ID, found.Config.Labels)
	if err != nil {
		return driver.Observed{}, err
	}
	obs.Running, obs.PID = alive(found.State.Status), found.State.Pid
	if !obs.Running {
		obs.Exit = exitOf(found.State)
	}
	return obs, nil
}

// List implements driver.Driver. A container that was made and not started is
// among them: it is what an interrupted start leaves.
func (d *Driver) List(ctx context.Context) ([]driver.Observed, error) {
	list, err := d.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: d.ours()})
	if err != nil {
		return nil, fmt.Errorf("listing containers: %w", driverkit.Unavailable(err))
	}
	out := make([]driver.Observed, 0, len(list.Items))
	for _, item := range list.Items {
		if !alive(item.State) && item.State != container.StateCreated {
			continue
		}
		obs, err := observed(item.ID, item.Labels)
		if err != nil {
			return nil, err
		}
		obs.Running = alive(item.State)
		out = append(out, obs)
	}
	return out, nil
}

// observed reads what the labels of a container tell.
func observed(id string, labels map[string]string) (driver.Observed, error) {
	h, err := newHandle(id, labels[labelProject], labels[labelInstance])
	if err != nil {
		return driver.Observed{}, err
	}
	generation, _ := strconv.ParseUint(labels[labelGeneration], 10, 64) // 0 for what is none
	return driver.Observed{
		ProjectID: labels[labelProject], InstanceID: labels[labelInstance], Generation: generation,
		Handle: h, Volume: labels[labelVolume], Endpoint: driver.UnixEndpoint(labels[labelSocket]),
	}, nil
}

// alive reports whether a container has, or may have, a process.
func alive(s container.ContainerState) bool {
	switch s {
	case container.StateExited, container.StateCreated, container.StateDead:
		return false
	}
	return true
}

// exitOf reads how a container ended. The exit code is that of its init
// process, which adds 128 to the signal that ended the engine.
func exitOf(s *container.State) *driver.Exit {
	const signalled, signals = 128, 64
	e := &driver.Exit{Code: s.ExitCode, Reason: driver.ReasonExited}
	if signal := s.ExitCode - signalled; signal > 0 && signal <= signals {
		e.Code, e.Signal, e.Reason = -1, signal, driver.ReasonKilled
	}
	switch {
	case s.OOMKilled:
		e.Reason = driver.ReasonOOM
	case s.Status == container.StateCreated:
		e.Code, e.Reason, e.Detail = -1, driver.ReasonRefused, s.Error
	case s.Error != "":
		e.Detail = s.Error
	}
	// A time that can't be read is one that is not known.
	e.At, _ = time.Parse(time.RFC3339Nano, s.FinishedAt)
	return e
}
