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

	"github.com/svc-games/svc/block"
	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/fleet"
)

// Kubernetes holds the options of the driver kubernetes. Namespace is required.
type Kubernetes struct {
	// How volumes are mounted: ReadWriteOncePod, or ReadWriteOnce where storage
	// does not know that. Default: ReadWriteOncePod.
	Access string `json:"access,omitempty"`

	// The cores of an engine, for example 0.5. Default: 1.
	CPUs float64 `json:"cpus,omitempty"`

	// What an engine's log and other traces may take on its node, in bytes.
	// Default: 256 MiB.
	Disk int64 `json:"disk,omitempty"`

	// Where the engine proxy listens for engines that call models, for example
	// :7444. Models need it.
	EgressListen string `json:"egress_listen,omitempty"`

	// The https address by which engines know it. Models need it, and every
	// engine keeps the one that it was started with.
	EgressURL string `json:"egress_url,omitempty"`

	// The image that engines run from. Default: $SVC_ENGINE_IMAGE, else
	// svc-engine:slim.
	Image string `json:"image,omitempty"`

	// The name that tells the engines of several services in one namespace
	// apart. Default: svc.
	Installation string `json:"installation,omitempty"`

	// The file that says how to reach the cluster, and as whom. Default:
	// $KUBECONFIG, else as a pod of the cluster.
	Kubeconfig string `json:"kubeconfig,omitempty"`

	// The memory of an engine in bytes, its /tmp included. Default: 512 MiB.
	Memory int64 `json:"memory,omitempty"`

	// The namespace of the engines, with nothing else in it.
	Namespace string `json:"namespace,omitempty"`

	// The labels of the nodes that may run engines, as a=b,c=d. Default: all
	// may.
	NodeSelector string `json:"node_selector,omitempty"`

	// How long an engine waits for a node with room, for example 2m where the
	// cluster grows by itself. Default: 30s.
	Place string `json:"place,omitempty"`

	// A priority class that the cluster knows, below the gateway's. Default:
	// the cluster's own.
	PriorityClass string `json:"priority_class,omitempty"`

	// When nodes pull the image: never, when it is missing, or always. Default:
	// missing.
	Pull string `json:"pull,omitempty"`

	// The secret of the namespace by which nodes pull the image. Default: none.
	PullSecret string `json:"pull_secret,omitempty"`

	// A runtime class that the cluster knows. Default: the nodes' own runtime.
	RuntimeClass string `json:"runtime_class,omitempty"`

	// The class of the projects' volumes. Default: the cluster's own.
	StorageClass string `json:"storage_class,omitempty"`

	// The size of an engine's /tmp in bytes. Default: 64 MiB.
	Tmp int64 `json:"tmp,omitempty"`

	// The user and group id of engines. Default: 65532.
	User int64 `json:"user,omitempty"`

	// The most bytes that a project's volume may hold, which its engine keeps
	// to. The claim is larger, and one that exists keeps its size. Default:
	// 256 MiB.
	Volume int64 `json:"volume,omitempty"`
}

