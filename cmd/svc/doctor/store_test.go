package doctor

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store"
)

func TestDoctorRefusesADatabaseThatTheServiceWouldNotOpen(t *testing.T) {
	found := store.Inspection{Place: "database d at h", Version: "17.4", Number: 170004, Schema: 5, Newest: 5}
	older, newer, empty, old := found, found, found, found
	older.Schema, newer.Schema, empty.Schema = 4, 6, 0
	old.Version, old.Number = "13.1", 130001
	for _, tt := range []struct {
		found store.Inspection
		ok    bool
		says  string
	}{
		{found, true, "schema of version 5"},
		{older, true, "from version 4 to 5"},
		{empty, true, "makes the tables"},
		{newer, false, "newer version of svc"},
		{old, false, "is of version 13.1"},
	} {
		k := inspected(tt.found)[0]
		if k.OK != tt.ok || !k.Required || !strings.Contains(k.Found, tt.says) || k.OK == (k.Advice != "") {
			t.Errorf("%+v: got %+v", tt.found, k)
		}
	}
}
