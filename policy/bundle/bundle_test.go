package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	opa "github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	opakeys "github.com/open-policy-agent/opa/v1/keys"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/test/keep"
)

// keyPair writes a new pair of keys and returns the paths of both halves.
func keyPair(t *testing.T) (private, public string) {
	t.Helper()
	privateText, publicText, err := bundle.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	return keep.File(t, "key.pem", string(privateText)), keep.File(t, "key.pub.pem", string(publicText))
}

func trust(t *testing.T, path string) bundle.Keys {
	t.Helper()
	keys, err := bundle.ReadKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func shipped(t *testing.T) bundle.Snapshot {
	t.Helper()
	s, err := bundle.ReadDir(policy.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// signed returns the shipped policy with a manifest and a signature.
func signed(t *testing.T, private string) bundle.Snapshot {
	t.Helper()
	s := shipped(t)
	if err := s.SetManifest(bundle.Manifest{Revision: "r1", Metadata: bundle.Metadata{Sequence: 7}}); err != nil {
		t.Fatal(err)
	}
	key, err := bundle.ReadSigningKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sign(key); err != nil {
		t.Fatal(err)
	}
	return s
}

func archive(t *testing.T, s bundle.Snapshot) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.WriteArchive(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestSnapshotIsAFileSystem(t *testing.T) {
	s := shipped(t)
	if err := fstest.TestFS(s, "svc/authz/authz.rego", "mutants.allow"); err != nil {
		t.Error(err)
	}
	if _, err := s.Open("nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}

func TestDirectoryAndArchiveAreOnePolicy(t *testing.T) {
	private, public := keyPair(t)
	s := signed(t, private)
	unpacked, err := bundle.ReadArchive(bytes.NewReader(archive(t, s)))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked.Digest() != s.Digest() || unpacked.Digest() == shipped(t).Digest() {
		t.Error("the archive holds another policy than was put into it")
	}
	if err := unpacked.Verify(trust(t, public)); err != nil {
		t.Error(err)
	}
	if m, err := unpacked.Manifest(); err != nil || m.Metadata.Sequence != 7 || m.Revision != "r1" {
		t.Errorf("manifest %+v, %v", m, err)
	}
	again := archive(t, unpacked)
	if !bytes.Equal(again, archive(t, s)) {
		t.Error("equal snapshots have different archives")
	}
}

func TestDirectoryHoldsOnlyWhatBelongsToAPolicy(t *testing.T) {
	s, err := bundle.ReadDir(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for name := range s {
		if strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "examples/") {
			t.Errorf("%s is part of the policy", name)
		}
	}
	if s["svc/authz/authz_test.rego"] == nil || s["testdata/decisions.golden.tsv"] == nil {
		t.Errorf("files are missing: %v", slices.Sorted(maps.Keys(s)))
	}
}

func TestOPAReadsOurBundlesAndChecksTheirSignature(t *testing.T) {
	private, public := keyPair(t)
	raw := archive(t, signed(t, private))
	read := func(publicKey string) (opa.Bundle, error) {
		text, err := os.ReadFile(publicKey)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]*opakeys.Config{"policy": {Key: string(text), Algorithm: "ES256"}}
		return opa.NewReader(bytes.NewReader(raw)).
			WithBundleVerificationConfig(opa.NewVerificationConfig(keys, "policy", "", nil)).Read()
	}
	b, err := read(public)
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for name := range signed(t, private) {
		if strings.HasSuffix(name, ".rego") {
			rules++
		}
	}
	if len(b.Modules) != rules || rules == 0 || b.Manifest.Revision != "r1" {
		t.Errorf("OPA read %d modules of %d, revision %q", len(b.Modules), rules, b.Manifest.Revision)
	}
	_, other := keyPair(t)
	if _, err := read(other); err == nil {
		t.Error("OPA accepts the signature with another key")
	}
}

func TestBundlesThatOPABuiltAreAccepted(t *testing.T) {
	private, public := keyPair(t)
	// The directory of the shipped policy, without the Go files beside it.
	dir := t.TempDir()
	if err := os.CopyFS(dir, policy.Embedded()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(private)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	metadata := map[string]any{"sequence": 3}
	err = compile.New().WithAsBundle(true).WithPaths(dir).WithRevision("by opa").WithMetadata(&metadata).
		WithRegoVersion(ast.RegoV1).WithOutput(&out).
		WithBundleVerificationKeyID("").
		WithBundleSigningConfig(opa.NewSigningConfig(string(text), "ES256", "")).
		Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := bundle.ReadArchive(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(trust(t, public)); err != nil {
		t.Error(err)
	}
	if m, err := s.Manifest(); err != nil || m.Metadata.Sequence != 3 {
		t.Errorf("manifest %+v, %v", m, err)
	}
	// It is the same policy, and brings its tests along.
	e, err := policy.NewEvaluator(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Sources()) != 6 {
		t.Errorf("%d files", len(e.Sources()))
	}
	if report, err := verify.RunTests(t.Context(), s); err != nil || !report.Passed() {
		t.Errorf("%d tests, %v", len(report.Tests), err)
	}
}

func TestNothingButWhatWasSignedIsAccepted(t *testing.T) {
	private, public := keyPair(t)
	otherPrivate, _ := keyPair(t)
	secret := keep.File(t, "secret", strings.Repeat("s3cret", 10))
	trusted := trust(t, public)
	const rule = "svc/key/key.rego"
	for name, tc := range map[string]struct {
		change func(s bundle.Snapshot) error
		want   error
	}{
		"as it was signed":         {func(bundle.Snapshot) error { return nil }, nil},
		"a rule changed":           {func(s bundle.Snapshot) error { s[rule] = append(s[rule], '\n'); return nil }, bundle.ErrSignature},
		"a file more":              {func(s bundle.Snapshot) error { s["svc/more.rego"] = []byte("package svc.more\n"); return nil }, bundle.ErrSignature},
		"a file less":              {func(s bundle.Snapshot) error { delete(s, "svc/key/key_test.rego"); return nil }, bundle.ErrSignature},
		"another sequence":         {func(s bundle.Snapshot) error { s[".manifest"] = []byte(`{"metadata": {"sequence": 8}}`); return nil }, bundle.ErrSignature},
		"no signature":             {func(s bundle.Snapshot) error { delete(s, bundle.SignaturesFile); return nil }, bundle.ErrUnsigned},
		"signed with another key":  {func(s bundle.Snapshot) error { return sign(s, otherPrivate) }, bundle.ErrSignature},
		"signed with a secret":     {func(s bundle.Snapshot) error { return sign(s, secret) }, bundle.ErrSignature},
		"the public key as secret": {func(s bundle.Snapshot) error { return sign(s, asSecret(t, public)) }, bundle.ErrSignature},
		"signature of no token": {func(s bundle.Snapshot) error {
			s[bundle.SignaturesFile] = []byte(`{"signatures": []}`)
			return nil
		}, bundle.ErrSignature},
		"signature of a plugin": {func(s bundle.Snapshot) error {
			s[bundle.SignaturesFile] = []byte(`{"signatures": ["x"], "plugin": "x"}`)
			return nil
		}, bundle.ErrSignature},
		"signature that is no JSON": {func(s bundle.Snapshot) error { s[bundle.SignaturesFile] = []byte("x"); return nil }, bundle.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			s := signed(t, private)
			if err := tc.change(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Verify(trusted); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if err := signed(t, private).Verify(nil); !errors.Is(err, bundle.ErrSignature) {
		t.Errorf("without a key: %v", err)
	}
}

// asSecret copies a public key into a file that is read as a shared secret.
func asSecret(t *testing.T, public string) string {
	t.Helper()
	text, err := os.ReadFile(public)
	if err != nil {
		t.Fatal(err)
	}
	return keep.File(t, "confused", strings.ReplaceAll(string(text), "-----", ""))
}

func sign(s bundle.Snapshot, path string) error {
	key, err := bundle.ReadSigningKey(path)
	if err != nil {
		return err
	}
	return s.Sign(key)
}

func TestAKeyCanBeReplacedWithoutAGap(t *testing.T) {
	oldPrivate, oldPublic := keyPair(t)
	newPrivate, newPublic := keyPair(t)
	var both string
	for _, path := range []string{oldPublic, newPublic} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		both += string(text)
	}
	trusted := trust(t, keep.File(t, "both.pem", both))
	for _, private := range []string{oldPrivate, newPrivate} {
		if err := signed(t, private).Verify(trusted); err != nil {
			t.Error(err)
		}
	}
}

func TestASharedSecretSignsAndChecks(t *testing.T) {
	secret := keep.File(t, "secret", strings.Repeat("0123456789", 4))
	if err := signed(t, secret).Verify(trust(t, secret)); err != nil {
		t.Error(err)
	}
}

func TestKeysThatDoNotFitAreRefused(t *testing.T) {
	private, public := keyPair(t)
	for name, path := range map[string]string{
		"no file": "no-such-file", "a private key": private, "a short secret": keep.File(t, "s", "short"),
		"broken PEM": keep.File(t, "b", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
	} {
		if _, err := bundle.ReadKeys(path); err == nil || strings.Contains(err.Error(), "short") && name == "a short secret" {
			t.Errorf("to check with, %s: %v", name, err)
		}
	}
	for name, path := range map[string]string{"no file": "no-such-file", "a public key": public, "a short secret": keep.File(t, "s", "short")} {
		if _, err := bundle.ReadSigningKey(path); err == nil {
			t.Errorf("to sign with, %s is accepted", name)
		}
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	pack := func(headers ...tar.Header) []byte {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		w := tar.NewWriter(zipped)
		for _, h := range headers {
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(make([]byte, h.Size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), zipped.Close()); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	many := make([]tar.Header, bundle.MaxFiles+1)
	for i := range many {
		many[i] = tar.Header{Name: strings.Repeat("x", i+1), Mode: 0o644, Typeflag: tar.TypeReg}
	}
	for name, raw := range map[string][]byte{
		"not zipped":     []byte("package x"),
		"cut off":        pack(tar.Header{Name: "x.rego", Size: 100, Typeflag: tar.TypeReg})[:40],
		"a file twice":   pack(tar.Header{Name: "x.rego", Typeflag: tar.TypeReg}, tar.Header{Name: "./y/../x.rego", Typeflag: tar.TypeReg}),
		"a symlink":      pack(tar.Header{Name: "x.rego", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"too large":      pack(tar.Header{Name: "x.rego", Size: bundle.MaxBytes + 1, Typeflag: tar.TypeReg}),
		"too many files": pack(many...),
	} {
		if s, err := bundle.ReadArchive(bytes.NewReader(raw)); err == nil {
			t.Errorf("%s: read %d files", name, len(s))
		}
	}
	s, err := bundle.ReadArchive(bytes.NewReader(pack(tar.Header{Name: "../../etc/x.rego", Typeflag: tar.TypeReg})))
	if err != nil || s["etc/x.rego"] == nil {
		t.Errorf("a path that leads out of the archive: %v, %v", slices.Collect(maps.Keys(s)), err)
	}
}
