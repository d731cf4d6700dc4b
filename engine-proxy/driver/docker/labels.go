package docker

import (
	"strings"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Labels of every container, beside those of all engines.
const (
	labelSpec   = "svc.engine/spec-hash" // of all that the container was made with
	labelVolume = "svc.engine/volume"    // path on the host
	labelSocket = "svc.engine/socket"    // likewise
)

// labels names a container, but for its spec hash.
func (d *Driver) labels(s driver.Spec) map[string]string {
	own := driverkit.Labels(d.installation(), s)
	own[labelVolume], own[labelSocket] = s.Volume, s.Socket
	return own
}

// name is unique, because an instance is never started twice.
func name(instanceID string) string { return "svc-engine-" + strings.ToLower(instanceID) }

// ours is the filter for the containers of this installation.
func (d *Driver) ours() client.Filters {
	return make(client.Filters).Add("label", driverkit.LabelInstallation+"="+d.installation())
}

// installation names the data directory to the daemon.
func (d *Driver) installation() string { return driverkit.ShortHash(d.opts.DataDir) }
