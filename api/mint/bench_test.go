package mint

import (
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

// BenchmarkIDs measures what each request with a job and a project is asked
// first.
func BenchmarkIDs(b *testing.B) {
	job, project := NewJobID(time.Now()), NewProjectID()
	for b.Loop() {
		if !api.ValidJobID(job) || !api.ValidProjectID(project) {
			b.Fatal("an id of our own is refused")
		}
	}
}

func BenchmarkParseKey(b *testing.B) {
	key := NewKey()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := ParseKey(key); !ok {
			b.Fatal("a key of our own is refused")
		}
	}
}
