package e2e

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

// former is what a data directory of a former version says of itself.
type former struct {
	Key     apiKey `json:"key"`
	Revoked apiKey `json:"revoked"`
	Edited  string `json:"edited"` // project whose sources a model has edited
	Plain   string `json:"plain"`
	Spent   string `json:"spent"`
	Jobs    []struct {
		api.Submission
		Ended api.JobStatus `json:"ended"`
	} `json:"jobs"`
}

// unpackFolder unpacks a folder with the modes that its files had, as whoever runs
// the test, as from a backup.
func unpackFolder(t *testing.T, dir, archive string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	raw, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for files := tar.NewReader(raw); ; {
		h, err := files.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name, mode := filepath.Clean(h.Name), h.FileInfo().Mode()
		switch h.Typeflag {
		case tar.TypeDir:
			if err = root.Mkdir(name, 0o700); errors.Is(err, os.ErrExist) {
				err = nil
			}
		case tar.TypeReg:
			var to *os.File
			if to, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
				_, err = io.Copy(to, files)
				err = errors.Join(err, to.Close())
			}
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		default:
			continue // a socket
		}
		if err == nil && h.Typeflag != tar.TypeSymlink {
			err = root.Chmod(name, mode.Perm()|mode&(os.ModeSetgid|os.ModeSticky))
		}
		if err != nil {
			t.Fatalf("unpacking %s: %v", name, err)
		}
	}
}

// TestDataFolderOfAFormerVersionOpensAndGoesOn: testdata/former holds one of
// 84ec793, and how it was made.
func TestDataFolderOfAFormerVersionOpensAndGoesOn(t *testing.T) {
	s := newService(t, onlyEmbedded(t))
	// Jobs of a fixture grow old.
	s.editCaddyfile(`engines "{$SVC_ENGINES:embedded}"`, "engines embedded {\n\t\t\tretain 876000h\n\t\t}")
	unpackFolder(t, s.dir, filepath.Join("testdata", "former", "84ec793.tar.gz"))
	var was former
	s.decode([]byte(s.read(filepath.Join(s.dir, "former.json"))), &was)
	s.secrets = append(s.secrets, was.Key.Secret, was.Revoked.Secret)
	s.start()

	if a := s.call(was.Revoked, "GET", "/v1/projects", nil); a.status != http.StatusUnauthorized {
		t.Errorf("the revoked key gets %d", a.status)
	}
	a := s.call(was.Key, "GET", "/v1/projects", nil)
	for _, project := range []string{was.Edited, was.Plain} {
		if !strings.Contains(string(a.body), project) {
			t.Errorf("project %s is not listed: %s", project, a.body)
		}
	}
	var spent api.TIK
	for _, job := range was.Jobs {
		now := s.status(was.Key, job.Submission)
		if now.Status != job.Ended {
			t.Errorf("job %s is %s, was %s", job.JobID, now.Status, job.Ended)
		}
		spent += now.TIKSpent
		records := s.readEvents(s.events(was.Key, job.Submission, "").Body)
		if len(records) == 0 || records[len(records)-1].Type != api.TerminalEventOf(job.Ended) {
			t.Errorf("the events of job %s end with %+v", job.JobID, records)
		}
		if job.Ended != api.JobCompleted {
			continue
		}
		if files := s.download(was.Key, job.Submission).File; len(files) < 2 {
			t.Errorf("job %s has %d files", job.JobID, len(files))
		}
	}
	if spent.String() != was.Spent {
		t.Errorf("the jobs spent %s, were told to have spent %s", spent, was.Spent)
	}

	goOn := func() {
		for _, project := range []string{was.Edited, was.Plain} {
			sub := s.generate(was.Key, project, "make it faster")
			if job := s.finish(was.Key, sub); job.Status != api.JobCompleted {
				t.Fatalf("a change of project %s ends as %s %+v", project, job.Status, job.Failure)
			}
			dir := unpack(t, s.download(was.Key, sub))
			if project == was.Edited && !strings.Contains(s.read(filepath.Join(dir, "src", "mechanics", "gap.js")), "Math.sin(s.t * 9) * 3") {
				t.Error("the change took the edit away")
			}
		}
	}
	goOn()
	// The code of its end tells of the machine as well.
	said, _ := exec.Command(bin(t, "svc"), "doctor", "--data-dir", s.dir).Output()
	if !strings.Contains(string(said), "ok    ledger, ") || strings.Contains(string(said), "FAIL  ledger") {
		t.Errorf("svc doctor says of the ledger:\n%s", said)
	}
	s.svc("admin", "key", "disable", was.Key.ID)
	s.svc("admin", "key", "enable", was.Key.ID)
	if err := s.stop(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.start()
	goOn()
	if names := s.glob("projects/*"); len(slices.Compact(names)) != 2 {
		t.Errorf("the data directory has the projects %v", names)
	}
}
