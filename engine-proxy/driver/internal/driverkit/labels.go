package driverkit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Labels by which a daemon or a cluster knows an engine. No name or value comes
// from a user of the service.
const (
	LabelInstallation = "svc.engine/installation"
	LabelProject      = "svc.engine/project"
	LabelOwner        = "svc.engine/owner-hash"
	LabelGeneration   = "svc.engine/generation"
	LabelInstance     = "svc.engine/instance"
	LabelSchema       = "svc.engine/schema"
)

// Schema is the version of the labels' meaning.
const Schema = "1"

// Labels returns an engine's labels.
func Labels(installation string, s driver.Spec) map[string]string {
	return map[string]string{
		LabelInstallation: installation,
		LabelProject:      s.ProjectID,
		LabelOwner:        ShortHash(s.OwnerID),
		LabelGeneration:   strconv.FormatUint(s.Generation, 10),
		LabelInstance:     s.InstanceID,
		LabelSchema:       Schema,
	}
}

// Labelled returns what an engine's labels say of it.
func Labelled(labels map[string]string) driver.Observed {
	generation, _ := strconv.ParseUint(labels[LabelGeneration], 10, 64) // 0 for a label that is no number
	return driver.Observed{ProjectID: labels[LabelProject], InstanceID: labels[LabelInstance], Generation: generation}
}

// EventOf is an event of an engine with these labels.
func EventOf(labels map[string]string) driver.Event {
	return driver.Event{ProjectID: labels[LabelProject], InstanceID: labels[LabelInstance]}
}

// ShortHash names a text that may be no label's value.
func ShortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
