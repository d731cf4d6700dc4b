package gamezip

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// file is an entry of a ZIP.
type file struct {
	name string
	mode fs.FileMode
	data string
}

func pack(t testing.TB, files ...file) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.mode != 0 {
			h.SetMode(f.mode)
		}
		entry, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(entry, f.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func check(data []byte) (int, error) { return Check(bytes.NewReader(data), int64(len(data))) }

func TestGamePasses(t *testing.T) {
	for _, game := range [][]file{
		nil,
		{{name: "index.html", data: "<canvas>"}, {name: "src/main.js"}, {name: "src/caf\u00e9.png", mode: 0o600}},
	} {
		if files, err := check(pack(t, game...)); err != nil || files != len(game) {
			t.Errorf("%v: %d files, %v", game, files, err)
		}
	}
}

func TestWhatNoGameHasIsRefused(t *testing.T) {
	many := make([]file, MaxFiles+1)
	for i := range many {
		many[i].name = fmt.Sprintf("%d.js", i)
	}
	half := strings.Repeat("0", MaxBytes/2+1)
	for what, files := range map[string][]file{
		"a way out":               {{name: "../x.js"}},
		"an absolute path":        {{name: "/etc/x"}},
		"a drive":                 {{name: "c:x.js"}},
		"a backslash":             {{name: `a\x.js`}},
		"a device":                {{name: "assets/nul.png"}},
		"a hidden file":           {{name: ".x.js"}},
		"an unseen sign":          {{name: "a\u202egnp.js"}},
		"a folder":                {{name: "src/"}},
		"a link":                  {{name: "x", mode: fs.ModeSymlink | 0o777, data: "/etc/passwd"}},
		"a device file":           {{name: "x", mode: fs.ModeDevice | 0o666}},
		"set user":                {{name: "x", mode: fs.ModeSetuid | 0o755}},
		"two of a name":           {{name: "a.js"}, {name: "a.js"}},
		"two but for capitals":    {{name: "a.js"}, {name: "A.js"}},
		"two but for their form":  {{name: "caf\u00e9.js"}, {name: "cafe\u0301.js"}},
		"a file in a file":        {{name: "a"}, {name: "a/b.js"}},
		"a file that is a folder": {{name: "a/b.js"}, {name: "A"}},
		"too deep":                {{name: strings.Repeat("d/", maxDepth+1) + "x.js"}},
		"too long a name":         {{name: strings.Repeat("n", maxName+1)}},
		"too many files":          many,
		"too many bytes":          {{name: "a", data: half}, {name: "b", data: half}},
	} {
		if files, err := check(pack(t, files...)); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: %d files, %v", what, files, err)
		}
	}
}

// What a ZIP says of itself is no proof of it.
func TestZIPThatLiesIsRefused(t *testing.T) {
	content := strings.Repeat("game", 1000)
	whole := pack(t, file{name: "a.js", data: content}, file{name: "b.js", data: content})
	at := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	for what, spoil := range map[string]func(z []byte) []byte{
		"no ZIP":              func([]byte) []byte { return []byte("hello") },
		"cut short":           func(z []byte) []byte { return z[:len(z)-30] },
		"other bytes":         func(z []byte) []byte { z[40] ^= 0xff; return z },
		"another sum":         func(z []byte) []byte { z[at+16] ^= 0xff; return z },
		"fewer bytes":         func(z []byte) []byte { binary.LittleEndian.PutUint32(z[at+24:], 1); return z },
		"a method unknown":    func(z []byte) []byte { binary.LittleEndian.PutUint16(z[at+10:], 99); return z },
		"encrypted":           func(z []byte) []byte { z[at+8] |= 1; return z },
		"a list of no files":  func([]byte) []byte { return listOf(MaxFiles) },
		"a list without end":  func([]byte) []byte { return listOf(2 * maxDirectory / 46) },
		"files in each other": func([]byte) []byte { return nested(t) },
	} {
		if files, err := check(spoil(bytes.Clone(whole))); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: %d files, %v", what, files, err)
		}
	}
}

// listOf returns a ZIP that lists so many files and holds none.
func listOf(files int) []byte {
	const entry = 46
	return list(bytes.Repeat(append([]byte("PK\x01\x02"), make([]byte, entry-4)...), files), files, 0)
}

// list appends the end of a list to it.
func list(entries []byte, files int, at int) []byte {
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], uint16(files))
	binary.LittleEndian.PutUint16(end[10:], uint16(files))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(entries)))
	binary.LittleEndian.PutUint32(end[16:], uint32(at))
	return append(entries, end...)
}

// nested returns a ZIP whose hundred entries are all the same bytes.
func nested(t *testing.T) []byte {
	t.Helper()
	one := pack(t, file{name: "00.js", data: strings.Repeat("0", 1<<19)})
	at := bytes.Index(one, []byte("PK\x01\x02"))
	entry := one[at:bytes.Index(one, []byte("PK\x05\x06"))]
	var entries []byte
	for i := range 100 {
		next := bytes.Clone(entry)
		copy(next[46:], fmt.Sprintf("%02d.js", i))
		entries = append(entries, next...)
	}
	return append(one[:at:at], list(entries, 100, at)...)
}

