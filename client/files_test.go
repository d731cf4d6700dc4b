package client

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
)

type entry struct {
	name, content string
	mode          fs.FileMode
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			header.SetMode(e.mode)
		}
		w, err := z.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func archiveFile(t *testing.T, entries ...entry) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(path, archive(t, entries...), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// filesService serves a completed job whose record has the given sum.
func filesService(content []byte, sum string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/files") {
			_, _ = w.Write(content)
			return
		}
		ended := record(api.JobCompleted, 100)
		if sum != "" {
			ended.Files = &api.Files{Count: 1, Bytes: int64(len(content)), SHA256: sum}
		}
		writeJSON(w, 200, ended)
	}
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func TestDownloadIsCheckedAgainstTheRecord(t *testing.T) {
	content := archive(t, entry{name: "index.html", content: "<!doctype html>"})
	for _, tt := range []struct {
		name, sum string
		want      error
	}{
		{"the right bytes", sumOf(content), nil},
		{"other bytes", sumOf([]byte("x")), ErrCorrupt},
		{"a job without files", "", ErrNoFiles},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := serve(t, filesService(content, tt.sum))
			dir := t.TempDir()
			path := filepath.Join(dir, "game.zip")
			_, err := c.Download(t.Context(), Job{ID: testJob}, path)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			left, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want != nil {
				if len(left) != 0 {
					t.Errorf("a failed download left %v", left)
				}
				return
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) || len(left) != 1 {
				t.Errorf("got %d bytes, %v, files %v", len(got), err, left)
			}
		})
	}
}

func TestCutDownloadLeavesTheEarlierFileAlone(t *testing.T) {
	content := bytes.Repeat([]byte("game"), 1<<16)
	whole := filesService(content, sumOf(content))
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/files") {
			whole(w, r)
			return
		}
		w.Header().Set("Content-Length", "262144")
		_, _ = w.Write(content[:1000])
		panic(http.ErrAbortHandler)
	})
	path := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(path, []byte("earlier"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Download(t.Context(), Job{ID: testJob}, path); err == nil {
		t.Error("a cut download succeeded")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "earlier" {
		t.Errorf("the earlier file holds %q, %v", got, err)
	}
}

// TestCutDownloadGoesOnWhereItBroke, or begins anew with a service that has no parts.
func TestCutDownloadGoesOnWhereItBroke(t *testing.T) {
	content := bytes.Repeat([]byte("game"), 1<<16)
	whole := filesService(content, sumOf(content))
	etag := strconv.Quote(sumOf(content))
	for parts, want := range map[bool][]string{
		true:  {" ", "bytes=1000- " + etag, "bytes=2000- " + etag},
		false: {" ", "bytes=1000- " + etag, "bytes=1500- " + etag},
	} {
		var asked []string
		c, clock := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/files") {
				whole(w, r)
				return
			}
			asked = append(asked, r.Header.Get("Range")+" "+r.Header.Get("If-Range"))
			w.Header().Set("ETag", etag)
			from, to := 0, 500+500*len(asked)
			if parts && len(asked) == 2 {
				from, to = 1000, 2000
			}
			switch {
			case len(asked) == 3 && parts:
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
				return
			case len(asked) == 3:
				_, _ = w.Write(content)
				return
			case from > 0:
				w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
				w.WriteHeader(http.StatusPartialContent)
			default:
				w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			}
			_, _ = w.Write(content[from:to])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		path := filepath.Join(t.TempDir(), "game.zip")
		_, err := c.Download(t.Context(), Job{ID: testJob}, path)
		if got, read := os.ReadFile(path); err != nil || read != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %v, %v", len(got), err, read)
		}
		if !slices.Equal(asked, want) || !slices.Equal(clock.slept, []time.Duration{firstBackoff, firstBackoff}) {
			t.Errorf("asked for %q, want %q; waited %v", asked, want, clock.slept)
		}
	}
}

