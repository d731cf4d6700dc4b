package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func lines(t *testing.T, path string) (found []string, cut int64) {
	t.Helper()
	j, cut, err := Open(path, func(_ int, data []byte) error {
		found = append(found, string(data))
		return nil
	})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := j.Seal(); err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return found, cut
}

func accept(int, []byte) error { return nil }

func TestOpenCutsOffWhatACrashTore(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		want          []string
		cut           int64
	}{
		{"empty", "", nil, 0},
		{"whole", "1\n2\n", []string{"1", "2"}, 0},
		{"no newline", "1\n2", []string{"1"}, 1},
		{"half a value", "1\n{\"a\":\n", []string{"1"}, 6},
		{"zeros", "1\n\x00\x00\x00\n3\n", []string{"1"}, 6},
		{"only a torn line", "{", nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, cut := range []int64{tc.cut, 0} {
				if got, n := lines(t, path); !slices.Equal(got, tc.want) || n != cut {
					t.Errorf("opening %d: %q, cut %d, want %q, cut %d", i, got, n, tc.want, cut)
				}
			}
		})
	}
}

func TestOwnerOfLinesLosesOnlyWhatHasNoEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, []byte("1\n{\n\n3\n{4"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, cut, err := OpenLines(path, accept)
	if err != nil || cut != 2 || j.Len() != 4 {
		t.Fatalf("%d lines, cut %d, %v", j.Len(), cut, err)
	}
}

func TestALineThatItsOwnerRefusesEndsTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, []byte("1\n7\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, cut, err := Open(path, func(n int, data []byte) error {
		if string(data) != fmt.Sprint(n+1) {
			return errors.New("out of order")
		}
		return nil
	})
	if err != nil || cut != 4 || j.Len() != 1 {
		t.Fatalf("Open: %d lines, cut %d, %v", j.Len(), cut, err)
	}
}

func TestWhatIsAppendedIsReadInPiecesOfTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, err := Open(path, accept)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := j.Append(fmt.Appendf(nil, "%d", 100+i), i%2 == 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, sealed := range []bool{false, true} {
		for _, tc := range []struct {
			from, to int
			limit    int64
			want     string
		}{
			{0, 5, 1000, `["100" "101" "102" "103" "104"]`},
			{1, 3, 1000, `["101" "102"]`},
			{0, 5, 8, `["100" "101"]`},
			{2, 5, 1, `["102"]`},
			{4, 99, 1000, `["104"]`},
			{5, 99, 1000, `[]`},
		} {
			got, err := j.Read(tc.from, tc.to, tc.limit)
			if err != nil || fmt.Sprintf("%q", got) != tc.want {
				t.Errorf("sealed %v: Read(%d, %d, %d) = %q, %v", sealed, tc.from, tc.to, tc.limit, got, err)
			}
		}
		if err := j.Seal(); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append([]byte("1"), false); !errors.Is(err, ErrSealed) {
		t.Errorf("Append after Seal: %v", err)
	}
	if got, _ := lines(t, path); len(got) != 5 {
		t.Errorf("opened again: %q", got)
	}
}

func TestAnAppendThatTheDiskRefusesLeavesNoPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, err := Open(path, accept)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Append([]byte("1"), true); err != nil {
		t.Fatal(err)
	}
	if err := j.f.Close(); err != nil { // the disk is gone from here on
		t.Fatal(err)
	}
	for range 2 {
		if err := j.Append([]byte("2"), true); err == nil {
			t.Error("Append succeeded without a disk")
		}
	}
	if j.Len() != 1 {
		t.Errorf("%d lines", j.Len())
	}
	if got, cut := lines(t, path); !slices.Equal(got, []string{"1"}) || cut != 0 {
		t.Errorf("opened again: %q, cut %d", got, cut)
	}
}
