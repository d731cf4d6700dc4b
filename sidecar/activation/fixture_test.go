package activation_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
)

// policytest.Example(t) is the policy that lets the readers of a project read it.
// files returns the shipped policy, slim.
func files(t testing.TB) bundle.Snapshot { return slim(whole(t)) }

// slim leaves most tests out, which are the most work of an activation.
func slim(s bundle.Snapshot) bundle.Snapshot {
	for name := range s {
		if strings.HasSuffix(name, "_test.rego") && name != "svc/key/key_test.rego" {
			delete(s, name)
		}
	}
	return s
}

// whole returns the shipped policy.
func whole(t testing.TB) bundle.Snapshot {
	t.Helper()
	s, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readers returns the example's policy, slim.
func readers(t testing.TB) bundle.Snapshot {
	t.Helper()
	s, err := bundle.ReadDir(os.DirFS(policytest.Example(t)))
	if err != nil {
		t.Fatal(err)
	}
	return slim(s)
}

// edit replaces text in a file of a policy, and returns the policy.
func edit(t testing.TB, s bundle.Snapshot, name, old, now string) bundle.Snapshot {
	t.Helper()
	text := string(s[name])
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	s[name] = []byte(strings.Replace(text, old, now, 1))
	return s
}

// write has dir hold the files of a policy and no others, from one moment to the next: two
// looks in a row never find the same half of them.
func write(t testing.TB, dir string, s bundle.Snapshot) {
	t.Helper()
	next := t.TempDir()
	for name, text := range s {
		path := filepath.Join(next, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Renameat2(unix.AT_FDCWD, next, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE); err != nil {
		t.Fatal(err)
	}
}

// archive returns a policy as a bundle with a sequence, signed when key is not
// "".
func archive(t testing.TB, s bundle.Snapshot, sequence int64, key string) []byte {
	t.Helper()
	if err := s.SetManifest(bundle.Manifest{Metadata: bundle.Metadata{Sequence: sequence}}); err != nil {
		t.Fatal(err)
	}
	if key != "" {
		signing, err := bundle.ReadSigningKey(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sign(signing); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := s.WriteArchive(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// keyPair writes a pair of keys.
func keyPair(t testing.TB) (private, public string) {
	t.Helper()
	privateText, publicText, err := bundle.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	private, public = filepath.Join(dir, "key.pem"), filepath.Join(dir, "key.pub.pem")
	for path, text := range map[string][]byte{private: privateText, public: publicText} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private, public
}

// fixture is an engine and what it logged.
type fixture struct {
	*activation.Engine
	logs *observer.ObservedLogs
}

func open(t testing.TB, o activation.Options) fixture {
	t.Helper()
	f, err := tryOpen(t, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tryOpen(t testing.TB, o activation.Options) (fixture, error) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	o.Logger = zap.New(core)
	o.ProveOnce()
	if o.DataDir == "" {
		o.DataDir = t.TempDir()
	}
	e, err := activation.Open(t.Context(), o)
	if err != nil {
		return fixture{}, err
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return fixture{e, logs}, nil
}

// mayRead reports whether a user who is named in a project's readers may look
// at one of its jobs: the example's policy says so, the shipped one does not.
func (f fixture) mayRead(t testing.TB) bool {
	t.Helper()
	in := verify.Poll()
	in.Project.OwnerID, in.Project.Attributes = "user-2", map[string]string{"readers": "user-1"}
	d, err := f.Decide(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return d.Allow
}

// activate activates files as an admin does.
func (f fixture) activate(t testing.TB, s bundle.Snapshot) (activation.Info, error) {
	t.Helper()
	return f.Activate(t.Context(), activation.Request{Files: s, Source: "upload", Actor: "uid:7"})
}
