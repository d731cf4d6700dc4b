package kubernetes

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// labelApp is on everything that the driver makes, beside the labels of all
// engines.
const labelApp = "app.kubernetes.io/name"

// Annotations. Those of a claim say which incarnation was the last that might
// start on the volume.
const (
	noteVolume     = "svc.engine/volume" // Spec.Volume
	noteGeneration = "svc.engine/generation"
	noteInstance   = "svc.engine/instance"
)

// App is the value of the label app.kubernetes.io/name of every engine.
const App = "svc-engine"

// labels name what an incarnation consists of.
func (d *Driver) labels(s driver.Spec) map[string]string {
	own := driverkit.Labels(d.opts.Installation, s)
	own[labelApp] = App
	return own
}

// projectLabels name what outlives an incarnation.
func (d *Driver) projectLabels(projectID string) map[string]string {
	return map[string]string{
		labelApp: App, driverkit.LabelInstallation: d.opts.Installation, driverkit.LabelProject: projectID,
		driverkit.LabelSchema: driverkit.Schema,
	}
}

// ours selects the pods of this installation.
func (d *Driver) ours() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: labels.Set{
		labelApp: App, driverkit.LabelInstallation: d.opts.Installation,
	}.String()}
}

// podName is the project's, not the incarnation's: the API server then never
// has two pods on one volume.
func podName(projectID string) string { return "svc-engine-" + projectID }

func claimName(projectID string) string { return "svc-volume-" + projectID }

// secretName is unique, because an instance is never started twice.
func secretName(instanceID string) string { return "svc-engine-" + strings.ToLower(instanceID) }
