package bundle

import (
	"encoding/json"
	"fmt"
)

// Manifest is what a bundle says of itself, in OPA's format.
type Manifest struct {
	// Revision is the author's name for the policy. The service names policies
	// by a hash of their rules and does not rely on it.
	Revision    string   `json:"revision,omitempty"`
	RegoVersion *int     `json:"rego_version,omitempty"`
	Metadata    Metadata `json:"metadata,omitzero"`
}

// Metadata is our part of a manifest.
type Metadata struct {
	// Sequence numbers the bundles of one author: a service that activated one
	// refuses those with lower numbers. 0 is unnumbered.
	Sequence int64 `json:"sequence,omitempty"`
}

// Manifest reads the manifest; without one it is empty.
func (s Snapshot) Manifest() (Manifest, error) {
	var m Manifest
	text, ok := s[ManifestFile]
	if !ok {
		return m, nil
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("reading %s: %w", ManifestFile, err)
	}
	switch {
	case m.RegoVersion != nil && *m.RegoVersion != 1:
		return m, fmt.Errorf("reading %s: rego_version is %d; policies are Rego v1", ManifestFile, *m.RegoVersion)
	case m.Metadata.Sequence < 0:
		return m, fmt.Errorf("reading %s: metadata.sequence is %d; want a number from 1", ManifestFile, m.Metadata.Sequence)
	}
	return m, nil
}

// SetManifest writes the manifest. A signature made before is void.
func (s Snapshot) SetManifest(m Manifest) error {
	version := 1
	m.RegoVersion = &version
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing %s: %w", ManifestFile, err)
	}
	s[ManifestFile] = append(text, '\n')
	delete(s, SignaturesFile)
	return nil
}
