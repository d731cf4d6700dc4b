package bundle

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"

	opa "github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/keys"
	"github.com/open-policy-agent/opa/v1/util"
)

// Errors of Verify.
var (
	ErrUnsigned  = errors.New("the policy is not signed")
	ErrSignature = errors.New("the signature is not valid")
)

// hashing is the algorithm of the hashes that a signature holds.
const hashing = opa.SHA256

// builtIn is the name under which OPA signs without a plugin.
const builtIn = "_default"

// Sign writes SignaturesFile: a JWT over the hashes of all files, as OPA
// makes it.
func (s Snapshot) Sign(key SigningKey) error {
	hasher, err := opa.NewSignatureHasher(hashing)
	if err != nil {
		return fmt.Errorf("signing policy: %w", err)
	}
	delete(s, SignaturesFile)
	files := make([]opa.FileInfo, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		// The hash of JSON that OPA reads does not depend on its layout.
		var content any = s[name]
		if opa.IsStructuredDoc(name) {
			content = nil
			if err := util.Unmarshal(s[name], &content); err != nil {
				return fmt.Errorf("signing policy, %s: %w", name, err)
			}
		}
		hash, err := hasher.HashFile(content)
		if err != nil {
			return fmt.Errorf("signing policy, %s: %w", name, err)
		}
		files = append(files, opa.NewFile(name, hex.EncodeToString(hash), hashing.String()))
	}
	token, err := opa.GenerateSignedToken(files, opa.NewSigningConfig(key.path, key.algorithm, ""), keyID)
	if err != nil {
		return fmt.Errorf("signing policy: %w", err)
	}
	text, err := json.Marshal(opa.SignaturesConfig{Signatures: []string{token}})
	if err != nil {
		return fmt.Errorf("signing policy: %w", err)
	}
	s[SignaturesFile] = append(text, '\n')
	return nil
}

// Signed reports whether there is a signature, good or bad.
func (s Snapshot) Signed() bool { return s[SignaturesFile] != nil }

// Verify checks that one of trusted signed exactly these files. It returns
// ErrUnsigned or ErrSignature, wrapped.
func (s Snapshot) Verify(trusted Keys) error {
	_, err := s.SignedBy(trusted)
	return err
}

// SignedBy is Verify, and returns the fingerprint of the key that signed.
func (s Snapshot) SignedBy(trusted Keys) (fingerprint string, err error) {
	if !s.Signed() {
		return "", ErrUnsigned
	}
	var signatures opa.SignaturesConfig
	if err := json.Unmarshal(s[SignaturesFile], &signatures); err != nil {
		return "", fmt.Errorf("%w: reading %s: %w", ErrSignature, SignaturesFile, err)
	}
	if signatures.Plugin != "" && signatures.Plugin != builtIn {
		return "", fmt.Errorf("%w: it was made with the plugin %q", ErrSignature, signatures.Plugin)
	}
	err = ErrSignature
	for _, key := range trusted {
		config := opa.NewVerificationConfig(map[string]*keys.Config{keyID: &key}, keyID, "", nil)
		files, keyErr := opa.VerifyBundleSignature(signatures, config)
		if keyErr == nil {
			return fingerprintOf(key), s.compare(files)
		}
		err = fmt.Errorf("%w: %w", ErrSignature, keyErr)
	}
	return "", err
}

// Fingerprints name the keys, in the order of the names.
func (k Keys) Fingerprints() []string {
	all := make([]string, 0, len(k))
	for _, key := range k {
		all = append(all, fingerprintOf(key))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fingerprintOf names a key, the same for each way in which its file may be laid out.
func fingerprintOf(key keys.Config) string {
	text := []byte(key.Key)
	if block, _ := pem.Decode(text); block != nil {
		text = block.Bytes
		if public, err := parsePublic(block); err == nil {
			if der, err := x509.MarshalPKIXPublicKey(public); err == nil {
				text = der
			}
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// compare holds the files against the hashes that were signed, each for each.
func (s Snapshot) compare(files map[string]opa.FileInfo) error {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if name == SignaturesFile {
			continue
		}
		if err := opa.VerifyBundleFile(name, *bytes.NewBuffer(s[name]), files); err != nil {
			return fmt.Errorf("%w: %w", ErrSignature, err)
		}
	}
	if missing := slices.Sorted(maps.Keys(files)); len(missing) > 0 {
		return fmt.Errorf("%w: %s was signed and is missing", ErrSignature, missing[0])
	}
	return nil
}
