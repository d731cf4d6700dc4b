package ledger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// asked reserves, ends and publishes a job that is asked for something.
func (f *fixture) asked(key, prompt string) string {
	f.t.Helper()
	r := f.reservation(key)
	r.Prompt = prompt
	_, err := f.ledger.Reserve(f.t.Context(), r)
	f.must(errors.Join(err, f.ledger.Commit(f.t.Context(), r.JobID)))
	f.feed(f.ended(r.JobID, api.JobCompleted))
	_, err = f.catalog.Publish(f.t.Context(), f.project, r.JobID)
	f.must(err)
	return r.JobID
}

// prompts are those of the published jobs of the fixture's project.
func (f *fixture) prompts() map[string]string {
	f.t.Helper()
	found, err := f.catalog.BuildPrompts(f.t.Context(), f.project, "", "job_~")
	f.must(err)
	return found
}

// rowsWith counts the rows in which a text is kept.
func (f *fixture) rowsWith(text string) (n int64) {
	f.t.Helper()
	f.must(f.store.View(f.t.Context(), func(r *store.Reader) error {
		return r.Row(`SELECT (SELECT count(*) FROM jobs WHERE prompt LIKE '%'||?||'%' OR record LIKE '%'||?||'%')
			+ (SELECT count(*) FROM build_prompts WHERE prompt LIKE '%'||?||'%')`, text, text, text).Scan(&n)
	}))
	return n
}

func TestOfAPromptItsBeginningIsKeptAsOneLineWithoutSecrets(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		const secret = "sk-0123456789abcdef0123456789abcdef"
		long := strings.Repeat("ä", 494) + " " + secret // which would be cut in its middle
		want := make(map[string]string)
		for prompt, kept := range map[string]string{
			"a yellow duck": "a yellow duck", " make it\n\n\tfaster \x00 ": "make it faster", "use " + secret: "use [secret]",
			long: strings.Repeat("ä", 494) + " [secr…", strings.Repeat("x", 500): strings.Repeat("x", 500),
			"\U0001f986\xff": "\U0001f986", "<b>": "<b>", strings.Repeat(" ", 9000) + "far": "far", "x" + strings.Repeat(" ", 7998) + "ä": "x",
		} {
			want[f.asked(key, prompt)] = kept
		}
		f.asked(key, "") // as gateways of before reserve
		got := f.prompts()
		for job, kept := range want {
			if got[job] != kept {
				t.Errorf("kept is %q, want %q", got[job], kept)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d are kept, want %d", len(got), len(want))
		}
	})
}

// TestPromptGoesWithItsJobAndThatOfAPublishedGameWithTheProject: what is played of a game is
// shown longer than its job is kept.
func TestPromptGoesWithItsJobAndThatOfAPublishedGameWithTheProject(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		key := f.newKey(policy.Limits{})
		published := f.asked(key, "an unmistakable duck")
		for _, end := range []func(id string) error{
			func(id string) error { return f.ledger.Release(t.Context(), id) },
			func(id string) error {
				f.must(f.ledger.Commit(t.Context(), id))
				f.feed(f.ended(id, api.JobCompleted))
				return nil
			},
		} {
			r := f.reservation(key)
			r.Prompt = "an unmistakable frog"
			_, err := f.ledger.Reserve(t.Context(), r)
			f.must(errors.Join(err, end(r.JobID)))
		}
		if n := f.rowsWith("unmistakable frog"); n != 1 {
			t.Errorf("%d rows have what two jobs were asked for, of which one was released", n)
		}
		f.must(f.catalog.Unpublish(t.Context(), f.project))
		f.clock.Add(31 * 24 * time.Hour)
		if n, err := f.ledger.Expire(t.Context(), f.clock.Now()); n != 3 || err != nil {
			t.Fatalf("forgot %d jobs, %v", n, err)
		}
		if got := f.prompts(); len(got) != 1 || got[published] != "an unmistakable duck" || f.rowsWith("unmistakable") != 1 {
			t.Errorf("after the jobs %q is kept, in %d rows", got, f.rowsWith("unmistakable"))
		}
		f.must(f.catalog.DeleteProject(t.Context(), f.project))
		if n := f.rowsWith("unmistakable"); n != 0 {
			t.Errorf("after the project %d rows have it", n)
		}
	})
}