// An error of the disk says nothing of the ZIP.
func TestDiskThatFailsIsNotTheZIPsFault(t *testing.T) {
	data := pack(t, file{name: "index.html", data: strings.Repeat("game", 1000)})
	for after := range 5 {
		if _, err := Check(&failing{bytes.NewReader(data), after}, int64(len(data))); !errors.Is(err, errDisk) || errors.Is(err, ErrUnsafe) {
			t.Errorf("after %d reads: %v", after, err)
		}
	}
}

func TestFileIsOpenedByItsNameAlone(t *testing.T) {
	data := pack(t, file{name: "index.html", data: "<canvas>"}, file{name: "../out", data: "x"}, file{name: "link", mode: fs.ModeSymlink | 0o777, data: "/etc"})
	for name, want := range map[string]string{"index.html": "<canvas>", "../out": "", "link": "", "INDEX.html": "", "": "", "none": ""} {
		content, err := Open(bytes.NewReader(data), int64(len(data)), name)
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		got, err := io.ReadAll(content)
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// A preview opens what was kept before anyone checked it.
func TestOpeningReadsABoundedPartOfALongList(t *testing.T) {
	counted := &counting{from: bytes.NewReader(listOf(65_000))}
	if _, err := Open(counted, counted.from.Size(), "index.html"); !errors.Is(err, errTooMuch) {
		t.Errorf("got %v", err)
	}
	if counted.read > maxDirectory {
		t.Errorf("%d bytes were read, want at most %d", counted.read, maxDirectory)
	}
}

// counting counts what is read.
type counting struct {
	from *bytes.Reader
	read int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.from.ReadAt(p, at)
	c.read += n
	return n, err
}

var errDisk = errors.New("the disk fails")

// failing is a disk that fails after so many reads.
type failing struct {
	from  io.ReaderAt
	after int
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errDisk
	}
	return f.from.ReadAt(p, at)
}

func FuzzCheck(f *testing.F) {
	f.Add(pack(f, file{name: "index.html", data: "<canvas>"}, file{name: "src/main.js"}))
	f.Add(pack(f, file{name: "../x"}))
	f.Add(listOf(3))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := check(data)
		if err != nil {
			if !errors.Is(err, ErrUnsafe) {
				t.Fatalf("no disk failed: %v", err)
			}
			return
		}
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil || len(archive.File) != files {
			t.Fatalf("passed as %d files: %v", files, err)
		}
		for _, entry := range archive.File {
			if !fs.ValidPath(entry.Name) || !entry.Mode().IsRegular() {
				t.Fatalf("passed with %q, %v", entry.Name, entry.Mode())
			}
		}
	})
}

func TestFailedJobWithoutAGameSaysWhyAndWhatToDo(t *testing.T) {
	for _, c := range []struct {
		failure *api.Failure
		want    []string
	}{
		{&api.Failure{Code: api.FailureTIKExhausted, Message: "The TIK balance is exhausted."}, []string{"tik_exhausted", "The TIK balance is exhausted.", "balance, then submit"}},
		{&api.Failure{Code: api.FailureEngineLost, Message: "Gone: 100%."}, []string{"engine_lost", "Gone: 100%.", "operator"}},
		{nil, []string{"internal", "operator"}},
	} {
		data, said := Failed("job_1", c.failure)
		if files, err := check(data); err != nil || files != 1 || said.Count != 1 || said.Bytes != int64(len(data)) || said.SHA256 != fmt.Sprintf("%x", sha256.Sum256(data)) {
			t.Errorf("%+v: %d files, %v; it is said to be %+v", c.failure, files, err, said)
		}
		if again, _ := Failed("job_1", c.failure); !bytes.Equal(again, data) {
			t.Errorf("%+v: the same job gives other bytes", c.failure)
		}
		f, err := Open(bytes.NewReader(data), int64(len(data)), Readme)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(c.want, "failed", "job_1") {
			if !strings.Contains(string(text), want) {
				t.Errorf("%+v: %q is not in\n%s", c.failure, want, text)
			}
		}
	}
}

func TestReadmeAloneIsNoGame(t *testing.T) {
	readme, _ := Failed("job_1", nil)
	for what, c := range map[string]struct {
		data []byte
		game bool
	}{
		"nothing": {pack(t), false}, "a readme": {readme, false},
		"a page": {pack(t, file{name: "index.html"}), true}, "a page with a readme": {pack(t, file{name: Readme}, file{name: "index.html"}), true},
	} {
		if game, err := HasGame(bytes.NewReader(c.data), int64(len(c.data))); err != nil || game != c.game {
			t.Errorf("%s: %t, %v", what, game, err)
		}
	}
}

func TestOpenFileHoldsNothingOfTheListOfFiles(t *testing.T) {
	files := []file{{name: "index.html", data: "<canvas>"}}
	for n := range 10_000 {
		files = append(files, file{name: fmt.Sprintf("assets/of/a/game/%06d", n)})
	}
	data := pack(t, files...)
	inUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	var open []io.ReadCloser
	for range 32 {
		f, err := Open(bytes.NewReader(data), int64(len(data)), "index.html")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, f)
	}
	if each := (inUse() - before) / int64(len(open)); each > 256<<10 {
		t.Errorf("a file of a ZIP with %d files takes %d bytes while it is open", len(files), each)
	}
	for _, f := range open {
		if text, err := io.ReadAll(f); err != nil || string(text) != "<canvas>" {
			t.Fatalf("%q, %v", text, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
