package keys_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestStreamTokenEndsAfterFiveMinutesAndIsForgotten(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		key := create(t, registry(t, s), "ci")
		at := func(after time.Duration) *keys.Registry {
			return keys.New(s, func() time.Time { return noon.Add(after) })
		}
		first, _ := mint.ParseStreamToken(mint.NewStreamToken())
		expires, err := at(0).GrantStream(t.Context(), first, key.ID, "job")
		if err != nil || !expires.Equal(noon.Add(5*time.Minute)) {
			t.Fatalf("granted until %s, %v", expires, err)
		}
		if _, err := at(5*time.Minute-time.Millisecond).StreamGrant(t.Context(), first); err != nil {
			t.Errorf("just before its end: %v", err)
		}
		if _, err := at(5*time.Minute).StreamGrant(t.Context(), first); !errors.Is(err, sidecar.ErrUnknownToken) {
			t.Errorf("at its end: %v", err)
		}
		second, _ := mint.ParseStreamToken(mint.NewStreamToken())
		if _, err := at(5*time.Minute).GrantStream(t.Context(), second, key.ID, "job"); err != nil {
			t.Fatal(err)
		}
		if n := tokens(t, s); n != 1 {
			t.Errorf("%d tokens are kept", n)
		}
	})
}

func TestKeyHasAThousandStreamTokensAtMost(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		g := registry(t, s)
		key, other := create(t, g, "ci"), create(t, g, "other")
		if err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`INSERT INTO stream_tokens (hash, key_id, job_id, expires_at)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
				SELECT substr('0000000000000000000000000000000000000000000000000000000000000000', length('' || i) + 1) || i, ?, 'job', ? FROM n`,
				key.ID, noon.Add(time.Minute).UnixMilli())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		hash, _ := mint.ParseStreamToken(mint.NewStreamToken())
		var refused *answers.Error
		if _, err := g.GrantStream(t.Context(), hash, key.ID, "job"); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable ||
			refused.RetryAfter != time.Minute {
			t.Errorf("one more: %v", err)
		}
		var again mint.KeyHash
		again[len(again)-1] = 0x01 // the first of them: its answer was lost
		if _, err := g.GrantStream(t.Context(), again, key.ID, "job"); err != nil {
			t.Errorf("one that is there: %v", err)
		}
		if _, err := g.GrantStream(t.Context(), hash, other.ID, "job"); err != nil {
			t.Errorf("of another key: %v", err)
		}
	})
}

func tokens(t *testing.T, s *store.Store) (n int) {
	t.Helper()
	if err := s.View(t.Context(), func(r *store.Reader) error {
		return r.Row("SELECT count(*) FROM stream_tokens").Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