// Caddyfile are the options as the Caddyfile has them. Syntax:
//
//	driver kubernetes {
//	    namespace      <name>
//	    kubeconfig     <path>
//	    installation   <name>
//	    image          <name>
//	    pull           never|missing|always
//	    pull_secret    <name>
//	    storage_class  <name>
//	    access         ReadWriteOncePod|ReadWriteOnce
//	    volume         <size>
//	    memory         <size>
//	    cpus           <number>
//	    tmp            <size>
//	    disk           <size>
//	    user           <id>
//	    runtime_class  <name>
//	    priority_class <name>
//	    node_selector  <label>=<value>[,...]
//	    place          <duration>
//	    egress_listen  <address>
//	    egress_url     <url>
//	}
func (o *Kubernetes) Caddyfile() block.Options {
	return block.Options{
		{Name: "namespace", Form: "<name>", Read: block.Text(&o.Namespace), Default: "required", Meaning: "namespace of the engines, with nothing else in it"},
		{Name: "kubeconfig", Form: "<path>", Read: block.Text(&o.Kubeconfig), Default: "`$KUBECONFIG`, else as a pod of the cluster",
			Meaning: "kubeconfig file of the cluster"},
		{Name: "installation", Form: "<name>", Read: block.Text(&o.Installation), Default: "`svc`",
			Meaning: "tells the engines of several services in one namespace apart"},
		{Name: "image", Form: "<name>", Read: block.Text(&o.Image), Default: "`$SVC_ENGINE_IMAGE`, else `svc-engine:slim`",
			Meaning: "the engines' image; name it by digest to pin it"},
		{Name: "pull", Form: "never|missing|always", Read: block.Text(&o.Pull), Default: "`missing`",
			Meaning: "when nodes pull the image: `never`, `missing`, `always`"},
		{Name: "pull_secret", Form: "<name>", Read: block.Text(&o.PullSecret), Default: "none",
			Meaning: "the namespace's secret for pulling the image"},
		{Name: "storage_class", Form: "<name>", Read: block.Text(&o.StorageClass), Default: "the cluster's", Meaning: "class of the projects' volumes"},
		{Name: "access", Form: "ReadWriteOncePod|ReadWriteOnce", Read: block.Text(&o.Access), Default: "`ReadWriteOncePod`",
			Meaning: "how the projects' volumes are mounted; `ReadWriteOnce` for storage that does not know the other"},
		{Name: "volume", Form: "<size>", Read: block.Size(&o.Volume), Default: "`256MiB`",
			Meaning: "what a project's volume may hold, as above. The claim is for an eighth and 96 MiB more, which its file system takes, and for 1 GiB at least. " +
				"One that exists keeps its size, and its engine to what fits in it. It goes with the project"},
		{Name: "memory", Form: "<size>", Read: block.Size(&o.Memory), Default: "`512MiB`",
			Meaning: "memory of an engine, `/tmp` included: what it is placed for and what it may use"},
		{Name: "cpus", Form: "<number>", Read: block.Cores(&o.CPUs), Default: "`1`", Meaning: "cores of an engine, likewise"},
		{Name: "tmp", Form: "<size>", Read: block.Size(&o.Tmp), Default: "`64MiB`", Meaning: "size of `/tmp`, which is memory"},
		{Name: "disk", Form: "<size>", Read: block.Size(&o.Disk), Default: "`256MiB`", Meaning: "disk for an engine's log and other files on its node"},
		{Name: "user", Form: "<id>", Read: block.Count(&o.User), Default: "`65532`", Meaning: "user and group id of engines"},
		{Name: "runtime_class", Form: "<name>", Read: block.Text(&o.RuntimeClass), Default: "the nodes'", Meaning: "for instance `gvisor`"},
		{Name: "priority_class", Form: "<name>", Read: block.Text(&o.PriorityClass), Default: "the cluster's", Meaning: "the engines' priority class, below the gateway's"},
		{Name: "node_selector", Form: "<label>=<value>[,...]", Read: block.Text(&o.NodeSelector), Default: "all nodes",
			Meaning: "the labels of the nodes that may run engines, as `a=b,c=d`"},
		{Name: "place", Form: "<duration>", Read: block.Text(&o.Place), Default: "`30s`",
			Meaning: "how long an engine waits for a node with room; longer where the cluster grows by itself. The start's deadlines grow with it"},
		{Name: "egress_listen", Form: "<address>", Read: block.Text(&o.EgressListen), Default: "none",
			Meaning: "where the engine proxy listens for engines' calls to models; needed for models"},
		{Name: "egress_url", Form: "<url>", Read: block.Text(&o.EgressURL), Default: "none",
			Meaning: "the address that engines use for it; needed for models. An engine keeps the address that it was started with"},
	}
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

// openKubernetes returns the driver kubernetes.
func (o Options) openKubernetes(ctx context.Context) (*kubernetes.Driver, error) {
	options, err := o.kubernetes().options(o.Command, o.Logger)
	if err != nil {
		return nil, err
	}
	d, err := kubernetes.New(options)
	if err != nil {
		return nil, err
	}
	return d, o.check(ctx, "Kubernetes", d)
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

func (o Options) kubernetes() *Kubernetes { return cmp.Or(o.Kubernetes, new(Kubernetes)) }
