package docker

import (
	"strconv"
	"strings"

	"github.com/moby/moby/client"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Labels of every container. No name or value comes from a tenant.
const (
	labelInstallation = "svc.engine/installation" // hash of the data directory
	labelProject      = "svc.engine/project"
	labelOwner        = "svc.engine/owner-hash"
	labelGeneration   = "svc.engine/generation"
	labelInstance     = "svc.engine/instance"
	labelSpec         = "svc.engine/spec-hash" // of all that the container was made with
	labelVolume       = "svc.engine/volume"    // path on the host
	labelSocket       = "svc.engine/socket"    // likewise
	labelSchema       = "svc.engine/schema"
)

// schema is the version of the labels' meaning.
const schema = "1"

// labels names a container, but for its spec hash.
func (d *Driver) labels(s driver.Spec) map[string]string {
	return map[string]string{
		labelInstallation: installation(d.opts.DataDir),
		labelProject:      s.ProjectID,
		labelOwner:        shortHash(s.OwnerID),
		labelGeneration:   strconv.FormatUint(s.Generation, 10),
		labelInstance:     s.InstanceID,
		labelVolume:       s.Volume,
		labelSocket:       s.Socket,
		labelSchema:       schema,
	}
}

// name is unique, because an instance is never started twice.
func name(instanceID string) string { return "svc-engine-" + strings.ToLower(instanceID) }

// ours is the filter for the containers of this installation.
func (d *Driver) ours() client.Filters {
	return make(client.Filters).Add("label", labelInstallation+"="+installation(d.opts.DataDir))
}
