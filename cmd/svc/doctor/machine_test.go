package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDoctorSaysThatADiskIsFull(t *testing.T) {
	dir := t.TempDir()
	for left, want := range map[uint64]Check{
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

func TestDataDirectoryThatIsAFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{path, filepath.Join(path, "data")} {
		if k := checkDataDir(dir); k.OK || !strings.Contains(k.Found, "not a directory") {
			t.Errorf("%s: got %+v", dir, k)
		}
	}
}
