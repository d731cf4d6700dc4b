package ledger

import (
	"fmt"
	"strings"

	"github.com/svc-games/svc/sidecar/store"
)

// maxNamed bounds the ids of a Finding.
const maxNamed = 5

// Finding is what CheckInvariants found of one invariant.
type Finding struct {
	Name string // of the invariant, in one word
	Rule string // that holds for every row
	// Violations are the ids of users, keys, jobs, entries or logs that break the
	// rule, or columns with the ids that they refer to in vain, in order: the first
	// few.
	Violations []string
	More       bool // there are further ones
}

// Holds reports whether no row breaks the rule.
func (f Finding) Holds() bool { return len(f.Violations) == 0 }

// CheckInvariants looks for rows that break what the ledger's transactions keep,
// one query for each invariant, and returns a finding for each. It reads whole
// tables: the reader's context bounds the time.
func CheckInvariants(r *store.Reader) ([]Finding, error) {
	findings := make([]Finding, 0, len(invariants))
	for _, i := range invariants {
		f := Finding{Name: i.name, Rule: i.rule}
		err := r.Each(func(scan store.Scan) error {
			var id string
			if err := scan(&id); err != nil {
				return err
			}
			if f.More = len(f.Violations) == maxNamed; !f.More {
				f.Violations = append(f.Violations, id)
			}
			return nil
		}, fmt.Sprintf("SELECT id FROM (%s) broken ORDER BY id LIMIT %d", i.broken, maxNamed+1))
		if err != nil {
			return nil, fmt.Errorf("checking %s: %w", i.name, err)
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// invariant is a rule and the query for the ids that break it.
type invariant struct{ name, rule, broken string }

// invariants are in the order in which they are checked: what a user has, what a
// key counts, what a job is, what the logs say, what rows refer to.
var invariants = []invariant{
	{"balances", "a balance is the sum of its user's entries", `
		SELECT u.id FROM users u LEFT JOIN balances b ON b.user_id = u.id
			LEFT JOIN (SELECT user_id, sum(delta) AS tik FROM tik_entries GROUP BY user_id) e ON e.user_id = u.id
		WHERE b.tik IS NULL OR b.tik <> coalesce(e.tik, 0)`},
	{"entries", "an entry is a credit to a user, a charge of one of the user's keys and jobs, or one of a game", `
		SELECT e.project_id || '/' || e.feed_id || '/' || e.seq AS id
		FROM tik_entries e LEFT JOIN keys k ON k.id = e.key_id LEFT JOIN jobs j ON j.id = e.job_id
		WHERE NOT (e.project_id = '' AND e.feed_id = 'credit' AND e.key_id IS NULL AND e.job_id IS NULL AND e.delta > 0 AND e.units = '[]'
				OR length(e.project_id) = 24 AND e.feed_id = 'play blocks' AND e.key_id IS NULL AND e.job_id IS NULL AND e.delta <= 0
					AND e.seq > 0 AND e.units LIKE '[%]'
				OR length(e.project_id) = 24 AND e.feed_id <> '' AND e.feed_id <> 'play blocks' AND e.key_id IS NOT NULL
					AND e.job_id IS NOT NULL AND e.delta <= 0 AND (e.units = 'null' OR e.units LIKE '[%]'))
			OR k.user_id <> e.user_id OR j.key_id <> e.key_id OR j.project_id <> e.project_id`},
	{"blocks", "a game's blocks are paid in their order, none left out", `
		SELECT project_id AS id FROM tik_entries WHERE feed_id = 'play blocks'
		GROUP BY project_id HAVING count(*) <> max(seq)`},
	{"credits", "a credit with a reference has its entry", `
		SELECT c.reference AS id FROM credits c WHERE NOT EXISTS (
			SELECT 1 FROM tik_entries e WHERE e.user_id = c.user_id AND e.at = c.at
				AND e.project_id = '' AND e.feed_id = 'credit' AND e.delta = c.tik)`},
	{"running", "a key's running jobs are its jobs that are not resolved", `
		SELECT k.id FROM keys k LEFT JOIN (
			SELECT key_id, count(*) AS jobs FROM jobs WHERE resolved_at IS NULL GROUP BY key_id) j ON j.key_id = k.id
		WHERE k.running <> coalesce(j.jobs, 0)`},
	{"keys", fmt.Sprintf("a user has at most %d keys that are not revoked", store.MaxKeys), fmt.Sprintf(`
		SELECT user_id AS id FROM keys WHERE state <> 'revoked' AND id NOT IN (SELECT key_id FROM studio_keys) GROUP BY user_id HAVING count(*) > %d`, store.MaxKeys)},
	{"revocations", "a key's state is the last one in the log of revocations", `
		SELECT k.id FROM keys k LEFT JOIN (SELECT key_id, max(seq) AS seq FROM revlog GROUP BY key_id) m ON m.key_id = k.id
			LEFT JOIN revlog r ON r.seq = m.seq
		WHERE r.state IS NULL OR r.state <> k.state`},
	{"months", "the days of a key count as many jobs as their month, and no TIK", `
		SELECT key_id || ' ' || month AS id FROM (
			SELECT key_id, substr(bucket, 3, 7) AS month, sum(CASE WHEN bucket LIKE 'd:%' THEN jobs ELSE -jobs END) AS jobs,
				sum(CASE WHEN bucket LIKE 'm:%' THEN 0 ELSE tik END) AS tik
			FROM usage GROUP BY 1, 2) u
		WHERE jobs <> 0 OR tik <> 0`},
	{"usage", "a key's day counts every job of it that was not released", `
		SELECT j.key_id || ' ' || j.day AS id FROM (
			SELECT key_id, day, count(*) AS jobs FROM jobs WHERE state <> 'released' GROUP BY key_id, day) j
			LEFT JOIN usage u ON u.key_id = j.key_id AND u.bucket = j.day
		WHERE coalesce(u.jobs, 0) < j.jobs`},
	{"spending", "the months of a key count the TIK of its entries", `
		SELECT k.id FROM keys k LEFT JOIN (SELECT key_id, sum(tik) AS tik FROM usage GROUP BY key_id) u ON u.key_id = k.id
			LEFT JOIN (SELECT key_id, sum(delta) AS tik FROM tik_entries GROUP BY key_id) e ON e.key_id = k.id
		WHERE coalesce(u.tik, 0) <> -coalesce(e.tik, 0)`},
	{"jobs", "a job's status, step and end are those of its state", `
		SELECT id FROM jobs WHERE month <> 'm:' || substr(day, 3, 7) OR NOT (
			state = 'reserved' AND status = 'queued' AND next_step = '' AND resolved_at IS NULL
			OR state = 'active' AND (status = 'queued' OR status = 'running') AND resolved_at IS NULL
			OR state = 'settled' AND (status = 'completed' OR status = 'failed' OR status = 'cancelled')
				AND next_step = '' AND resolved_at IS NOT NULL
			OR state = 'released' AND status = 'queued' AND next_step = '' AND resolved_at IS NOT NULL)`},
	{"costs", "a job's TIK are those of its entries", `
		SELECT j.id FROM jobs j
			LEFT JOIN (SELECT job_id, sum(delta) AS tik FROM tik_entries GROUP BY job_id) e ON e.job_id = j.id
		WHERE j.tik_spent <> -coalesce(e.tik, 0)`},
	{"idempotency", "an idempotency key is of its job's key, and of no released job", `
		SELECT i.job_id AS id FROM idempotency i JOIN jobs j ON j.id = i.job_id
		WHERE i.key_id <> j.key_id OR j.state = 'released'`},
	{"feeds", "no entry comes after its feed's cursor", `
		SELECT f.project_id || '/' || f.feed_id AS id FROM feed_cursor f
			JOIN (SELECT project_id, feed_id, max(seq) AS seq FROM tik_entries GROUP BY project_id, feed_id) e
				ON e.project_id = f.project_id AND e.feed_id = f.feed_id
		WHERE e.seq > f.seq`},
	{"logs", "the entries of a log have the numbers from 1 to its head, none left out", `
		SELECT h.log AS id FROM heads h JOIN (
			SELECT 'audit' AS log, max(seq) AS seq, count(*) AS entries FROM audit UNION ALL
			SELECT 'revlog', max(seq), count(*) FROM revlog UNION ALL
			SELECT 'credit', max(seq), count(*) FROM tik_entries WHERE project_id = '' AND feed_id = 'credit') l ON l.log = h.log
		WHERE l.seq > h.seq OR l.entries <> h.seq`},
	{"references", "a row's user, key, project and job exist", broken(references)},
}

// reference is a column of a table that holds ids of another table, or NULL.
type reference struct{ table, column, parent string }

// references are the foreign keys of the schema. PostgreSQL keeps them for all rows;
// SQLite not for those older than version 11 of the schema, nor against a program
// that does not switch them on.
var references = []reference{
	{"balances", "user_id", "users"},
	{"build_prompts", "project_id", "projects"},
	{"credits", "user_id", "users"},
	{"idempotency", "job_id", "jobs"},
	{"idempotency", "key_id", "keys"},
	{"jobs", "key_id", "keys"},
	{"jobs", "project_id", "projects"},
	{"keys", "user_id", "users"},
	{"key_facts", "key_id", "keys"},
	{"play_keys", "project_id", "projects"},
	{"play_reports", "project_id", "projects"},
	{"play_settings", "project_id", "projects"},
	{"project_requests", "key_id", "keys"},
	{"project_requests", "project_id", "projects"},
	{"projects", "owner_id", "users"},
	{"publications", "job_id", "jobs"},
	{"publications", "project_id", "projects"},
	{"reported", "job_id", "jobs"},
	{"revlog", "key_id", "keys"},
	{"stream_tokens", "key_id", "keys"},
	{"session_codes", "user_id", "users"},
	{"sessions", "user_id", "users"},
	{"studio_keys", "key_id", "keys"},
	{"studio_keys", "user_id", "users"},
	{"suspensions", "user_id", "users"},
	{"tik_entries", "key_id", "keys"},
	{"tik_entries", "user_id", "users"},
	{"usage", "key_id", "keys"},
	{"webhook_deliveries", "project_id", "projects"},
	{"webhooks", "project_id", "projects"},
}

// broken is the query for columns and the missing ids in them.
func broken(references []reference) string {
	queries := make([]string, len(references))
	for i, r := range references {
		queries[i] = fmt.Sprintf(`SELECT '%[1]s.%[2]s ' || %[2]s AS id FROM %[1]s
			WHERE %[2]s IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %[3]s parent WHERE parent.id = %[1]s.%[2]s)`, r.table, r.column, r.parent)
	}
	return strings.Join(queries, " UNION ")
}
