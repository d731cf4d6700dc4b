package host

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
)

func TestDaemonThatIsAwayIsNamedInTheLog(t *testing.T) {
	core, logs := observer.New(zap.ErrorLevel)
	o := Options{Driver: docker.Name, DataDir: t.TempDir(), Docker: &Docker{Host: "unix:///nowhere.sock"}, Logger: zap.New(core)}
	d, err := o.openDocker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if all := logs.All(); len(all) != 1 || all[0].Message != "no engine can be started before Docker answers" || len(all[0].Context) != 1 {
		t.Errorf("logged was %v", all)
	}
}

// TestDriverOptionsHaveOneName: svc-engine-proxy reads them from JSON, the gateway
// from a Caddyfile.
func TestDriverOptionsHaveOneName(t *testing.T) {
	for _, driver := range []interface{ Caddyfile() block.Options }{new(Process), new(Docker), new(Kubernetes)} {
		var inJSON, inCaddyfile []string
		members := reflect.TypeOf(driver).Elem()
		for i := range members.NumField() {
			name, _, _ := strings.Cut(members.Field(i).Tag.Get("json"), ",")
			inJSON = append(inJSON, name)
		}
		for _, o := range driver.Caddyfile() {
			inCaddyfile = append(inCaddyfile, o.Name)
		}
		slices.Sort(inJSON)
		slices.Sort(inCaddyfile)
		if !slices.Equal(inJSON, inCaddyfile) {
			t.Errorf("%T has in JSON %v, in a Caddyfile %v", driver, inJSON, inCaddyfile)
		}
	}
}
