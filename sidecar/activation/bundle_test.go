package activation_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// replace puts a bundle in the place of another.
func replace(t *testing.T, path string, archive []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", archive, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// until waits until the engine's status is as wanted.
func (f fixture) until(t *testing.T, what string, ok func(activation.Status) bool) {
	t.Helper()
	if err := wait.Poll(t.Context(), wait.Patience, func() bool { return ok(f.Status()) }); err != nil {
		t.Fatalf("never: %s: %v: %+v", what, err, f.Status())
	}
}

func failedAt(step string) func(activation.Status) bool {
	return func(s activation.Status) bool { return s.Degraded && s.Problem.Step == step }
}

func TestOnlySignedBundlesOfTheRightSequenceAreActivated(t *testing.T) {
	private, public := keyPair(t)
	foreign, _ := keyPair(t)
	path, data := filepath.Join(t.TempDir(), "policy.tar.gz"), t.TempDir()
	replace(t, path, archive(t, files(t), 10, private))
	o := activation.Options{Source: path, KeyFile: public, DataDir: data, Poll: 5 * time.Millisecond}
	f := open(t, o)
	if s := f.Status(); !s.Signed || s.Active.Sequence != 10 {
		t.Errorf("status %+v", s)
	}
	replace(t, path, archive(t, readers(t), 11, ""))
	f.until(t, "the unsigned bundle is refused", failedAt(activation.StepSignature))
	replace(t, path, archive(t, readers(t), 11, foreign))
	f.until(t, "the bundle of a stranger is refused", failedAt(activation.StepSignature))
	replace(t, path, archive(t, readers(t), 9, private))
	f.until(t, "the older bundle is refused", failedAt(activation.StepSequence))
	replace(t, path, archive(t, readers(t), 0, private))
	f.until(t, "the bundle without a number is refused", failedAt(activation.StepSequence))
	replace(t, path, []byte("no archive"))
	f.until(t, "what is no bundle is refused", failedAt(activation.StepRead))
	if f.mayRead(t) {
		t.Fatal("a refused bundle was activated")
	}
	replace(t, path, archive(t, readers(t), 11, private))
	f.until(t, "the newer bundle is activated", func(s activation.Status) bool { return !s.Degraded && s.Active.Sequence == 11 })
	// The number holds over a restart, and a rollback doesn't take it back.
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = open(t, o)
	replace(t, path, archive(t, files(t), 10, private))
	f.until(t, "the older bundle is refused", failedAt(activation.StepSequence))
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil {
		t.Fatal(err)
	}
	corrected := edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: API key\n")
	replace(t, path, archive(t, corrected, 10, private))
	f.until(t, "a bundle of the number that was rolled back to is refused", failedAt(activation.StepSequence))
	replace(t, path, archive(t, corrected, 12, private))
	f.until(t, "the corrected one with a number of its own is activated",
		func(s activation.Status) bool { return !s.Degraded && s.Active.ActivatedBy == activation.ByService })
}

// TestNoRollbackLetsAnOldBundleInAgain rolls back to a policy without a number,
// after which any bundle that was ever signed would do.
func TestNoRollbackLetsAnOldBundleInAgain(t *testing.T) {
	private, public := keyPair(t)
	f := open(t, activation.Options{KeyFile: public}) // begins with the embedded policy, which has no number
	newer, older := readers(t), edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: API key\n")
	archive(t, newer, 8, private)
	archive(t, older, 7, private)
	request := activation.Request{Files: newer, Source: "upload", Actor: "uid:7"}
	if _, err := f.Activate(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil || info.Sequence != 0 {
		t.Fatalf("rolled back to %+v, %v", info, err)
	}
	request.Files = older
	var failure *activation.Failure
	if _, err := f.Activate(t.Context(), request); !errors.As(err, &failure) || failure.Step != activation.StepSequence {
		t.Errorf("after the rollback: got %v", err)
	}
	request.Older = true
	if _, err := f.Activate(t.Context(), request); err != nil {
		t.Errorf("the older one on purpose: %v", err)
	}
	archive(t, older, 6, private)
	request = activation.Request{Files: older, Source: "upload", Actor: "uid:7"}
	if _, err := f.Activate(t.Context(), request); !errors.As(err, &failure) || failure.Step != activation.StepSequence {
		t.Errorf("after an older one: got %v", err)
	}
}

func TestAnAdminMayLeaveTheNumberOutAlsoOfABundle(t *testing.T) {
	private, public := keyPair(t)
	f := open(t, activation.Options{KeyFile: public})
	numbered, plain := files(t), readers(t)
	archive(t, numbered, 8, private)
	archive(t, plain, 0, private)
	request := activation.Request{Files: numbered, Source: "upload of policy.tar.gz", Actor: "uid:7"}
	if _, err := f.Activate(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Files = plain
	if info, err := f.Activate(t.Context(), request); err != nil || info.Sequence != 0 || !f.mayRead(t) {
		t.Errorf("got %+v, %v", info, err)
	}
}

func TestNameOfTheSourceExemptsFromNoSignature(t *testing.T) {
	_, public := keyPair(t)
	f := open(t, activation.Options{KeyFile: public})
	request := activation.Request{Files: readers(t), Source: activation.Embedded, Actor: "uid:7"}
	var failure *activation.Failure
	if _, err := f.Activate(t.Context(), request); !errors.As(err, &failure) || failure.Step != activation.StepSignature {
		t.Errorf("got %v", err)
	}
}

func TestAnAdminMayGoBackToAnOlderSequenceOnPurpose(t *testing.T) {
	private, public := keyPair(t)
	f := open(t, activation.Options{KeyFile: public})
	newer, older := readers(t), files(t)
	archive(t, newer, 8, private)
	archive(t, older, 7, private)
	request := activation.Request{Files: newer, Source: "upload", Actor: "uid:7"}
	if _, err := f.Activate(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Files = older
	var failure *activation.Failure
	if _, err := f.Activate(t.Context(), request); !errors.As(err, &failure) || failure.Step != activation.StepSequence {
		t.Errorf("got %v", err)
	}
	request.Older = true
	if info, err := f.Activate(t.Context(), request); err != nil || info.Sequence != 7 || f.mayRead(t) {
		t.Errorf("got %+v, %v", info, err)
	}
}

func TestADirectoryMustBeSignedWhereAKeyIsGiven(t *testing.T) {
	private, public := keyPair(t)
	dir := t.TempDir()
	write(t, dir, files(t))
	if _, err := tryOpen(t, activation.Options{Source: dir, KeyFile: public}); !errors.Is(err, bundle.ErrUnsigned) {
		t.Errorf("got %v, want ErrUnsigned", err)
	}
	signed := files(t)
	key, err := bundle.ReadSigningKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if err := signed.Sign(key); err != nil {
		t.Fatal(err)
	}
	write(t, dir, signed)
	f := open(t, activation.Options{Source: dir, KeyFile: public})
	if f.Status().Degraded {
		t.Errorf("status %+v", f.Status())
	}
	// A signature that no one can check is not taken for none.
	if _, err := tryOpen(t, activation.Options{Source: dir}); err == nil {
		t.Error("a signed directory is accepted without a key")
	}
}

func TestWhatWasActiveBeforeThereWasAKeyNeedsItsSignatureToo(t *testing.T) {
	private, public := keyPair(t)
	_, successor := keyPair(t)
	dir, data := t.TempDir(), t.TempDir()
	write(t, dir, readers(t))
	if err := open(t, activation.Options{Source: dir, DataDir: data}).Close(); err != nil {
		t.Fatal(err)
	}
	// Nothing of the source has changed, but nobody signed what is kept either.
	o := activation.Options{Source: dir, DataDir: data, KeyFile: public}
	if _, err := tryOpen(t, o); !errors.Is(err, bundle.ErrUnsigned) {
		t.Fatalf("a start with the unsigned policy that was active: %v, want ErrUnsigned", err)
	}
	signed := files(t)
	archive(t, signed, 1, private)
	write(t, dir, signed)
	f := open(t, o)
	if f.mayRead(t) {
		t.Fatal("the unsigned policy decides")
	}
	var failure *activation.Failure
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); !errors.As(err, &failure) || failure.Step != activation.StepSignature {
		t.Errorf("a rollback to the unsigned policy: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	o.KeyFile = successor
	if _, err := tryOpen(t, o); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("a start with a policy that the key of before has signed: %v, want ErrSignature", err)
	}
}

func TestUnsignedBundlesAreSaidToBeSoLoudly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tar.gz")
	replace(t, path, archive(t, readers(t), 1, ""))
	f := open(t, activation.Options{Source: path, Unsigned: true})
	if !f.mayRead(t) || f.logs.FilterMessageSnippet("signatures of policies are not checked").Len() != 1 {
		t.Errorf("the log says %+v", f.logs.All())
	}
}

// origin is a web server with a bundle.
type origin struct {
	mu      sync.Mutex // guards the following fields
	archive []byte
	etag    string
	down    bool
	full    int // answers with the bundle
	saved   int // answers without it
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.down:
		w.WriteHeader(http.StatusBadGateway)
	case r.Header.Get("If-None-Match") == o.etag:
		o.saved++
		w.WriteHeader(http.StatusNotModified)
	default:
		o.full++
		w.Header().Set("ETag", o.etag)
		_, _ = w.Write(o.archive)
	}
}

func (o *origin) set(change func(*origin)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

func (o *origin) answers() (full, saved int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full, o.saved
}

func TestABundleIsFetchedAgainOnlyWhenItChanged(t *testing.T) {
	private, public := keyPair(t)
	o := &origin{archive: archive(t, files(t), 1, private), etag: `"1"`}
	server := httptest.NewServer(o)
	defer server.Close()
	options := activation.Options{Source: server.URL + "/policy.tar.gz", KeyFile: public, Poll: 5 * time.Millisecond, DataDir: t.TempDir()}
	f := open(t, options)
	f.until(t, "the server is asked again and again", func(activation.Status) bool { _, saved := o.answers(); return saved > 5 })
	if full, _ := o.answers(); full != 1 {
		t.Errorf("the bundle was sent %d times, want once", full)
	}
	o.set(func(o *origin) { o.archive, o.etag = archive(t, readers(t), 2, private), `"2"` })
	f.until(t, "the new bundle is active", func(s activation.Status) bool { return s.Active.Sequence == 2 })
	if !f.mayRead(t) {
		t.Error("the new bundle does not decide")
	}
	// A bundle that was refused is not fetched again either.
	o.set(func(o *origin) { o.archive, o.etag, o.full, o.saved = archive(t, files(t), 3, ""), `"3"`, 0, 0 })
	f.until(t, "the unsigned bundle is refused", failedAt(activation.StepSignature))
	f.until(t, "the server is asked again and again", func(activation.Status) bool { _, saved := o.answers(); return saved > 5 })
	if full, _ := o.answers(); full != 1 || !f.mayRead(t) {
		t.Errorf("the refused bundle was sent %d times, want once", full)
	}
	o.set(func(o *origin) { o.down = true })
	f.until(t, "the server's failure is seen", failedAt(activation.StepRead))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// A start without the server: by the last good policy.
	f = open(t, options)
	if s := f.Status(); !f.mayRead(t) || !failedAt(activation.StepRead)(s) {
		t.Errorf("status %+v", s)
	}
	o.set(func(o *origin) { o.down = false })
	f.until(t, "the bundle that was refused before is still refused", failedAt(activation.StepSignature))
	o.set(func(o *origin) { o.archive, o.etag = archive(t, files(t), 4, private), `"4"` })
	f.until(t, "the service recovers", func(s activation.Status) bool { return !s.Degraded && s.Active.Sequence == 4 })
}

func TestASourceThatCanBeReadAgainBringsNoSettledProblemBack(t *testing.T) {
	private, public := keyPair(t)
	o := &origin{archive: archive(t, files(t), 1, private), etag: `"1"`}
	server := httptest.NewServer(o)
	defer server.Close()
	f := open(t, activation.Options{Source: server.URL + "/policy.tar.gz", KeyFile: public, Poll: 5 * time.Millisecond})
	o.set(func(o *origin) { o.archive, o.etag = archive(t, readers(t), 2, ""), `"2"` })
	f.until(t, "the unsigned bundle is refused", failedAt(activation.StepSignature))
	o.set(func(o *origin) { o.down = true })
	f.until(t, "the server's failure is seen", failedAt(activation.StepRead))
	upload := readers(t)
	archive(t, upload, 3, private)
	if _, err := f.activate(t, upload); err != nil {
		t.Fatal(err)
	}
	o.set(func(o *origin) { o.down, o.saved = false, 0 })
	// A second answer comes only after the first was dealt with.
	f.until(t, "the server is asked again and again", func(activation.Status) bool { _, saved := o.answers(); return saved > 1 })
	if s := f.Status(); s.Degraded || s.Active.Sequence != 3 {
		t.Errorf("status %+v, problem %+v", s, s.Problem)
	}
}

func TestABundleThatAStartCouldNotKeepIsTriedAgain(t *testing.T) {
	private, public := keyPair(t)
	o := &origin{archive: archive(t, files(t), 1, private), etag: `"1"`}
	server := httptest.NewServer(o)
	defer server.Close()
	var late atomic.Bool // the clock, past what a failure is left alone for
	options := activation.Options{
		Source: server.URL + "/policy.tar.gz", KeyFile: public, Poll: 5 * time.Millisecond, DataDir: t.TempDir(),
		Now: func() time.Time {
			if late.Load() {
				return time.Now().Add(time.Hour)
			}
			return time.Now()
		},
	}
	if err := open(t, options).Close(); err != nil {
		t.Fatal(err)
	}
	// A folder in the place of its file: as on a full disk, the next one can't be kept.
	place := filepath.Join(options.DataDir, "policy", "2.tar.gz")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	o.set(func(o *origin) { o.archive, o.etag = archive(t, readers(t), 2, private), `"2"` })
	f := open(t, options)
	if s := f.Status(); !failedAt(activation.StepKeep)(s) || s.Active.Sequence != 1 {
		t.Fatalf("status %+v", s)
	}
	o.set(func(o *origin) { o.full, o.saved = 0, 0 })
	f.until(t, "it is left alone for a while", func(activation.Status) bool { full, saved := o.answers(); return full+saved > 5 })
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	late.Store(true)
	f.until(t, "the bundle is activated", func(s activation.Status) bool { return !s.Degraded && s.Active.Sequence == 2 })
}

func TestABundleWithoutRulesIsAProblemForAsLongAsItIsThere(t *testing.T) {
	private, public := keyPair(t)
	o := &origin{archive: archive(t, files(t), 1, private), etag: `"1"`}
	server := httptest.NewServer(o)
	defer server.Close()
	f := open(t, activation.Options{Source: server.URL + "/policy.tar.gz", KeyFile: public, Poll: 5 * time.Millisecond})
	o.set(func(o *origin) { o.archive, o.etag = archive(t, bundle.Snapshot{}, 2, private), `"2"` })
	f.until(t, "it is refused", failedAt(activation.StepRead))
	asked, _ := o.answers()
	f.until(t, "the server is asked again and again", func(activation.Status) bool {
		full, saved := o.answers()
		return full+saved > asked+5
	})
	if s := f.Status(); !failedAt(activation.StepRead)(s) {
		t.Errorf("status %+v", s)
	}
	o.set(func(o *origin) { o.archive, o.etag = archive(t, files(t), 3, private), `"3"` })
	f.until(t, "the next one is activated", func(s activation.Status) bool { return !s.Degraded && s.Active.Sequence == 3 })
}

func TestWhatIsKeptIsABundleThatReviewersCanRead(t *testing.T) {
	data := t.TempDir()
	f := open(t, activation.Options{DataDir: data})
	if _, err := f.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(data, "policy", "2.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := bundle.ReadArchive(bytes.NewReader(raw))
	if err != nil || kept.Digest() != readers(t).Digest() {
		t.Errorf("%v", err)
	}
}
