package activation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// followEvery is how often a sidecar looks for what others activated, reportEvery how
	// often it says by what it decides.
	followEvery = 500 * time.Millisecond
	reportEvery = 5 * time.Second
	// joinAttempts is how often one that starts begins again when others changed the
	// policy meanwhile: several that are restarted at once do.
	joinAttempts = 10
	// maxSeen bounds what is remembered of a source.
	maxSeen = 20
)

// ErrMeanwhile is returned, wrapped, when somebody else changed the policy at the same time.
var ErrMeanwhile = errors.New("the policy was changed meanwhile: look at it, and try again")

// Shared is where sidecars with one store keep their policies together. Generations that
// are kept there are the same for all.
type Shared interface {
	// Version is that of the state, 0 before the first.
	Version(ctx context.Context) (int64, error)
	// Load returns the state with its version.
	Load(ctx context.Context) (version int64, state []byte, err error)
	// Save writes the state that follows version, and archives by digest. Those that
	// keep does not name are forgotten. It returns ErrMeanwhile when version is not that
	// of the state any more.
	Save(ctx context.Context, version int64, state []byte, archives map[string][]byte, keep []string) error
	// Archive returns the files of a generation.
	Archive(ctx context.Context, digest string) ([]byte, error)
	// Report notes by which revision a sidecar decides, and returns what all that are
	// there do.
	Report(ctx context.Context, name, revision string) ([]Sidecar, error)
	// Leave says that a sidecar stops: it is asked nothing any more.
	Leave(ctx context.Context, name string) error

	// Ask puts a question to the other sidecars that are there, and returns who they are.
	Ask(ctx context.Context, name string, question []byte) (id string, others []string, err error)
	// Asked returns by their ids the questions of others that a sidecar has not answered.
	Asked(ctx context.Context, name string) (map[string][]byte, error)
	// Answer answers a question that was not withdrawn.
	Answer(ctx context.Context, id, name string, answer []byte) error
	// Answers returns what sidecars answered, without those that are known.
	Answers(ctx context.Context, id string, known []string) (map[string][]byte, error)
	// Withdraw forgets a question with its answers.
	Withdraw(ctx context.Context, id string) error
}

// Sidecar is one of those with the same store.
type Sidecar struct {
	Name     string    `json:"name"`
	Revision string    `json:"revision"`
	SeenAt   time.Time `json:"seenAt"`
}

// common is the part of a state that all sidecars have.
type common struct {
	Active      int64  `json:"active"`
	Last        int64  `json:"last"`
	Floor       int64  `json:"floor"`
	Generations []Info `json:"generations"`
	Waiting     *Info  `json:"waiting,omitempty"`
	// Seen has by source the digests that were activated from it, the last one last.
	Seen map[string][]string `json:"seen"`
	// Approvers are the fingerprints of those of whom one must approve a policy: empty for
	// none, nil where no sidecar ever said.
	Approvers []string `json:"approvers"`
}

// sharing is the keeper's way to what is shared.
type sharing struct {
	Shared
	name    string
	version int64
	seen    map[string][]string

	approvers []string
}

// held is what a source held.
type held struct{ source, digest string }

// isLast reports whether that was activated last of all that the source held.
func (s *sharing) isLast(h held) bool {
	all := s.seen[h.source]
	return len(all) > 0 && all[len(all)-1] == h.digest
}

// saw returns what is seen with one more.
func (s *sharing) saw(h held) map[string][]string {
	seen := maps.Clone(s.seen)
	if seen == nil {
		seen = map[string][]string{}
	}
	if h.digest != "" {
		others := slices.DeleteFunc(slices.Clone(seen[h.source]), func(digest string) bool { return digest == h.digest })
		seen[h.source] = append(others[max(0, len(others)-maxSeen):], h.digest)
	}
	return seen
}

// save writes what is shared of the next state, with the archives that are new, and what
// a source held where that is activated.
func (s *sharing) save(next state, archives map[string][]byte, from held) error {
	seen := s.saw(from)
	text, err := json.Marshal(common{next.Active, next.Last, next.Floor, next.Generations, next.Waiting, seen, s.approvers})
	if err != nil {
		return fmt.Errorf("sharing the policies: %w", err)
	}
	keep := make([]string, 0, len(next.Generations))
	for _, g := range next.all() {
		keep = append(keep, g.Digest)
	}
	if err := s.Save(context.Background(), s.version, text, archives, keep); err != nil {
		return fmt.Errorf("sharing the policies: %w", err)
	}
	s.version++
	s.seen = seen
	return nil
}
