package bench

import (
	"fmt"
	"net/http"
	"time"

	"github.com/svc-games/svc/test/rig"
)

// Of the processor time of a GET through Caddy alone, what a status poll may take, and from
// where a short run fails: a third more than the most that it was measured to take, 0.46 on
// a machine with ten times as much to do as it can. respondBudget is of that of an answer
// which Caddy has in its configuration.
const (
	pollBudget    = 0.36
	pollFails     = 0.60
	respondBudget = 1.25
)

// statusPolls measures the processor time of a status poll against that of a GET of the
// same record from others. In less than three seconds of each, a clock of 10 ms and
// whatever else runs would be a part of the ratio.
func (r *report) statusPolls() {
	t := r.t
	ours := rig.Launch(t, rig.Options{Caddyfile: wide, Prefix: pinned(t, 0)})
	ours.NewUser("bench", "1000")
	key := ours.NewKey("bench")
	sub := ours.Generate(key, ours.NewProject(key))
	ours.Finish(key, sub)
	record := ours.Call(key, http.MethodGet, rig.StatusPath(sub), nil).Body
	path := rig.StatusPath(sub)

	bare := r.caddy("bare Caddy, reverse_proxy", fmt.Sprintf(bare, serve(t, record)), key, path)
	respond := r.caddy("Caddy's own respond", fmt.Sprintf(respond, record), key, path)
	svc := &peer{name: "svc: key, rate, decision, mirrored record", Process: &ours.Process, request: get(ours.Addr, key, path), addr: ours.Addr}
	all := append([]*peer{bare, respond, svc}, r.packaged(serve(t, record), key, path)...)

	for range max(3, r.n(rounds)) {
		last := max(time.Second, r.last(4*time.Second))
		for _, p := range all {
			p.cpu = append(p.cpu, p.perRequest(t, last))
		}
	}
	ofBare, ofRespond := svc.against(bare), svc.against(respond)
	s := r.section("Status poll", fmt.Sprintf("Processor time of the process per GET of a %d-byte status record, %d keep-alive "+
		"clients, each process on one core in turn, medians of %d interleaved rounds.", len(record), clientsOfAPoll, len(svc.cpu)),
		"setup", "CPU per request", "against bare Caddy", "budget", "")
	for _, p := range all {
		budget, says := "", ""
		if p == svc {
			budget = fmt.Sprintf("%.2f; %.2f of respond", pollBudget, respondBudget)
			kept := s.kept("processor time", share(ofBare, pollBudget), share(ofRespond, respondBudget))
			says = verdict(kept)
			r.missed(s, kept, "a status poll", func() []byte { return r.ofGateway(ours, func() { svc.flood(t, profiled) }) })
		}
		s.row(p.name, fmt.Sprintf("%.1f µs", median(p.cpu)), fmt.Sprintf("%.2f", p.against(bare)), budget, says)
	}
	r.hold(ofBare <= pollFails, "a status poll takes %.2f of a GET through Caddy alone, want at most %.2f", ofBare, pollFails)
}
