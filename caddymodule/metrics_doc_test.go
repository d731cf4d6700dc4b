package caddymodule

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/svc-games/svc/engine-proxy/host"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/service"
)

const metricsPage = "../docs/metrics.md"

var updateMetrics = flag.Bool("update-metrics", false, "write the columns of docs/metrics.md that the code knows")

// described is what the code says of a metric.
type described struct{ name, kind, labels, part, help string }

var descForm = regexp.MustCompile(`^Desc\{fqName: "([a-z0-9_]+)", help: "(.*)", constLabels: \{\}, variableLabels: \{(.*)\}\}$`)

// allMetrics are those of every part, by name.
func allMetrics(t *testing.T) map[string]described {
	t.Helper()
	all := make(map[string]described)
	for part, collectors := range map[string][]prometheus.Collector{
		"gateway":      {registry},
		"sidecar":      append(activation.NewMetrics().Collectors(), append(service.NewMetrics().Collectors(), new(peer.Certificates))...),
		"engine proxy": append(host.NewMetrics().Collectors(), new(peer.Certificates)),
	} {
		for _, c := range collectors {
			descs := make(chan *prometheus.Desc)
			go func() {
				defer close(descs)
				c.Describe(descs)
			}()
			for d := range descs {
				m := descForm.FindStringSubmatch(d.String())
				if m == nil {
					t.Fatalf("a metric is %s", d)
				}
				labels := strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' })
				if len(labels) > 0 {
					labels = []string{"`" + strings.Join(labels, "`, `") + "`"}
				}
				of := part
				if before, is := all[m[1]]; is && before.part != part {
					of = "each"
				}
				all[m[1]] = described{m[1], kindOf(m[1]), strings.Join(labels, ""), of, m[2]}
			}
		}
	}
	return all
}

// measures are the metrics in seconds that are no histogram.
var measures = []string{"svc_store_write_seconds", "svc_policy_activated_timestamp_seconds", "svc_certificate_expires_timestamp_seconds", "svc_clock_timestamp_seconds"}

// kindOf follows Prometheus' names, which TestMetricsAreOfTheKindThatTheirNamesSay holds
// them to.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.HasSuffix(name, "_seconds") && !slices.Contains(measures, name):
		return "histogram"
	}
	return "gauge"
}

func TestMetricsAreOfTheKindThatTheirNamesSay(t *testing.T) {
	for _, c := range append(activation.NewMetrics().Collectors(), host.NewMetrics().Collectors()...) {
		kind := "histogram"
		switch c.(type) {
		case prometheus.Gauge, *prometheus.GaugeVec:
			kind = "gauge"
		case prometheus.Counter, *prometheus.CounterVec:
			kind = "counter"
		}
		descs := make(chan *prometheus.Desc, 1)
		c.Describe(descs)
		if m := descForm.FindStringSubmatch((<-descs).String()); m == nil || kindOf(m[1]) != kind {
			t.Errorf("%v is a %s", m, kind)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if kind := strings.ToLower(f.GetType().String()); kind != kindOf(f.GetName()) {
			t.Errorf("%s is a %s", f.GetName(), kind)
		}
	}
}

// TestMetricsPageHasEveryMetricOfTheCode: with -update-metrics it writes the table, with
// what people wrote in its last column.
func TestMetricsPageHasEveryMetricOfTheCode(t *testing.T) {
	raw, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), "|---|---|---|---|---|\n")
	if !found {
		t.Fatalf("%s has no table of five columns", metricsPage)
	}
	written, after := make(map[string]string), ""
	for line := range strings.Lines(rest) {
		cells := strings.SplitN(strings.Trim(strings.TrimSpace(line), "|"), "|", 5)
		if after != "" || len(cells) != 5 {
			after += line
			continue
		}
		written[strings.Trim(strings.TrimSpace(cells[0]), "`")] = strings.TrimSpace(cells[4])
	}
	all := allMetrics(t)
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m, text := all[name], written[name]
		if text == "" {
			text = m.help
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s |\n", name, m.kind, m.labels, m.part, text)
	}
	want := before + "|---|---|---|---|---|\n" + table.String() + after
	if *updateMetrics {
		if err := os.WriteFile(metricsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(raw) != want {
		t.Errorf("%s does not have what the code has: go test ./caddymodule -run MetricsPage -update-metrics, and look at it", metricsPage)
	}
}
