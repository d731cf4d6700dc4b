package activation

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// living returns which of those that did not answer live: it waits until each has reported once
// more, or counts as gone. One that was killed is there for some seconds, and answers nothing.
func (o others) living(ctx context.Context, silent []string) ([]string, error) {
	tick := time.NewTicker(answerEvery)
	defer tick.Stop()
	for first := map[string]time.Time{}; ; {
		there, err := o.shared.Present(ctx, o.name)
		if err != nil {
			return nil, fmt.Errorf("asking the other sidecars: %w", err)
		}
		var living []string
		unknown := false
		for _, one := range there {
			if !slices.Contains(silent, one.Name) {
				continue
			}
			before, seen := first[one.Name]
			if !seen {
				before, first[one.Name] = one.SeenAt, one.SeenAt
			}
			living = append(living, one.Name)
			unknown = unknown || one.SeenAt.Equal(before)
		}
		if !unknown {
			return living, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("asking the other sidecars: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
