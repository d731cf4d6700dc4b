package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// BenchmarkGroup is what an operation costs that shares its commit with 63
// others: when none of them fails, and when one in 16 does.
func BenchmarkGroup(b *testing.B) {
	for _, failing := range []int64{0, 16} {
		b.Run(fmt.Sprintf("failing=%d", failing), func(b *testing.B) {
			s, err := OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "svc.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}()
			refused := errors.New("refused")
			var next atomic.Int64
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					n := next.Add(1)
					err := s.Update(b.Context(), func(tx *Tx) error {
						if _, err := tx.Exec("INSERT INTO users (id, created_at) VALUES (?, 0)", fmt.Sprint(n)); err != nil {
							return err
						}
						if failing > 0 && n%failing == 0 {
							return refused
						}
						return nil
					})
					if err != nil && !errors.Is(err, refused) {
						b.Error(err)
					}
				}
			})
		})
	}
}
