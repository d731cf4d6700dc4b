package fakedriver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/engine-proxy/driver"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

// Cluster is a driver of engines of other machines.
type Cluster struct {
	fake
	dir string
}

// NewCluster returns a driver without instances that keeps volumes in dir.
func NewCluster(dir string) *Cluster {
	c := &Cluster{dir: dir}
	c.open(func(s driver.Spec) (config fakeengine.Config, l net.Listener, err error) {
		if s.Remote == nil || s.Socket+s.RuntimeDir+s.TokenFile+s.Egress != "" {
			return config, nil, errors.New("what is to run has paths of another machine")
		}
		if err := os.MkdirAll(c.Volume(s.ProjectID), 0o700); err != nil {
			return config, nil, err
		}
		config = fakeengine.Config{
			ProjectID: s.ProjectID, InstanceID: s.InstanceID, Token: s.Remote.Token, Volume: c.Volume(s.ProjectID),
			Egress: s.Remote.Egress, Secrets: fakeengine.Secrets{Cert: s.Remote.Cert, Key: s.Remote.Key, CA: s.Remote.CA},
		}
		server, err := config.Secrets.Server()
		if err != nil {
			return config, nil, err
		}
		l, err = tls.Listen("tcp", "127.0.0.1:0", server)
		return config, l, err
	})
	return c
}

// Volume is the folder that stands for a project's volume.
func (c *Cluster) Volume(projectID string) string { return filepath.Join(c.dir, projectID) }

// DeleteVolume implements driver.Remote.
func (c *Cluster) DeleteVolume(_ context.Context, projectID string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reachLocked(); err != nil {
		return err
	}
	for _, i := range c.instances {
		if i.spec.ProjectID == projectID && i.exit == nil {
			return errors.New("the volume is in use")
		}
	}
	return os.RemoveAll(c.Volume(projectID))
}

// Interface guards
var _ driver.Remote = (*Cluster)(nil)
