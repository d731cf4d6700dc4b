package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/svc-games/svc/api"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
	"github.com/svc-games/svc/test/keep"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

// pictures is how many each job of these tests asks a model for. They cost 1 TIK
// each, as does the job's own step, which comes last.
const pictures = 4

// newStudio is newStand with a model. Where gate is not nil every call of the
// model waits in it, from a send until a receive.
func newStudio(t *testing.T, gate chan chan struct{}) (*stand, *fakeprovider.Provider) {
	t.Helper()
	paint := fakeprovider.Pictures([]byte("a picture"))
	model := fakeprovider.New(t, func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		if gate != nil {
			open := make(chan struct{})
			select {
			case gate <- open:
				<-open
			case <-r.Context().Done():
				return
			}
		}
		paint(p, w, r, q)
	})
	dir := keep.Dir(t)
	file := func(name string, content any) string {
		raw, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	egress := file("egress.json", map[string]any{"endpoints": []any{map[string]any{"url": model.URL, "images": []string{script.Painter}}}})
	prices := file("prices.json", map[string]int{"generator.job": 1, "image": 1})
	b := newStand(t, script.Engine{}, "SVC_EGRESS="+egress, "SVC_PRICES="+prices)
	b.Script(script.Engine{Pictures: pictures})
	return b, model
}

// topUp gives the poor user what one whole job costs, on top of what is owed.
func (b *stand) topUp() {
	b.t.Helper()
	b.MustAdmin("user", "topup", "poor", strconv.FormatInt(int64(pictures+1-b.balance()/api.MicroPerTIK), 10))
}

// wantWhole wants a job to complete and to cost all that is left.
func (b *stand) wantWhole() {
	b.t.Helper()
	job := b.Finish(b.key, b.Generate(b.key, b.project))
	b.done++
	if job.Status != api.JobCompleted || job.TIKSpent != (pictures+1)*api.MicroPerTIK || b.balance() != 0 {
		b.t.Errorf("after the top-up the record is %+v, the balance %s", job, b.balance())
	}
	b.wantFree()
}

func TestJobFailsAmongItsStepsAsSoonAsTheBalanceIsUsedUp(t *testing.T) {
	t.Parallel()
	for credit := range pictures {
		t.Run(fmt.Sprintf("after %d of %d", credit, pictures+1), func(t *testing.T) {
			t.Parallel()
			b, model := newStudio(t, nil)
			b.poor(credit)
			sub := b.Generate(b.key, b.project)
			b.done++
			b.wantExhausted(sub)
			if spent := b.Job(b.key, sub).TIKSpent; spent != api.TIK(credit)*api.MicroPerTIK || b.balance() != 0 {
				t.Errorf("%s TIK were spent of %d, %s are left", spent, credit, b.balance())
			}
			if calls := len(model.Requests()); calls != credit {
				t.Errorf("the model was called %d times for %d TIK", calls, credit)
			}
			b.wantFree()
			b.topUp()
			b.wantWhole()
		})
	}
}

func TestJobsOfOneUserAllFailAmongTheirStepsAndOverdrawNoMoreThanOneEach(t *testing.T) {
	t.Parallel()
	const jobs, credit = 3, 4
	gate := make(chan chan struct{})
	b, model := newStudio(t, gate)
	b.poor(credit)
	var subs []api.Submission
	for range jobs {
		subs = append(subs, b.Generate(b.key, b.NewProject(b.key)))
		b.done++
	}
	// Each round every job has a step under way before any of them is paid: the
	// first leaves 1 TIK, with which all three begin one more.
	for range 2 {
		var under []chan struct{}
		for range jobs {
			under = append(under, wait.For(t, "a step begins", gate))
		}
		for _, open := range under {
			close(open)
		}
	}
	for _, sub := range subs {
		b.wantExhausted(sub)
		if spent := b.Job(b.key, sub).TIKSpent; spent != 2*api.MicroPerTIK {
			t.Errorf("%s TIK were spent on two steps", spent)
		}
	}
	if over := -b.balance(); over != (2*jobs-credit)*api.MicroPerTIK {
		t.Errorf("overdrawn by %s TIK with %d steps under way", over, jobs)
	}
	if calls := len(model.Requests()); calls != 2*jobs {
		t.Errorf("the model was called %d times: a step began after the balance was used up", calls)
	}
	b.wantFree()
	b.topUp()
	go func() {
		for open := range gate {
			close(open)
		}
	}()
	t.Cleanup(func() { close(gate) })
	b.wantWhole()
}
