package bundle

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/keys"
)

// keyID names the one key that OPA is given at a time. What a signature says
// about its key is not believed.
const keyID = "policy"

// secretAlgorithm is what a shared secret signs and checks with.
const secretAlgorithm = "HS256"

// minSecret is the least a shared secret may have, in bytes.
const minSecret = 32

// Keys are the keys whose signatures count.
type Keys []keys.Config

// SigningKey signs policies.
type SigningKey struct {
	path      string
	algorithm string
}

// ReadKeys reads the keys that check signatures: public keys or certificates
// in PEM, one after the other, so that a key can be replaced without a gap;
// else the whole file is a shared secret of HMAC-SHA-256.
func ReadKeys(path string) (Keys, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading policy key: %w", err)
	}
	all, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("reading policy key %s: %w", path, err)
	}
	return all, nil
}

func parseKeys(text []byte) (Keys, error) {
	var all Keys
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		public, err := parsePublic(block)
		if err != nil {
			return nil, err
		}
		algorithm, err := algorithmOf(public)
		if err != nil {
			return nil, err
		}
		all = append(all, keys.Config{Key: string(pem.EncodeToMemory(block)), Algorithm: algorithm})
	}
	if len(all) > 0 {
		return all, nil
	}
	return Keys{{Key: string(text), Algorithm: secretAlgorithm}}, checkSecret(text)
}

// ReadSigningKey reads a private key in PEM, or a shared secret. The file
// stays where it is: it is read again to sign.
func ReadSigningKey(path string) (SigningKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return SigningKey{}, fmt.Errorf("reading signing key: %w", err)
	}
	algorithm, err := signingAlgorithm(text)
	if err != nil {
		return SigningKey{}, fmt.Errorf("reading signing key %s: %w", path, err)
	}
	return SigningKey{path, algorithm}, nil
}

func signingAlgorithm(text []byte) (string, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return secretAlgorithm, checkSecret(text)
	}
	public, err := publicOf(block)
	if err != nil {
		return "", err
	}
	return algorithmOf(public)
}

// NewKeyPair makes a key for ES256: the private half to sign with, the public
// half to check with, both in PEM.
func NewKeyPair() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	publicDER, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, nil, fmt.Errorf("making a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicDER}), nil
}

func parsePublic(block *pem.Block) (any, error) {
	switch block.Type {
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	}
	return nil, fmt.Errorf("it holds a %s; signatures are checked with a PUBLIC KEY", block.Type)
}

func publicOf(block *pem.Block) (any, error) {
	var private any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		private, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		private, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		private, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		return nil, fmt.Errorf("it holds a %s; policies are signed with a PRIVATE KEY", block.Type)
	}
	if err != nil {
		return nil, err
	}
	if key, ok := private.(crypto.Signer); ok {
		return key.Public(), nil
	}
	return nil, errUnsupported
}

var errUnsupported = errors.New("want a key of RSA, or of ECDSA with P-256, P-384 or P-521")

// algorithmOf returns the one algorithm that goes with a key.
func algorithmOf(public any) (string, error) {
	switch key := public.(type) {
	case *rsa.PublicKey:
		return "RS256", nil
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return "ES256", nil
		case elliptic.P384():
			return "ES384", nil
		case elliptic.P521():
			return "ES512", nil
		}
	}
	return "", errUnsupported
}

func checkSecret(text []byte) error {
	if len(text) < minSecret {
		return fmt.Errorf("it is neither a key in PEM nor a secret of at least %d bytes", minSecret)
	}
	return nil
}
