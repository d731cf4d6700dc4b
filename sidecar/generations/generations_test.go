package generations_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/generations"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestOfTwoThatWriteAtOnceOneIsRefused(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		g := generations.New(s)
		for version := range int64(3) {
			var wg sync.WaitGroup
			errs := make([]error, 4)
			for i := range errs {
				wg.Go(func() { errs[i] = g.Save(t.Context(), version, []byte{'0' + byte(i)}, nil, nil) })
			}
			wg.Wait()
			winner := -1
			for i, err := range errs {
				switch {
				case err == nil && winner < 0:
					winner = i
				case !errors.Is(err, activation.ErrMeanwhile):
					t.Errorf("version %d, writer %d: %v", version, i, err)
				}
			}
			now, state, err := g.Load(t.Context())
			if looked, errLooked := g.Version(t.Context()); err != nil || errLooked != nil || winner < 0 || now != version+1 || looked != now || string(state) != string('0'+rune(winner)) {
				t.Errorf("version %d: %d, %s, %v; %d was accepted", version, now, state, err, winner)
			}
		}
	})
}

func TestArchivesAreKeptForAsLongAsTheyAreNamed(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		g := generations.New(s)
		a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
		if _, err := g.Archive(t.Context(), a); !errors.Is(err, store.ErrNoRows) {
			t.Errorf("of none: %v", err)
		}
		all := map[string][]byte{a: {0, 1, 0xff}, b: {2}}
		if err := errors.Join(g.Save(t.Context(), 0, []byte("{}"), all, []string{a, b}), g.Save(t.Context(), 1, []byte("{}"), all, []string{a})); err != nil {
			t.Fatal(err)
		}
		if text, err := g.Archive(t.Context(), a); err != nil || string(text) != "\x00\x01\xff" {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := g.Archive(t.Context(), b); !errors.Is(err, store.ErrNoRows) {
			t.Errorf("of one that is forgotten: %v", err)
		}
		if err := g.Save(t.Context(), 1, []byte("x"), map[string][]byte{b: {2}}, []string{b}); !errors.Is(err, activation.ErrMeanwhile) {
			t.Error(err)
		}
		if text, err := g.Archive(t.Context(), a); err != nil || len(text) == 0 {
			t.Errorf("after a save that was refused: %v", err)
		}
	})
}

func TestSidecarsAreListedWithWhatTheyDecideBy(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		g := generations.New(s)
		for _, one := range [][2]string{{"b", "r1"}, {"a", "r1"}, {"b", "r2"}} {
			if _, err := g.Report(t.Context(), one[0], one[1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO policy_sidecars (name, revision, seen_at) VALUES ('long gone', 'r0', 1)")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		all, err := g.Report(t.Context(), "a", "r2")
		if err != nil || len(all) != 2 || all[0].Name != "a" || all[0].Revision != "r2" || all[1].Revision != "r2" || all[0].SeenAt.IsZero() {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

func TestAQuestionIsForAllOthersThatAreThere(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		g := generations.New(s)
		if _, others, err := g.Ask(t.Context(), "a", []byte("{}")); err != nil || len(others) > 0 {
			t.Errorf("the only one asks %v, %v", others, err)
		}
		for _, name := range []string{"a", "b", "c"} {
			if _, err := g.Report(t.Context(), name, "r1"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("INSERT INTO policy_sidecars (name, revision, seen_at) VALUES ('away', 'r0', 1)")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		id, others, err := g.Ask(t.Context(), "a", []byte(`{"n":1}`))
		if err != nil || !slices.Equal(others, []string{"b", "c"}) {
			t.Fatalf("asked are %v, %v", others, err)
		}
		if err := g.Leave(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		if _, others, err := g.Ask(t.Context(), "b", nil); err != nil || !slices.Equal(others, []string{"a"}) {
			t.Errorf("after c has left, b asks %v, %v", others, err)
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec("DELETE FROM policy_questions WHERE asker = 'b'")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{"a": 0, "b": 1, "c": 1} {
			if open, err := g.Asked(t.Context(), name); err != nil || len(open) != want || want > 0 && string(open[id]) != `{"n":1}` {
				t.Errorf("%s has to answer %q, %v", name, open, err)
			}
		}
		if err := errors.Join(g.Answer(t.Context(), id, "b", []byte("one")), g.Answer(t.Context(), id, "b", []byte("two"))); err != nil {
			t.Fatal(err)
		}
		if open, err := g.Asked(t.Context(), "b"); err != nil || len(open) > 0 {
			t.Errorf("what is answered is asked again: %q, %v", open, err)
		}
		if answers, err := g.Answers(t.Context(), id, nil); err != nil || len(answers) != 1 || string(answers["b"]) != "one" {
			t.Errorf("%q, %v", answers, err)
		}
		if answers, err := g.Answers(t.Context(), id, []string{"b"}); err != nil || len(answers) > 0 {
			t.Errorf("what is known is read again: %q, %v", answers, err)
		}
		if err := errors.Join(g.Withdraw(t.Context(), id), g.Answer(t.Context(), id, "c", []byte("late"))); err != nil {
			t.Fatal(err)
		}
		if answers, err := g.Answers(t.Context(), id, nil); err != nil || len(answers) > 0 {
			t.Errorf("after it was withdrawn: %q, %v", answers, err)
		}
	})
}
