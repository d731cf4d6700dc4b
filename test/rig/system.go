package rig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig/script"
)

// Machine is the service on one machine, made of the rig's programs: a gateway
// whose sidecar and engine proxy are in its process, and scripted engines.
type Machine struct {
	*Gateway
	frameworks string
}

// Times of a machine's submissions, short so that tests meet them. The variable
// SVC_RIG_DEADLINE sets another deadline.
const (
	AnswerTimeout = time.Second
	Deadline      = 2 * time.Second
)

// site is the rig's site of any configuration.
var site = fmt.Sprintf(`{$SVC_ADDRESS} {
	handle /healthz {
		@leaving vars {http.shutting_down} true
		respond @leaving 503
		respond 200
	}
	handle /v1/* {
		route {
			svc_auth {
				rate 1000000 1000000
			}
			svc_access
			svc_projects
			svc_engine {
				hold 10s
			}
			svc_quota {
				timeout %s
				deadline {$SVC_RIG_DEADLINE:%s}
			}
			reverse_proxy {
				dynamic svc_engine
				flush_interval -1
				transport http {
					dial_timeout 2s
					expect_continue_timeout 30s
					keepalive off
				}
			}
		}
	}
	handle_errors {
		svc_error
	}
}
`, AnswerTimeout, Deadline)

// machine is the configuration of one. The arguments are the folder of the
// frameworks and the engine's program.
var machine = `{
	admin "unix/{$SVC_DATA_DIR}/run/caddy.sock|0600"
	persist_config off
	grace_period 1s
	log {
		level INFO
		format svc {
			wrap json
		}
	}
	svc {
		data_dir "{$SVC_DATA_DIR}"
		retry_after 1s
		engines embedded {
			frameworks %s
			command %s
			stop_on_exit none
		}
	}
}
` + site

// NewMachine prepares a machine with its data in dir, "" for a new folder. env are
// further variables of its process.
func NewMachine(t testing.TB, dir string, env ...string) *Machine {
	t.Helper()
	frameworks := newFrameworks(t)
	m := &Machine{frameworks: frameworks, Gateway: NewGateway(t, Options{
		Program:   Program(t, "gateway"),
		Caddyfile: fmt.Sprintf(machine, frameworks, Program(t, "engine")),
		Env:       env,
		Dir:       dir,
	})}
	m.tap("sidecar", "engines")
	return m
}

// newFrameworks makes a folder that passes for the one of the frameworks.
func newFrameworks(t testing.TB) string {
	t.Helper()
	dir := keep.Dir(t)
	if err := errors.Join(
		os.Chmod(dir, 0o755), // engines run as users of their own
		os.Mkdir(filepath.Join(dir, "phaser"), 0o755),
		os.WriteFile(filepath.Join(dir, "phaser", "phaser.min.js"), nil, 0o644),
	); err != nil {
		t.Fatal(err)
	}
	return dir
}

// LaunchMachine starts a machine and waits until it answers.
func LaunchMachine(t testing.TB, dir string, s script.Engine, env ...string) *Machine {
	t.Helper()
	m := NewMachine(t, dir, env...)
	m.Script(s)
	if err := errors.Join(m.Start(), m.Ready(t.Context())); err != nil {
		t.Fatalf("%v\n%s", err, tail(m.Log()))
	}
	return m
}

// Script changes what the engines do.
func (m *Machine) Script(s script.Engine) {
	m.t.Helper()
	writeScript(m.t, m.frameworks, s)
}

// writeScript puts a script where engines look for it.
func writeScript(t testing.TB, frameworks string, s script.Engine) {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(frameworks, script.File)
	if err := errors.Join(os.WriteFile(path+".new", raw, 0o644), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// Hold makes the jobs of the engines wait that Hold of their script names; let
// go lets them end.
func (m *Machine) Hold(name string) (letGo func()) {
	m.t.Helper()
	path := filepath.Join(m.frameworks, name)
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		m.t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.t.Error(err)
		}
	}
}

// Volume returns a project's volume.
func (m *Machine) Volume(project string) string { return filepath.Join(m.Dir, "projects", project) }