func TestFailedDownloadLeavesAFolderInItsWayAlone(t *testing.T) {
	content := archive(t, entry{name: "index.html", content: "a"})
	c, _ := serve(t, filesService(content, sumOf(content)))
	path := filepath.Join(t.TempDir(), "game.zip")
	kept := filepath.Join(path+".part", "notes.txt")
	if err := errors.Join(os.Mkdir(path+".part", 0o755), os.WriteFile(kept, []byte("a"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Download(t.Context(), Job{ID: testJob}, path); err == nil {
		t.Error("a download through a folder succeeded")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestExtractWritesTheGame(t *testing.T) {
	path := archiveFile(t, entry{name: "index.html", content: "a"}, entry{name: "src/", mode: fs.ModeDir | 0o755},
		entry{name: "src/game.json", content: "{}"}, entry{name: ".svc/style.json", content: "b"}, entry{name: "run.sh", content: "c", mode: 0o4777})
	dir := filepath.Join(t.TempDir(), "deep", "game")
	if err := Extract(path, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"index.html": "a", "src/game.json": "{}", ".svc/style.json": "b", "run.sh": "c"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode()&(fs.ModeSetuid|0o111) != 0 {
		t.Errorf("run.sh has mode %v, %v; want nothing executable", info.Mode(), err)
	}
}

func TestExtractDoesNotTouchADirectoryWithFiles(t *testing.T) {
	path := archiveFile(t, entry{name: "index.html", content: "new"})
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Extract(path, dir); err == nil {
		t.Error("a directory with files was replaced")
	}
	if got, err := os.ReadFile(mine); err != nil || string(got) != "mine" {
		t.Errorf("mine.txt holds %q, %v", got, err)
	}
}

func TestHostileArchivesAreRefusedAsAWhole(t *testing.T) {
	small := limits{entries: 3, entryBytes: 1000, total: 1500}
	for _, tt := range []struct {
		name    string
		entries []entry
	}{
		{"parent directory", []entry{{name: "../evil"}}},
		{"parent directory inside", []entry{{name: "a/../../evil"}}},
		{"dot segment", []entry{{name: "a/./b"}}},
		{"absolute", []entry{{name: "/etc/evil"}}},
		{"backslash", []entry{{name: `..\evil`}}},
		{"drive", []entry{{name: `c:evil`}}},
		{"control character", []entry{{name: "a\nb"}}},
		{"zero byte", []entry{{name: "a\x00b"}}},
		{"empty name", []entry{{name: ""}}},
		{"link", []entry{{name: "link", content: "/etc/passwd", mode: fs.ModeSymlink | 0o777}}},
		{"device", []entry{{name: "dev", mode: fs.ModeDevice | 0o666}}},
		{"twice", []entry{{name: "a"}, {name: "a"}}},
		{"twice but for case", []entry{{name: "Index.html"}, {name: "index.HTML"}}},
		{"file and directory", []entry{{name: "a"}, {name: "a/", mode: fs.ModeDir | 0o755}}},
		{"too many", []entry{{name: "a"}, {name: "b"}, {name: "c"}, {name: "d"}}},
		{"bomb in a file", []entry{{name: "a", content: strings.Repeat("0", 1001)}}},
		{"bomb in all", []entry{{name: "a", content: strings.Repeat("0", 900)}, {name: "b", content: strings.Repeat("0", 900)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := archiveFile(t, tt.entries...)
			parent := t.TempDir()
			err := extract(path, filepath.Join(parent, "game"), small)
			if !errors.Is(err, ErrHostileArchive) {
				t.Errorf("got %v, want ErrHostileArchive", err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

func TestArchiveThatLiesAboutItsSizeIsRefused(t *testing.T) {
	content := archive(t, entry{name: "a", content: strings.Repeat("0", 5000)})
	// The central directory holds the uncompressed size 24 bytes in; make it 10.
	at := bytes.LastIndex(content, []byte("PK\x01\x02")) + 24
	copy(content[at:], []byte{10, 0, 0, 0})
	path := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	if err := extract(path, filepath.Join(parent, "game"), limits{entries: 3, entryBytes: 1000, total: 1500}); err == nil {
		t.Error("it was unpacked")
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

func TestWhatIsNoArchiveIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.zip")
	if err := os.WriteFile(path, []byte("not a ZIP"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Extract(path, filepath.Join(t.TempDir(), "game")); err == nil {
		t.Error("it was unpacked")
	}
}

// FuzzExtract unpacks archives of any bytes: what comes out is the target or
// nothing, and never more than the limits.
func FuzzExtract(f *testing.F) {
	for _, entries := range [][]entry{
		{{name: "index.html", content: "a"}, {name: "src/game.json", content: "{}"}},
		{{name: "../evil", content: "a"}},
		{{name: "link", content: "/", mode: fs.ModeSymlink | 0o777}},
		{{name: "a/", mode: fs.ModeDir | 0o755}, {name: "a/b", content: strings.Repeat("0", 900)}},
	} {
		f.Add(archive(f, entries...))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		outer := t.TempDir()
		path := filepath.Join(outer, "game.zip")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		failed := extract(path, filepath.Join(outer, "in", "game"), limits{entries: 5, entryBytes: 1000, total: 1500})
		var total int64
		err := filepath.WalkDir(outer, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(outer, name)
			if err != nil {
				return err
			}
			if inside := strings.HasPrefix(rel+"/", "in/game/"); !inside && rel != "." && rel != "in" && rel != "game.zip" || inside && failed != nil {
				t.Errorf("%q is there; unpacking returned %v", rel, failed)
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() && rel != "game.zip" {
				total += info.Size()
			} else if err == nil && !info.IsDir() && rel != "game.zip" {
				t.Errorf("%q is neither a file nor a directory", rel)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if total > 1500 {
			t.Errorf("%d bytes were unpacked", total)
		}
	})
}
