// Package prometheus holds the tests of the alerts beside it.
package prometheus

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-games/svc/test/need"
)

var (
	alertLine  = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)
	metricName = regexp.MustCompile(`\bsvc_[a-z0-9_]+`)
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestEachAlertHasAnEntryForWhoeverIsCalled: in docs/operations.md, a test of
// alerts_test.yml, and metrics that there are.
func TestEachAlertHasAnEntryForWhoeverIsCalled(t *testing.T) {
	alerts, tests := read(t, "alerts.yml"), read(t, "alerts_test.yml")
	_, entries, found := strings.Cut(read(t, "../../docs/operations.md"), "\n## Alerts\n")
	if !found {
		t.Fatal("docs/operations.md has no part Alerts")
	}
	names := alertLine.FindAllStringSubmatch(alerts, -1)
	if len(names) < 15 {
		t.Errorf("there are %d alerts", len(names))
	}
	for _, m := range names {
		if !strings.Contains(entries, "| `"+m[1]+"` |") {
			t.Errorf("docs/operations.md has no entry for %s", m[1])
		}
		if !strings.Contains(tests, "alertname: "+m[1]+"\n        exp_alerts:") {
			t.Errorf("alerts_test.yml has no case in which %s fires", m[1])
		}
	}
	metrics := read(t, "../../docs/metrics.md")
	for _, file := range []string{"alerts.yml", "alerts_test.yml", "../grafana/svc.json"} {
		for _, name := range metricName.FindAllString(read(t, file), -1) {
			name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")
			if !strings.Contains(metrics, "| `"+name+"` |") {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
}

func TestAlertsFireForTheirTroubleAndNotBefore(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		promtool, err = filepath.Abs("../../bin/promtool")
	}
	if _, statErr := os.Stat(promtool); err != nil || statErr != nil {
		need.Missing(t, "promtool is missing: run make deps")
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
