package process

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/driver/process/cgroup"
	"github.com/svc-games/svc/engine-proxy/driver/process/procfs"
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// clearRemains ends what a shim that was killed left behind, and returns when
// it is gone: the engine, which the kernel kills with its shim, all in its
// process group, and everything that runs as the engine's user.
func (d *Driver) clearRemains(ctx context.Context, r shim.Record) error {
	if r.BootID != d.bootID {
		return nil
	}
	if r.Cgroup != "" {
		if err := cgroup.Remove(r.Cgroup); err != nil {
			return driverkit.Unavailable(err)
		}
	}
	for deadline := time.Now().Add(killWait); ; {
		left, err := d.remains(r)
		if err != nil {
			return driverkit.Unavailable(err)
		}
		if len(left) == 0 {
			return nil
		}
		for pid, ticks := range left {
			procfs.Kill(pid, ticks)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("ending what a killed shim left: %w", driver.ErrUnavailable)
		}
		if err := clock.Sleep(ctx, clock.System{}, settlePause); err != nil {
			return err
		}
	}
}

// remains lists what is left of a shim's processes, with start times.
func (d *Driver) remains(r shim.Record) (map[int]uint64, error) {
	// The list comes before the leader: processes of a session that begins after its
	// number was found to be free are not in it.
	pids, err := procfs.Processes()
	if err != nil {
		return nil, err
	}
	// While one process is left in a session, nobody else gets its number.
	leader, err := procfs.ReadStat(r.PID)
	session := err != nil && procfs.Gone(err) || err == nil && leader.StartTicks == r.StartTicks
	left := make(map[int]uint64)
	for _, pid := range pids {
		st, err := procfs.ReadStat(pid)
		if err != nil || st.Dead() {
			continue
		}
		ours := session && st.Session == r.PID || pid == r.Engine && st.StartTicks == r.EngineTicks
		if !ours && r.UID != 0 {
			owner, err := procfs.Owner(pid)
			ours = err == nil && owner == r.UID
		}
		if ours {
			left[pid] = st.StartTicks
		}
	}
	return left, nil
}
