package caddymodule

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
)

func TestDocumentNamesEveryMetricFieldAndPlaceholder(t *testing.T) {
	var text string
	for _, page := range []string{"../docs/caddyfile.md", metricsPage} {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text += string(raw)
	}
	names := []string{
		string(gateway.OutcomeAccepted), string(gateway.OutcomeRefused), string(gateway.OutcomeReleased), string(gateway.OutcomeFenced),
		string(gateway.OutcomeLost),
		reasonStarting, reasonFailed, reasonRate, reasonStreams, reasonForbidden, reasonNotFound, reasonUnavailable, reasonOther,
		string(gateway.RateOfKey), string(gateway.RateOfAddress), string(streams.RoomKey), string(streams.RoomGateway), stateOK, stateStarting, stateDegraded,
		undecidedFacts,
	}
	for _, one := range undecided {
		names = append(names, one.reason)
	}
	for _, fact := range facts {
		names = append(names, fact.placeholder)
		if fact.field != "" {
			names = append(names, fact.field)
		}
	}
	for s := range maps.Keys(before) {
		names = append(names, string(s))
	}
	for name := range allMetrics(t) {
		if !strings.HasPrefix(name, "svc_") {
			t.Errorf("a metric is called %q", name)
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`{"+name+"}`") {
			t.Errorf("docs/caddyfile.md and docs/metrics.md do not name %s", name)
		}
	}
}
