package e2e

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
)

// Victims of the matrix. The gateway's process is the engine proxy's as well,
// unless that has one of its own.
const (
	victimGateway = "gateway"
	victimProxy   = "engine proxy"
	victimEngine  = "engine"
	victimShim    = "shim"
)

// spares reports whether engines outlive a victim.
func spares(victim string) bool { return victim == victimGateway || victim == victimProxy }

// patientChain is svc_api with a submission that waits for its engine until the
// kill has come, however long that takes to be seen and done.
const patientChain = `
	handle /v1/* {
		route {
			request_header -Svc-*
			svc_auth
			svc_access
			svc_projects
			svc_engine {
				hold 5m
			}
			svc_quota
			reverse_proxy {
				dynamic svc_engine
				flush_interval -1
				header_down -Server
				transport http {
					dial_timeout 2s
					expect_continue_timeout 30s
					compression off
					keepalive off
				}
			}
		}
	}
	handle_errors {
		svc_error
	}
`

// cells of the matrix that are run each time: every moment and every victim of a
// form, and both where engines outlive the victim and where they don't. The long
// run has all.
var cells = map[form][]string{
	formEmbedded: {
		"gateway/ready with job", "gateway/zip half sent", "engine/starting", "engine/stream open", "shim/draining", "shim/stopping",
	},
	formSplit: {
		"gateway/stream open", "gateway/draining", "engine/ready with job", "shim/starting", "engine proxy/zip half sent", "engine proxy/stopping",
	},
}

// moments are when a victim of the matrix is killed.
var moments = []struct {
	name string
	env  []string
	sees map[string]string // what the client sees, by victim
	run  func(s *service, key apiKey, victim string)
}{
	{
		name: "starting", env: []string{"SVC_ENGINE_START_DELAY=until:" + startFile},
		sees: map[string]string{
			victimGateway: "its connection ends; the same request again makes the one job",
			victimProxy:   "503; the same request again makes the one job",
			victimEngine:  "503 that says how the engine ended; the same request again makes the one job",
			victimShim:    "503 that says how the engine ended; the same request again makes the one job",
		},
		run: (*service).killWhileStarting,
	},
	{
		name: "ready with job",
		sees: map[string]string{
			victimGateway: "no answer for a moment, and then every job completed",
			victimProxy:   "every job completed",
			victimEngine:  "the running job failed as engine_restarted, every other completed",
			victimShim:    "the running job failed as engine_restarted, every other completed",
		},
		run: (*service).killWhileWorking,
	},
	{
		name: "stream open",
		sees: map[string]string{
			victimGateway: "the stream ends; with Last-Event-ID it goes on, no event lost or repeated",
			victimProxy:   "the stream goes on, no event lost or repeated",
			victimEngine:  "the stream goes on, no event lost or repeated",
			victimShim:    "the stream goes on, no event lost or repeated",
		},
		run: (*service).killWhileStreaming,
	},
	{
		name: "zip half sent",
		sees: map[string]string{
			victimGateway: "the download ends; with Range it goes on, and is whole",
			victimProxy:   "the download goes on, or with Range after 503; it is whole",
			victimEngine:  "nothing: the files come from the archive",
			victimShim:    "nothing: the files come from the archive",
		},
		run: (*service).killWhileDownloading,
	},
	{
		name: "draining",
		sees: map[string]string{
			victimGateway: "no answer for a moment, and then the next job completed",
			victimProxy:   "503 for a moment, and then the next job completed",
			victimEngine:  "the next job completed",
			victimShim:    "the next job completed",
		},
		run: func(s *service, key apiKey, victim string) { s.killWhileLeaving(key, victim, "draining") },
	},
	{
		name: "stopping",
		sees: map[string]string{
			victimGateway: "no answer for a moment, and then the next job completed",
			victimProxy:   "503 for a moment, and then the next job completed",
			victimEngine:  "the next job completed",
			victimShim:    "the next job completed",
		},
		run: func(s *service, key apiKey, victim string) { s.killWhileLeaving(key, victim, "stopping", "--force") },
	},
}

// TestKillMatrix kills processes of a running service while clients, or the
// engine proxy, are in the middle of something.
func TestKillMatrix(t *testing.T) {
	inEveryForm(t, killMatrix)
}

func killMatrix(t *testing.T, f form) {
	victims := []string{victimGateway, victimEngine, victimShim}
	if f.split() {
		victims = append(victims, victimProxy)
	}
	for _, victim := range victims {
		for _, m := range moments {
			name := victim + "/" + m.name
			if short, known := cells[f]; known && !long.Asked() && !slices.Contains(short, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				t.Log("the client sees:", m.sees[victim])
				s := newService(t, f, m.env...)
				s.editCaddyfile("\tsvc_api\n", patientChain)
				s.start()
				m.run(s, s.newKey("demo"), victim)
			})
		}
	}
}

// kill kills the victim, and starts the service's part again that died.
func (s *service) kill(victim string) {
	s.t.Helper()
	switch victim {
	case victimGateway:
		s.stop(os.Kill)
		s.start()
	case victimProxy:
		if err := s.engineProxy.stop(os.Kill); err == nil {
			s.t.Fatal("the engine proxy was not killed")
		}
		s.startEngines()
	case victimEngine:
		for _, e := range s.engines() {
			_ = syscall.Kill(e.PID, syscall.SIGKILL) // it may be ending
		}
	case victimShim:
		shims := s.pids("svc-shim")
		if len(shims) == 0 {
			s.t.Fatal("no shim runs")
		}
		for _, pid := range shims {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be ending
		}
	}
}

// engine is what svc engines list says of one.
type engine struct {
	State string `json:"state"`
	PID   int    `json:"pid"`
}

func (s *service) engines() []engine {
	s.t.Helper()
	var list []engine
	s.decode([]byte(s.svc("engines", "list", "--json")), &list)
	return list
}

// wantUsage checks that n jobs count, once each, and hold no slot.
func (s *service) wantUsage(key apiKey, n int) {
	s.t.Helper()
	if u := s.usage(key); u.JobsThisMonth != int64(n) || u.RunningJobs != 0 {
		s.t.Errorf("usage of %d jobs is %+v", n, u)
	}
}

// outcome checks how jobs ended: all completed when their engine did not die,
// else but for the one that ran.
func (s *service) outcome(key apiKey, victim string, jobs []api.Submission) {
	s.t.Helper()
	failed := 0
	for _, sub := range jobs {
		switch job := s.finish(key, sub); {
		case job.Status == api.JobFailed && job.Failure.Code == api.FailureEngineRestarted:
			failed++
		case job.Status != api.JobCompleted:
			s.t.Errorf("job %s ended as %s %+v", sub.JobID, job.Status, job.Failure)
		}
	}
	if failed > 1 || spares(victim) && failed > 0 {
		s.t.Errorf("%d jobs failed", failed)
	}
	s.wantUsage(key, len(jobs))
}
