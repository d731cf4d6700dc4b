package storetest

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
)

// Plan returns how SQLite runs a query, a step a line.
func Plan(t testing.TB, s *store.Store, query string, args ...any) string {
	t.Helper()
	var plan []string
	if err := s.View(t.Context(), func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var id, parent, unused int
			var step string
			err := scan(&id, &parent, &unused, &step)
			plan = append(plan, step)
			return err
		}, "EXPLAIN QUERY PLAN "+query, args...)
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}
