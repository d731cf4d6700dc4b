package host

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/block"
)

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
