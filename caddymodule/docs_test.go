package caddymodule

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/caddymodule/gateway/streams"
)

func TestDocumentNamesEveryMetricFieldAndPlaceholder(t *testing.T) {
	raw, err := os.ReadFile("../docs/caddyfile.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	names := []string{
		string(gateway.OutcomeAccepted), string(gateway.OutcomeRefused), string(gateway.OutcomeReleased), string(gateway.OutcomeFenced),
		string(gateway.OutcomeLost),
		reasonStarting, reasonRate, reasonStreams, reasonForbidden, reasonNotFound, reasonUnavailable, reasonOther,
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
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		registry.Describe(described)
	}()
	for d := range described {
		_, rest, _ := strings.Cut(d.String(), `fqName: "`)
		name, _, _ := strings.Cut(rest, `"`)
		if !strings.HasPrefix(name, "svc_") {
			t.Errorf("a metric is called %q", name)
		}
		names = append(names, name)
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`{"+name+"}`") {
			t.Errorf("docs/caddyfile.md does not name %s", name)
		}
	}
}
