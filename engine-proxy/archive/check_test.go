package archive

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheckFindsWhatIsDamaged(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"":               func(string) error { return nil },
		"record":         func(dir string) error { return os.Remove(filepath.Join(dir, recordFile)) },
		"event":          func(dir string) error { return cutLine(filepath.Join(dir, eventsFile)) },
		"event 2":        func(dir string) error { return dropSecond(filepath.Join(dir, eventsFile)) },
		"events":         func(dir string) error { return os.Remove(filepath.Join(dir, eventsFile)) },
		"checksum":       func(dir string) error { return flip(filepath.Join(dir, filesFile)) },
		"archived files": func(dir string) error { return os.Remove(filepath.Join(dir, filesFile)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, src, other := open(t), completed(t, 3), completed(t, 1)
			for _, one := range []*source{src, other} {
				if _, err := s.Put(t.Context(), one.record.JobID, one); err != nil {
					t.Fatal(err)
				}
			}
			if err := damage(filepath.Join(s.dir, src.record.JobID)); err != nil {
				t.Fatal(err)
			}
			found, err := Check(t.Context(), s.dir)
			if err != nil || found.Jobs != 2 || found.Snapshots != 2 || found.Bytes == 0 {
				t.Errorf("found %+v, %v", found, err)
			}
			switch {
			case name == "" && len(found.Damaged) > 0:
				t.Errorf("found %q", found.Damaged)
			case name != "" && (len(found.Damaged) == 0 || !strings.HasPrefix(found.Damaged[0], "job "+src.record.JobID+": ") ||
				!strings.Contains(found.Damaged[0], name)):
				t.Errorf("found %q, want %s", found.Damaged, name)
			}
		})
	}
}

// cutLine takes the last line of a file away.
func cutLine(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := strings.TrimSuffix(string(raw), "\n")
	return os.WriteFile(path, []byte(text[:strings.LastIndex(text, "\n")+1]), 0o600)
}

// dropSecond takes the second line of a file away.
func dropSecond(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := slices.Collect(strings.Lines(string(raw)))
	return os.WriteFile(path, []byte(strings.Join(slices.Delete(lines, 1, 2), "")), 0o600)
}

// flip changes one bit, in a file of its own: a snapshot may be the same one.
func flip(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	raw[len(raw)/2] ^= 1
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}
