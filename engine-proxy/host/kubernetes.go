package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/fleet"
)

// Kubernetes holds the options of the driver kubernetes. Namespace is required.
type Kubernetes struct {
	// The file that says how to reach the cluster, and as whom. Default:
	// $KUBECONFIG, else as a pod of the cluster.
	Kubeconfig string `json:"kubeconfig,omitempty"`

	// The namespace of the engines, with nothing else in it.
	Namespace string `json:"namespace,omitempty"`

	// The name that tells the engines of several services in one namespace
	// apart. Default: svc.
	Installation string `json:"installation,omitempty"`

	// The image that engines run from. Default: $SVC_ENGINE_IMAGE, else
	// svc-engine:slim.
	Image string `json:"image,omitempty"`

	// When nodes pull the image: never, when it is missing, or always. Default:
	// missing.
	Pull string `json:"pull,omitempty"`

	// The secret of the namespace by which nodes pull the image. Default: none.
	PullSecret string `json:"pull_secret,omitempty"`

	// The class of the projects' volumes. Default: the cluster's own.
	StorageClass string `json:"storage_class,omitempty"`

	// How volumes are mounted: ReadWriteOncePod, or ReadWriteOnce where storage
	// does not know that. Default: ReadWriteOncePod.
	Access string `json:"access,omitempty"`

	// The most bytes that a project's volume may hold, which its engine keeps
	// to. The claim is larger, and one that exists keeps its size. Default:
	// 256 MiB.
	Volume int64 `json:"volume,omitempty"`

	// The memory of an engine in bytes, its /tmp included. Default: 512 MiB.
	Memory int64 `json:"memory,omitempty"`

	// The cores of an engine, for example 0.5. Default: 1.
	CPUs float64 `json:"cpus,omitempty"`

	// The size of an engine's /tmp in bytes. Default: 64 MiB.
	Tmp int64 `json:"tmp,omitempty"`

	// What an engine's log and other traces may take on its node, in bytes.
	// Default: 256 MiB.
	Disk int64 `json:"disk,omitempty"`

	// The user and group id of engines. Default: 65532.
	User int64 `json:"user,omitempty"`

	// A runtime class that the cluster knows. Default: the nodes' own runtime.
	RuntimeClass string `json:"runtime_class,omitempty"`

	// A priority class that the cluster knows, below the gateway's. Default:
	// the cluster's own.
	PriorityClass string `json:"priority_class,omitempty"`

	// The labels of the nodes that may run engines, as a=b,c=d. Default: all
	// may.
	NodeSelector string `json:"node_selector,omitempty"`

	// How long an engine waits for a node with room, for example 2m where the
	// cluster grows by itself. Default: 30s.
	Place string `json:"place,omitempty"`

	// Where the engine proxy listens for engines that call models, for example
	// :7444. Models need it.
	EgressListen string `json:"egress_listen,omitempty"`

	// The https address by which engines know it. Models need it, and every
	// engine keeps the one that it was started with.
	EgressURL string `json:"egress_url,omitempty"`
}

// pulls are the words for when an image is pulled.
var pulls = map[string]corev1.PullPolicy{
	"": "", "never": corev1.PullNever, "missing": corev1.PullIfNotPresent, "always": corev1.PullAlways,
}

// standardPlace is how long the core's deadlines foresee for placing a pod.
const standardPlace = 30 * time.Second

// options are those of the driver. An engine's program, where one is given, is
// a path in the image.
func (o *Kubernetes) options(command string, logger *zap.Logger) (kubernetes.Options, error) {
	pull, known := pulls[o.Pull]
	if !known {
		return kubernetes.Options{}, fmt.Errorf("driver kubernetes: pull must be never, missing or always, is %q", o.Pull)
	}
	nodes, err := parseLabels(o.NodeSelector)
	if err != nil {
		return kubernetes.Options{}, fmt.Errorf("driver kubernetes: node_selector: %w", err)
	}
	place, err := o.place()
	if err != nil {
		return kubernetes.Options{}, err
	}
	options := kubernetes.Options{
		Kubeconfig: cmp.Or(o.Kubeconfig, os.Getenv("KUBECONFIG")), Namespace: o.Namespace, Installation: o.Installation,
		Image: cmp.Or(o.Image, os.Getenv("SVC_ENGINE_IMAGE"), "svc-engine:slim"), PullPolicy: pull, PullSecret: o.PullSecret,
		StorageClass: o.StorageClass, AccessMode: corev1.PersistentVolumeAccessMode(o.Access),
		Limits:   driver.Limits{Memory: o.Memory, CPU: int64(o.CPUs * 1000), Volume: o.Volume},
		TmpBytes: o.Tmp, DiskBytes: o.Disk, UID: o.User, RuntimeClass: o.RuntimeClass, PriorityClass: o.PriorityClass,
		NodeSelector: nodes, PlaceTimeout: place, Logger: logger,
	}
	if command != "" {
		options.Command = []string{command}
	}
	return options, nil
}

// place reads how long an engine waits for a node; 0 is the default.
func (o *Kubernetes) place() (time.Duration, error) {
	if o.Place == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(o.Place)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("driver kubernetes: place must be a duration like 2m, is %q", o.Place)
	}
	return d, nil
}

// parseLabels reads a=b,c=d.
func parseLabels(s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	labels := make(map[string]string)
	for pair := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not like a=b,c=d", s)
		}
		if _, twice := labels[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		labels[name] = value
	}
	return labels, nil
}

// validate refuses what can't work without asking the cluster.
func (o *Kubernetes) validate(command string, models bool) error {
	options, err := o.options(command, nil)
	if err != nil {
		return err
	}
	if err := options.Validate(); err != nil {
		return err
	}
	if (o.EgressListen == "") != (o.EgressURL == "") {
		return errors.New("driver kubernetes: egress_listen and egress_url belong together")
	}
	if o.EgressURL != "" && !strings.HasPrefix(o.EgressURL, "https://") {
		return fmt.Errorf("driver kubernetes: egress_url must begin with https://, is %q", o.EgressURL)
	}
	if models && o.EgressListen == "" {
		return errors.New("driver kubernetes: engines call models by an address: egress_listen and egress_url are missing")
	}
	return nil
}

// openKubernetes returns the driver kubernetes. An API server that can't be
// asked may come back; one that takes no engines as configured is refused.
func (o Options) openKubernetes(ctx context.Context) (*kubernetes.Driver, error) {
	options, err := o.kubernetes().options(o.Command, o.Logger)
	if err != nil {
		return nil, err
	}
	d, err := kubernetes.New(options)
	if err != nil {
		return nil, err
	}
	err = d.Check(ctx)
	if errors.Is(err, driver.ErrFatalSpec) {
		return nil, errors.Join(fmt.Errorf("checking Kubernetes: %w", err), d.Close())
	}
	if err != nil {
		o.Logger.Error("no engine can be started before Kubernetes answers", zap.Error(err))
	}
	return d, nil
}

// timing gives pods the time that placing them may take.
func (o *Kubernetes) timing(t fleet.Timing) (fleet.Timing, error) {
	place, err := o.place()
	if more := place - standardPlace; err == nil && more > 0 {
		t.Create = cmp.Or(t.Create, fleet.DefaultCreate) + more
		t.Start = cmp.Or(t.Start, fleet.DefaultStart) + more
	}
	return t, err
}

func (o Options) kubernetes() *Kubernetes {
	if o.Kubernetes == nil {
		return new(Kubernetes)
	}
	return o.Kubernetes
}
