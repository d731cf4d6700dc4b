package ledger_test

import (
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// model is what the ledger should do, in as few words as possible: no
// transactions, no storage, one operation after the other.
type model struct {
	balance   api.TIK
	keys      map[string]*modelKey
	jobs      map[string]*modelJob
	maxQueued int
}

type modelKey struct {
	state   string
	version int64
	limits  policy.Limits
	clock   time.Time
	jobs    map[string]int64   // by bucket
	tik     map[string]api.TIK // by month
}

type modelJob struct {
	key, project string
	state        string // reserved, active, settled, released
	status       api.JobStatus
	day, month   string
	spent        api.TIK
	resolutions  int // how often it was settled or released
}

func modelDay(t time.Time) string   { return t.UTC().Format(time.DateOnly) }
func modelMonth(t time.Time) string { return t.UTC().Format("2006-01") }

// at is the instant at which a key counts: never before an earlier one, unless
// that is more than an hour ahead.
func (k *modelKey) at(now time.Time) time.Time {
	if now.Before(k.clock) && !now.Add(time.Hour).Before(k.clock) {
		return k.clock
	}
	return now
}

func (m *model) running(keyID string) (n int64) {
	for _, j := range m.jobs {
		if j.key == keyID && (j.state == "reserved" || j.state == "active") {
			n++
		}
	}
	return n
}

func (m *model) queued(project string) (n int) {
	for _, j := range m.jobs {
		if j.project == project && (j.state == "reserved" || j.state == "active") && j.status == api.JobQueued {
			n++
		}
	}
	return n
}

// refusal says why a submission is refused: a key's state, a limit's name,
// "queue", or "" for an admission.
func (m *model) refusal(keyID, project string, now time.Time) string {
	k := m.keys[keyID]
	at := k.at(now)
	switch l := k.limits; {
	case k.state != policy.KeyActive:
		return k.state
	case l.JobsPerDay != nil && k.jobs[modelDay(at)]+1 > *l.JobsPerDay:
		return api.LimitJobsPerDay
	case l.JobsPerMonth != nil && k.jobs[modelMonth(at)]+1 > *l.JobsPerMonth:
		return api.LimitJobsPerMonth
	case l.MaxConcurrentJobs != nil && m.running(keyID)+1 > *l.MaxConcurrentJobs:
		return api.LimitMaxConcurrentJobs
	case l.TIKPerMonth != nil && k.tik[modelMonth(at)] >= *l.TIKPerMonth:
		return api.LimitTIKPerMonth
	case m.queued(project) >= m.maxQueued:
		return "queue"
	}
	return ""
}

func (m *model) reserve(jobID, keyID, project string, now time.Time) {
	k := m.keys[keyID]
	k.clock = k.at(now)
	j := &modelJob{
		key: keyID, project: project, state: "reserved", status: api.JobQueued,
		day: modelDay(k.clock), month: modelMonth(k.clock),
	}
	k.jobs[j.day]++
	k.jobs[j.month]++
	m.jobs[jobID] = j
}

func (m *model) commit(j *modelJob) {
	if j.state == "reserved" {
		j.state = "active"
	}
}

func (m *model) release(j *modelJob) {
	if j.state != "reserved" {
		return
	}
	j.state = "released"
	j.resolutions++
	m.keys[j.key].jobs[j.day]--
	m.keys[j.key].jobs[j.month]--
}

func (m *model) end(j *modelJob, status api.JobStatus) {
	m.commit(j)
	if j.state == "active" {
		j.state, j.status = "settled", status
		j.resolutions++
	}
}

// feed applies one record that is new.
func (m *model) feed(project string, r contract.FeedRecord, price api.TIK, now time.Time) {
	j := m.jobs[r.JobID]
	if j == nil || j.project != project || j.state == "released" {
		return
	}
	m.commit(j)
	switch r.Kind {
	case contract.FeedStarted:
		if j.state == "active" {
			j.status = api.JobRunning
		}
	case contract.FeedUsage:
		cost := price * api.TIK(r.Units[0].Quantity)
		k := m.keys[j.key]
		k.clock = k.at(now)
		k.tik[modelMonth(k.clock)] += cost
		j.spent += cost
		m.balance -= cost
	case contract.FeedEnded:
		m.end(j, r.Record.Status)
	}
}
