package docker

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Where a container finds what is its own.
const (
	insideRun    = "/run/svc"
	insideToken  = "/run/secrets/token"
	insideEgress = "/run/egress"
	insideTmp    = "/tmp"
)

// logFiles is in how many files the daemon keeps a log: one is written, the
// other goes when that is full.
const logFiles = 2

// recipe is what a container is made from.
type recipe struct {
	config *container.Config
	host   *container.HostConfig
}

// recipe returns the container of an engine that runs as uid and gid. What is
// not written here an engine does not have; nothing here can be changed by a
// project.
func (d *Driver) recipe(s driver.Spec, uid, gid int) (recipe, error) {
	limits := d.opts.Limits
	r := recipe{
		config: &container.Config{
			Image:      d.opts.Image,
			Entrypoint: d.opts.Command,
			Cmd:        arguments(s, d.opts),
			Env:        driverkit.Environment(insideTmp, insideTmp, d.opts.Env),
			User:       fmt.Sprintf("%d:%d", uid, gid),
			WorkingDir: cmp.Or(driverkit.VolumeOf(s), insideTmp),
			StopSignal: "SIGTERM",
			// An image may not switch the network on, or a health check that
			// no one asks.
			NetworkDisabled: true,
			Healthcheck:     &container.HealthConfig{Test: []string{"NONE"}},
		},
		host: &container.HostConfig{
			NetworkMode:    "none",
			ReadonlyRootfs: true,
			CapDrop:        []string{"ALL"},
			// The daemon's AppArmor or SELinux rules stay in force, since nothing
			// here says otherwise.
			SecurityOpt:   securityOptions(),
			IpcMode:       "private",
			OomScoreAdj:   500, // the engine dies before the gateway
			Init:          new(true),
			RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
			LogConfig: container.LogConfig{
				Type: "local",
				Config: map[string]string{
					"max-size": strconv.FormatInt(d.opts.LogBytes/logFiles, 10), "max-file": strconv.Itoa(logFiles),
					"compress": "false",
				},
			},
			Tmpfs: map[string]string{
				insideTmp: "rw,noexec,nosuid,nodev,size=" + strconv.FormatInt(d.opts.TmpBytes, 10),
			},
			Mounts:  mounts(s),
			Runtime: d.opts.Runtime,
			Resources: container.Resources{
				Memory:     limits.Memory,
				MemorySwap: limits.Memory, // the sum of both: no swap
				NanoCPUs:   limits.CPU * 1e6,
				CPUShares:  512, // half of what others have when the machine is busy
				PidsLimit:  &limits.PIDs,
				Ulimits: []*container.Ulimit{
					{Name: "nofile", Soft: limits.Files, Hard: limits.Files},
					{Name: "core", Soft: 0, Hard: 0},
				},
			},
		},
	}
	labels := d.labels(s)
	hash, err := r.hash()
	if err != nil {
		return recipe{}, err
	}
	labels[labelSpec] = hash
	r.config.Labels = labels
	return r, nil
}

// arguments are an engine's command line inside.
func arguments(s driver.Spec, o Options) []string {
	var egress string
	if s.Egress != "" {
		egress = path.Join(egressDir(s), filepath.Base(s.Egress))
	}
	return append(driverkit.Task(s), driverkit.Arguments(
		"--volume", driverkit.VolumeOf(s), "--socket", path.Join(insideRun, filepath.Base(s.Socket)), "--project", s.ProjectID,
		"--instance", s.InstanceID, "--token-file", insideToken, "--egress", egress, "--chromium", o.Chromium,
		"--volume-bytes", strconv.FormatInt(max(o.Limits.Volume, 0), 10),
	)...)
}

// mounts are all that an engine sees of the host. A socket comes with its
// folder, so that one which is made anew is seen too.
func mounts(s driver.Spec) []mount.Mount {
	var list []mount.Mount
	if s.Volume != "" {
		list = append(list, bind(s.Volume, driverkit.InsideVolume, false))
	}
	list = append(list, bind(filepath.Dir(s.Socket), insideRun, false), bind(s.TokenFile, insideToken, true))
	if s.Egress != "" && egressDir(s) != insideRun {
		list = append(list, bind(filepath.Dir(s.Egress), egressDir(s), true))
	}
	return list
}

// egressDir is where the engine finds the folder of its egress socket, which
// is that of its own socket unless a path would have been too long.
func egressDir(s driver.Spec) string {
	if filepath.Dir(s.Egress) == filepath.Dir(s.Socket) {
		return insideRun
	}
	return insideEgress
}

// hash tells two recipes apart.
func (r recipe) hash() (string, error) {
	raw, err := json.Marshal([]any{r.config, r.host})
	if err != nil {
		return "", fmt.Errorf("encoding container: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// made reports whether a container with these labels was made from the recipe.
// The image may have brought labels of its own.
func (r recipe) made(labels map[string]string) bool {
	for name, value := range r.config.Labels {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// bind mounts what is at source and nothing that is mounted below it. The
// daemon refuses a source that is not there, instead of making it.
func bind(source, target string, readOnly bool) mount.Mount {
	return mount.Mount{
		Type: mount.TypeBind, Source: source, Target: target, ReadOnly: readOnly,
		BindOptions: &mount.BindOptions{Propagation: mount.PropagationRPrivate, NonRecursive: true},
	}
}
