package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/webhook"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
	"github.com/svc-games/svc/sidecar/webhooks"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		fmt.Fprintln(os.Stderr, sendUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}

func TestEndOfAJobIsPostedOnceAndSigned(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		before := f.end(f.project, api.JobCompleted) // there is no webhook yet
		secret := f.set(f.project, r.URL+"/hook?x=1", api.HookCompleted, api.HookFailed)
		f.end(f.project, api.JobCancelled)
		job := f.end(f.project, api.JobCompleted)
		s := f.sender()
		s.Once(t.Context())
		s.Once(t.Context())
		posts := r.got()
		if len(posts) != 1 {
			t.Fatalf("%d posts, want one; not of %s", len(posts), before)
		}
		if err := webhook.Verify(posts[0].header, posts[0].body, secret, f.clock()); err != nil {
			t.Error(err)
		}
		if err := webhook.Verify(posts[0].header, posts[0].body, webhook.NewSecret(), f.clock()); !errors.Is(err, webhook.ErrSignature) {
			t.Errorf("with another secret: %v", err)
		}
		p := posts[0].post(t)
		if p.Type != api.HookCompleted || p.Data.JobID != job || p.Data.ProjectID != f.project || p.Data.SessionID == "" ||
			p.Data.Status != api.JobCompleted || !p.Timestamp.Equal(f.clock()) {
			t.Errorf("posted %+v", p)
		}
		if d := f.only(); d.ID != posts[0].header.Get("Webhook-Id") || d.State != api.DeliveryDelivered || d.Attempts != 1 || d.Status != 204 || d.EndedAt == nil {
			t.Errorf("listed %+v", d)
		}
	})
}

func TestSecretIsShownOnceAndTheFormerOneSignsForADay(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		first := f.set(f.project, "https://hooks.example.com/")
		if again := f.set(f.project, r.URL); again != "" {
			t.Error("a change of the address shows a secret")
		}
		found, err := f.registry.Webhook(t.Context(), f.project)
		if err != nil || found.Secret != "" || found.URL != r.URL || found.FormerUntil != nil {
			t.Errorf("found %+v, %v", found, err)
		}
		made, err := f.registry.RotateWebhook(t.Context(), f.project)
		if err != nil || made.Secret == "" || made.Secret == first || made.FormerUntil == nil || !made.FormerUntil.Equal(f.clock().Add(24*time.Hour)) {
			t.Fatalf("rotated %+v, %v", made, err)
		}
		s := f.sender()
		for i, valid := range []map[string]bool{{first: true, made.Secret: true}, {first: false, made.Secret: true}} {
			f.end(f.project, api.JobCompleted)
			s.Once(t.Context())
			post := r.got()[i]
			for secret, want := range valid {
				if err := webhook.Verify(post.header, post.body, secret, f.clock()); (err == nil) != want {
					t.Errorf("after %d days, the first %v: %v", i, secret == first, err)
				}
			}
			f.pass(24 * time.Hour)
		}
	})
}

func TestFailedDeliveryIsRepeatedForADayThenDeadAndCanBeReplayed(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r, s := newReceiver(t), f.sender()
		r.answer(http.StatusInternalServerError)
		secret := f.set(f.project, r.URL)
		f.end(f.project, api.JobFailed)
		begun := f.clock()
		s.Once(t.Context())
		for i, wait := range webhooks.Waits() {
			f.pass(wait - time.Millisecond)
			s.Once(t.Context())
			if n := len(r.got()); n != i+1 {
				t.Fatalf("%d posts before wait %d is over", n, i)
			}
			if d := f.only(); d.State != api.DeliveryWaiting || d.Status != 500 || d.NextAt == nil || !d.NextAt.Equal(f.clock().Add(time.Millisecond)) {
				t.Fatalf("listed %+v", d)
			}
			f.pass(time.Millisecond)
			s.Once(t.Context())
		}
		if took := f.clock().Sub(begun); took < 23*time.Hour || took > 24*time.Hour {
			t.Errorf("the last attempt comes after %s", took)
		}
		f.pass(24 * time.Hour)
		s.Once(t.Context())
		dead := f.deliveries(api.DeliveryDead)
		if len(dead) != 1 || dead[0].Attempts != int64(len(r.got())) || dead[0].Problem == "" || len(f.deliveries(api.DeliveryWaiting)) > 0 {
			t.Fatalf("dead are %+v after %d posts", dead, len(r.got()))
		}
		r.answer(http.StatusOK)
		if _, err := f.registry.ReplayDelivery(t.Context(), f.newProject(), dead[0].ID); !errors.Is(err, sidecar.ErrUnknownDelivery) {
			t.Errorf("replayed for another project: %v", err)
		}
		if d, err := f.registry.ReplayDelivery(t.Context(), f.project, dead[0].ID); err != nil || d.State != api.DeliveryWaiting || d.Attempts != 0 {
			t.Errorf("replayed %+v, %v", d, err)
		}
		s.Once(t.Context())
		if d := f.only(); d.State != api.DeliveryDelivered || d.Attempts != 1 || d.Problem != "" {
			t.Errorf("after the replay %+v", d)
		}
		for _, post := range r.got() {
			if id := post.header.Get("Webhook-Id"); id != dead[0].ID {
				t.Errorf("posted as %s", id)
			}
		}
		last := r.got()[len(r.got())-1]
		if err := webhook.Verify(last.header, last.body, secret, f.clock()); err != nil {
			t.Errorf("the replay, days later: %v", err)
		}
	})
}

func TestReceiverThatIsGoneIsAskedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		r.answer(http.StatusGone)
		f.set(f.project, r.URL)
		f.end(f.project, api.JobCompleted)
		f.sender().Once(t.Context())
		if d := f.only(); d.State != api.DeliveryDead || d.Attempts != 1 {
			t.Errorf("listed %+v", d)
		}
	})
}

func TestDroppedWebhookAndDeletedProjectLeaveNothing(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		r := newReceiver(t)
		f.set(f.project, r.URL)
		f.end(f.project, api.JobCompleted)
		if err := f.registry.DropWebhook(t.Context(), f.project); err != nil {
			t.Fatal(err)
		}
		f.sender().Once(t.Context())
		if _, err := f.registry.Webhook(t.Context(), f.project); !errors.Is(err, sidecar.ErrNoWebhook) || len(r.got()) > 0 || len(f.deliveries("")) > 0 {
			t.Errorf("%v; posted %d", err, len(r.got()))
		}
		if _, err := f.registry.RotateWebhook(t.Context(), f.project); !errors.Is(err, sidecar.ErrNoWebhook) {
			t.Errorf("rotated: %v", err)
		}
		f.set(f.project, r.URL)
		f.end(f.project, api.JobCompleted)
		if err := f.catalog.DeleteProject(t.Context(), f.project); err != nil {
			t.Fatal(err)
		}
		f.sender().Once(t.Context())
		if len(r.got()) > 0 {
			t.Error("the end of a deleted project's job is posted")
		}
		if _, err := f.registry.SetWebhook(t.Context(), f.project, api.WebhookRequest{URL: r.URL}); !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("set for a deleted project: %v", err)
		}
	})
}

func TestDeliveriesAreListedPageByPage(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.set(f.project, "https://hooks.example.com/")
		var want, got []string
		for range 5 {
			want = append(want, api.DeliveryID(f.end(f.project, api.JobCompleted)))
			f.pass(time.Second)
		}
		q := sidecar.DeliveryQuery{ProjectID: f.project, Limit: 2}
		for {
			page, err := f.registry.Deliveries(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Data {
				got = append([]string{d.ID}, got...)
			}
			if q.Before = page.NextCursor; q.Before == "" {
				break
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("listed %v, want %v", got, want)
		}
	})
}

// TestWhatTheOwnerMayNotReadIsNotPosted: a delivery waits for the permission, as for a
// receiver that fails.
func TestWhatTheOwnerMayNotReadIsNotPosted(t *testing.T) {
	f := newFixture(t, storetest.Open(t, storetest.Databases[0].New(t)), time.Now())
	r := newReceiver(t)
	f.set(f.project, r.URL)
	f.end(f.project, api.JobCompleted)
	var permitted bool
	var failure error
	s := f.sender(func(o *webhooks.SenderOptions) {
		o.Permitted = func(_ context.Context, user, project string) (bool, error) {
			if user != f.user || project != f.project {
				t.Errorf("asked for %s, %s", user, project)
			}
			return permitted, failure
		}
	})
	s.Once(t.Context())
	if d := f.only(); len(r.got()) > 0 || d.State != api.DeliveryWaiting || d.Attempts != 1 || !strings.Contains(d.Problem, "may not read") {
		t.Errorf("without a permission: %d posts, %+v", len(r.got()), d)
	}
	f.pass(5 * time.Second)
	failure = errors.New("no decision")
	s.Once(t.Context())
	if d := f.only(); len(r.got()) > 0 || d.State != api.DeliveryWaiting || d.Attempts != 2 || !strings.Contains(d.Problem, "not be decided") {
		t.Errorf("without a decision: %d posts, %+v", len(r.got()), d)
	}
	f.pass(time.Minute)
	permitted, failure = true, nil
	s.Once(t.Context())
	if d := f.only(); len(r.got()) != 1 || d.State != api.DeliveryDelivered {
		t.Errorf("with a permission: %d posts, %+v", len(r.got()), d)
	}
}
