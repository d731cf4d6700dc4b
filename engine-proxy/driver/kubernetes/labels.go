package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Labels of everything that the driver makes. No name or value comes from a
// tenant.
const (
	labelApp          = "app.kubernetes.io/name"
	labelInstallation = "svc.engine/installation"
	labelProject      = "svc.engine/project"
	labelOwner        = "svc.engine/owner-hash"
	labelGeneration   = "svc.engine/generation"
	labelInstance     = "svc.engine/instance"
	labelSchema       = "svc.engine/schema"
)

// Annotations. Those of a claim say which incarnation was the last that might
// start on the volume.
const (
	noteVolume     = "svc.engine/volume" // Spec.Volume
	noteGeneration = "svc.engine/generation"
	noteInstance   = "svc.engine/instance"
)

// schema is the version of the labels' meaning.
const schema = "1"

// App is the value of the label app.kubernetes.io/name of every engine.
const App = "svc-engine"

// labels name what an incarnation consists of.
func (d *Driver) labels(s driver.Spec) map[string]string {
	own := d.projectLabels(s.ProjectID)
	own[labelOwner] = shortHash(s.OwnerID)
	own[labelGeneration] = strconv.FormatUint(s.Generation, 10)
	own[labelInstance] = s.InstanceID
	return own
}

// projectLabels name what outlives an incarnation.
func (d *Driver) projectLabels(projectID string) map[string]string {
	return map[string]string{
		labelApp: App, labelInstallation: d.opts.Installation, labelProject: projectID, labelSchema: schema,
	}
}

// ours selects the pods of this installation.
func (d *Driver) ours() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: labels.Set{labelApp: App, labelInstallation: d.opts.Installation}.String()}
}

// podName is the project's, not the incarnation's: the API server then never
// has two pods on one volume.
func podName(projectID string) string { return "svc-engine-" + projectID }

func claimName(projectID string) string { return "svc-volume-" + projectID }

// secretName is unique, because an instance is never started twice.
func secretName(instanceID string) string { return "svc-engine-" + strings.ToLower(instanceID) }

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
