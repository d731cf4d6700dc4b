package rig

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/svc-games/svc/api"
)

// Key is an API key and its secret.
type Key struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
}

// Admin runs "svc admin" over the gateway's admin socket.
func (g *Gateway) Admin(args ...string) ([]byte, error) {
	cmd := exec.Command(Bin(g.t, "svc"), append([]string{"admin"}, args...)...)
	cmd.Env = append(os.Environ(), "SVC_DATA_DIR="+g.adminDir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("svc admin %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}

// MustAdmin is Admin, and the test ends when it fails.
func (g *Gateway) MustAdmin(args ...string) []byte {
	g.t.Helper()
	out, err := g.Admin(args...)
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

// NewUser makes a user with a balance of TIK.
func (g *Gateway) NewUser(user, tik string) {
	g.t.Helper()
	g.MustAdmin("user", "create", user, "--tik", tik)
}

// NewKey makes a key of a user; limits are flags of "svc admin key create".
func (g *Gateway) NewKey(user string, limits ...string) Key {
	g.t.Helper()
	var key Key
	g.Decode(g.MustAdmin(append([]string{"key", "create", "--user", user, "--name", "test", "--json"}, limits...)...), &key)
	return key
}

// Usage is what "svc admin key usage" says of a key.
type Usage struct {
	JobsThisMonth int64   `json:"jobsThisMonth"`
	RunningJobs   int64   `json:"runningJobs"`
	TIKThisMonth  api.TIK `json:"tikThisMonth"`
	TIKSpent      api.TIK `json:"tikSpent"`
}

// Usage returns what a key has used.
func (g *Gateway) Usage(key Key) Usage {
	g.t.Helper()
	var u Usage
	g.Decode(g.MustAdmin("key", "usage", key.ID, "--json"), &u)
	return u
}
