package e2e

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
)

// runEngines has a driver run the service's engines, with options by their
// names in the Caddyfile, and the models of an egress file; "" for none. It
// says so in the way of the form.
func (s *service) runEngines(driver string, options map[string]any, egress string) {
	s.t.Helper()
	if s.form.split() {
		s.env = append(s.env, "SVC_ENGINE_DRIVER="+driver, "SVC_ENGINE_DRIVER_OPTIONS="+jsonFile(s.t, options), "SVC_EGRESS="+egress)
		return
	}
	var block strings.Builder
	fmt.Fprintf(&block, "engines embedded {\n\t\t\tdriver %s {\n", driver)
	for _, name := range slices.Sorted(maps.Keys(options)) {
		fmt.Fprintf(&block, "\t\t\t\t%s %v\n", name, options[name])
	}
	block.WriteString("\t\t\t}\n")
	if egress != "" {
		fmt.Fprintf(&block, "\t\t\tegress %s\n", egress)
	}
	block.WriteString("\t\t}")
	s.editCaddyfile(`engines "{$SVC_ENGINES:embedded}"`, block.String())
}

// fleet is a service whose engines are no processes of its own.
type fleet struct {
	*service
	running func() []string // the ids of the engines that run
}

// makeGame has a brief become a game, by one engine, and returns the folder
// into which that is unpacked.
func (f fleet) makeGame() string {
	f.t.Helper()
	key := f.newKey("demo")
	sub := f.submit(key, map[string]any{"projectId": f.newProject(key), "prompt": brief})
	if n := len(f.running()); n != 1 {
		f.t.Errorf("%d engines run, want 1", n)
	}
	if job := f.finish(key, sub); job.Status != api.JobCompleted {
		f.t.Fatalf("the job ended as %s %+v", job.Status, job.Failure)
	}
	checkLog(f.t, f.readEvents(f.events(key, sub, "").Body))
	return unpack(f.t, f.download(key, sub))
}

// endsClean stops the service, whose engines have nothing to do.
func (f fleet) endsClean() {
	f.t.Helper()
	if err := f.stop(os.Interrupt); err != nil {
		f.t.Errorf("a clean stop ended with %v", err)
	}
	if left := f.running(); len(left) > 0 {
		f.t.Errorf("a clean stop leaves %v", left)
	}
}

// outlives kills a part of the service, or all of it, while jobs run and their
// streams are open, and brings it back: the same engine finishes them all, and
// their followers have every event once. It returns these.
func (f fleet) outlives(kill, revive func()) []*follower {
	f.t.Helper()
	key := f.newKey("demo")
	jobs := f.queue(key, 6)
	var followers []*follower
	for _, sub := range []api.Submission{jobs[len(jobs)-1], jobs[0]} {
		followers = append(followers, f.follow(key, sub))
	}
	before := f.running()
	kill()
	if after := f.running(); len(before) != 1 || !slices.Equal(before, after) {
		f.t.Fatalf("engines after the kill: %v, before %v", after, before)
	}
	revive()
	for _, each := range followers {
		f.whole(each)
	}
	f.allCompleted(key, jobs)
	if after := f.running(); !slices.Equal(before, after) {
		f.t.Errorf("engines after the restart: %v, before %v: not adopted", after, before)
	}
	return followers
}
