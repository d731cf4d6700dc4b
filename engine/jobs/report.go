package jobs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/eventlog"
	"github.com/svc-games/svc/engine/gen"
)

// feedInterval is the shortest time between two progress records of a job.
const feedInterval = 250 * time.Millisecond

// maxMessage bounds the message of a progress event, in bytes.
const maxMessage = 500

// shortString bounds, in bytes, each text of an event that is too long as a
// whole. JSON can make six bytes of one.
const shortString = 2 << 10

// generatorEvents are the events that a generator may report.
var generatorEvents = []string{
	api.EventAssistantDelta, api.EventAssistantMessage, api.EventToolCall, api.EventToolResult,
	api.EventFileChanged, api.EventAssetCreated, api.EventBuildResult, api.EventAuditResult,
	api.EventPlaytestResult, api.EventFixApplied, api.EventWarning,
}

// reporter takes what a generator reports to the job's log and, at most once
// every feedInterval, to the feed. After close it is deaf.
type reporter struct {
	m *Manager
	j *job

	mu       sync.Mutex // guards the following fields
	closed   bool
	lastFeed time.Time
	pending  *time.Timer // will feed the newest record
}

func (m *Manager) newReporter(j *job) *reporter { return &reporter{m: m, j: j} }

// Progress implements gen.Reporter. The percentage never falls.
func (r *reporter) Progress(stage api.Stage, percent int, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.m.mu.Lock()
	message = clip(message, maxMessage)
	p := &r.j.stored.Record.Progress
	p.Stage, p.Message = stage, message
	p.Percent = min(max(p.Percent, percent), 100)
	members := map[string]any{"stage": stage, "percent": p.Percent, "message": message}
	ending := r.j.ending
	r.m.mu.Unlock()
	r.storeLocked(api.EventProgress, members)
	if ending { // each report begins a step
		r.m.interrupt(r.j, errCancelled)
	}
}

// Built implements gen.Reporter.
func (r *reporter) Built(files map[string][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.m.built = maps.Clone(files)
}

// Event implements gen.Reporter. It panics when the event is none of a
// generator's, which makes the job fail as internal.
func (r *reporter) Event(eventType string, members map[string]any) {
	if !slices.Contains(generatorEvents, eventType) {
		panic(fmt.Sprintf("%s is no event of a generator", eventType))
	}
	members, err := fit(eventType, members)
	if err != nil {
		panic(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.storeLocked(eventType, members)
	}
}

func (r *reporter) storeLocked(eventType string, members map[string]any) {
	if err := r.m.event(r.j, r.m.now(), eventType, members); err != nil {
		r.closeLocked()
		r.m.fail(err)
		return
	}
	if r.pending != nil {
		return
	}
	if wait := feedInterval - r.m.cfg.Now().Sub(r.lastFeed); wait > 0 {
		r.pending = time.AfterFunc(wait, r.feedPending)
		return
	}
	r.feedLocked()
}

func (r *reporter) feedPending() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.pending = nil
		r.feedLocked()
	}
}

func (r *reporter) feedLocked() {
	r.lastFeed = r.m.cfg.Now()
	if _, err := r.m.report(r.j, contract.FeedRecord{Kind: contract.FeedProgress}); err != nil {
		r.closeLocked()
		r.m.fail(err)
	}
}

// close ends the reports: none comes after it returns.
func (r *reporter) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeLocked()
}

func (r *reporter) closeLocked() {
	r.closed = true
	if r.pending != nil {
		r.pending.Stop()
	}
}

// event appends an event to the job's log.
func (m *Manager) event(j *job, at time.Time, eventType string, members map[string]any) error {
	id, err := j.log.Append(api.Event{Type: eventType, JobID: j.id, ProjectID: m.cfg.ProjectID, TS: at, Members: members})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	j.stored.Record.LastEventID = id
	return nil
}

// report appends a record about a job to the feed, with the job as it is now.
func (m *Manager) report(j *job, rec contract.FeedRecord) (seq uint64, err error) {
	s := m.snapshot(j)
	rec.JobID, rec.At, rec.Record = j.id, m.now(), &s.Record
	return m.feed.Append(rec)
}

func (m *Manager) snapshot(j *job) stored {
	m.mu.Lock()
	defer m.mu.Unlock()
	return j.stored
}

// fit returns members, shortened if their event would be longer than
// api.MaxEventData: its texts are cut, what is no text is left out, and
// "truncated" says so.
func fit(eventType string, members map[string]any) (map[string]any, error) {
	probe := api.Event{
		Type: eventType, Seq: 1 << 60, JobID: strings.Repeat("x", 40), ProjectID: strings.Repeat("x", 40),
		Members: members,
	}
	_, err := eventlog.Encode(probe)
	if !errors.Is(err, eventlog.ErrTooLong) {
		return members, err
	}
	short := map[string]any{"truncated": true}
	for name, value := range members {
		if text, ok := value.(string); ok {
			short[name] = clip(text, shortString)
		}
	}
	probe.Members = short
	_, err = eventlog.Encode(probe)
	return short, err
}

// clip returns s, cut to at most limit bytes of valid UTF-8.
func clip(s string, limit int) string {
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}

var _ gen.Reporter = (*reporter)(nil)
