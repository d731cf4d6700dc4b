package docker

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/events"
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

func newHandle(id, projectID, instanceID string) driver.Handle {
	return driverkit.NewHandle(Name, handleData{Container: id, ProjectID: projectID, InstanceID: instanceID})
}

func parseHandle(h driver.Handle) (handleData, error) {
	var data handleData
	err := driverkit.ReadHandle(h, Name, &data)
	if err == nil && data.Container == "" {
		err = fmt.Errorf("reading %s handle: %w", Name, driver.ErrNotFound)
	}
	return data, err
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

// find asks the daemon for the container of a handle.
func (d *Driver) find(ctx context.Context, h driver.Handle) (container.InspectResponse, error) {
	data, err := parseHandle(h)
	if err != nil {
		return container.InspectResponse{}, err
	}
	found, err := d.inspect(ctx, data.Container)
	if err == nil && found.Config.Labels[driverkit.LabelInstance] != data.InstanceID {
		err = driver.ErrIdentity
	}
	return found, err
}

// Adopt implements driver.Driver.
func (d *Driver) Adopt(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	return driverkit.Adopted(d.Inspect(ctx, h))
}

// Inspect implements driver.Driver.
func (d *Driver) Inspect(ctx context.Context, h driver.Handle) (driver.Observed, error) {
	found, err := d.find(ctx, h)
	if err != nil {
		return driver.Observed{}, err
	}
	obs := observed(found.ID, found.Config.Labels)
	obs.Running, obs.PID = alive(found.State.Status), found.State.Pid
	if !obs.Running {
		obs.Exit = exitOf(found.State)
		if obs.Exit.Signal == int(syscall.SIGKILL) && obs.Exit.Reason == driver.ReasonKilled && d.outOfMemory(ctx, found.ID, obs.Exit.At) {
			obs.Exit.Reason = driver.ReasonOOM
		}
	}
	return obs, nil
}

// aroundEnd is for how long before and after its end a container's want of memory
// explains a SIGKILL.
const aroundEnd = time.Second

// outOfMemory asks the daemon's events whether memory was the cause of an end. A daemon
// learns of both apart, and one that learns of the end first leaves it out of the state.
func (d *Driver) outOfMemory(ctx context.Context, id string, end time.Time) bool {
	if end.IsZero() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*aroundEnd)
	defer cancel()
	stream := d.api.Events(ctx, client.EventsListOptions{
		Since:   seconds(end.Add(-aroundEnd)),
		Until:   seconds(end.Add(aroundEnd)),
		Filters: make(client.Filters).Add("container", id).Add("event", string(events.ActionOOM)),
	})
	select {
	case <-stream.Messages:
		return true
	case <-stream.Err: // io.EOF for one: nothing was said by then
		return false
	}
}

// seconds is a time as the daemon reads it.
func seconds(t time.Time) string { return fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()) }

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
		obs := observed(item.ID, item.Labels)
		obs.Running = alive(item.State)
		out = append(out, obs)
	}
	return out, nil
}

// observed reads what the labels of a container tell.
func observed(id string, labels map[string]string) driver.Observed {
	obs := driverkit.Labelled(labels)
	obs.Handle = newHandle(id, obs.ProjectID, obs.InstanceID)
	obs.Volume, obs.Endpoint = labels[labelVolume], driver.UnixEndpoint(labels[labelSocket])
	return obs
}

// alive reports whether a container has, or may have, a process.
func alive(s container.ContainerState) bool {
	switch s {
	case container.StateExited, container.StateCreated, container.StateDead:
		return false
	}
	return true
}

// exitOf reads how a container ended.
func exitOf(s *container.State) *driver.Exit {
	e := driverkit.ExitOf(s.ExitCode)
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
