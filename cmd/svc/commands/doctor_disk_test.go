package commands

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorSaysThatADiskIsFull(t *testing.T) {
	dir := t.TempDir()
	for left, want := range map[uint64]check{
		0:       {Required: true, Found: "0 bytes are left"},
		1 << 21: {Found: "2 MiB are left"},
		5 << 30: {Required: true, OK: true, Found: "5 GiB are left"},
	} {
		got := checkDisk(filepath.Join(dir, "not", "made"), func(at string) (uint64, error) {
			if at != dir {
				t.Errorf("asked of %s", at)
			}
			return left, nil
		})
		if got.OK != want.OK || got.Required != want.Required || got.Found != want.Found || got.OK == strings.HasPrefix(got.Advice, "make room") {
			t.Errorf("with %d bytes: %+v", left, got)
		}
	}
}
