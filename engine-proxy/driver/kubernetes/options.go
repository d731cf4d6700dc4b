package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/svc-games/svc/engine-proxy/driver"
)

// Options of New. Namespace and Image are required; other zero fields get
// their defaults.
type Options struct {
	// Kubeconfig is the path of a file that says how to reach the cluster, and
	// as whom. Default: as a pod of the cluster, by its service account.
	Kubeconfig string
	// Namespace of the engines' pods. Nothing else should be in it.
	Namespace string
	// Installation tells the engines of several services in one namespace
	// apart; default "svc". Another one's are left alone.
	Installation string

	// Image to run. Name it by digest to be sure of what runs.
	Image string
	// PullPolicy is when nodes pull the image; default IfNotPresent.
	PullPolicy corev1.PullPolicy
	// PullSecret is the name of the secret by which nodes pull the image;
	// default: none.
	PullSecret string
	// Command replaces the image's entry point; default: the image's. It is
	// an absolute path with its first arguments.
	Command []string
	// Env is added to the engines' environment, as NAME=VALUE. It is seen by
	// everyone who may read pods, so no secret belongs there.
	Env []string

	// StorageClass of the projects' volumes; default: the cluster's own.
	StorageClass string
	// AccessMode of the projects' volumes. Default ReadWriteOncePod, by which
	// the cluster itself keeps a volume to one pod; ReadWriteOnce for storage
	// that does not know it.
	AccessMode corev1.PersistentVolumeAccessMode

	// UID and GID that engines run as; default 65532.
	UID, GID int64
	// Limits of a pod. Defaults: 512 MiB of memory, /tmp included, one core,
	// and 256 MiB in the project's volume, whose claim is larger; claims that
	// exist keep their size, and an engine to what fits in its own. The others
	// are the node's to set, and are refused.
	Limits driver.Limits
	// TmpBytes is the size of /tmp, which is memory; default 64 MiB.
	TmpBytes int64
	// DiskBytes is what an engine's log and other traces on its node may take
	// before the node ends it; default 256 MiB.
	DiskBytes int64
	// LogBytes is the most that is read of a log; default 1 MiB.
	LogBytes int64

	// RuntimeClass is one the cluster knows, gvisor for instance; default: the
	// nodes' own runtime.
	RuntimeClass string
	// PriorityClass is one the cluster knows, below that of the gateway;
	// default: the cluster's own.
	PriorityClass string
	// NodeSelector are the labels of the nodes that may run engines; default:
	// all may.
	NodeSelector map[string]string
	// PlaceTimeout is how long a pod waits for a node with room before the
	// start fails; default 30 seconds. A cluster that grows by itself takes
	// longer.
	PlaceTimeout time.Duration

	Logger *zap.Logger
}

// Validate checks the options without asking the cluster.
func (o Options) Validate() error { return o.complete() }

func (o *Options) complete() error {
	for _, required := range []struct{ what, value string }{{"namespace", o.Namespace}, {"image", o.Image}} {
		if required.value == "" {
			return fmt.Errorf("kubernetes: the %s is required", required.what)
		}
	}
	o.Installation = cmp.Or(o.Installation, "svc")
	for _, name := range []struct{ what, value string }{
		{"namespace", o.Namespace}, {"installation", o.Installation}, {"pull secret", o.PullSecret},
		{"storage class", o.StorageClass}, {"runtime class", o.RuntimeClass}, {"priority class", o.PriorityClass},
	} {
		if wrong := validation.IsDNS1123Subdomain(name.value); name.value != "" && (len(wrong) > 0 || len(name.value) > validation.DNS1123LabelMaxLength) {
			return fmt.Errorf("kubernetes: the %s %q is not a name that Kubernetes accepts", name.what, name.value)
		}
	}
	if len(o.Command) > 0 && !path.IsAbs(o.Command[0]) {
		return fmt.Errorf("kubernetes: the command must be an absolute path, is %q", o.Command[0])
	}
	if err := o.completeChoices(); err != nil {
		return err
	}
	return o.completeSizes()
}

func (o *Options) completeChoices() error {
	o.PullPolicy = cmp.Or(o.PullPolicy, corev1.PullIfNotPresent)
	if !slices.Contains([]corev1.PullPolicy{corev1.PullIfNotPresent, corev1.PullAlways, corev1.PullNever}, o.PullPolicy) {
		return fmt.Errorf("kubernetes: pull must be %s, %s or %s, is %q", corev1.PullIfNotPresent, corev1.PullAlways, corev1.PullNever, o.PullPolicy)
	}
	o.AccessMode = cmp.Or(o.AccessMode, corev1.ReadWriteOncePod)
	if o.AccessMode != corev1.ReadWriteOncePod && o.AccessMode != corev1.ReadWriteOnce {
		return fmt.Errorf("kubernetes: the access mode must be %s or %s, is %q", corev1.ReadWriteOncePod, corev1.ReadWriteOnce, o.AccessMode)
	}
	o.Logger = cmp.Or(o.Logger, zap.NewNop())
	return nil
}

func (o *Options) completeSizes() error {
	l := &o.Limits
	if l.PIDs != 0 || l.Files != 0 {
		return errors.New("kubernetes: limits of processes and of open files are set on the nodes, not here")
	}
	if min(l.Memory, l.CPU, o.TmpBytes, o.DiskBytes, o.LogBytes, l.Volume, o.UID, o.GID, int64(o.PlaceTimeout)) < 0 {
		return errors.New("kubernetes: limits, sizes, times and user ids must not be negative")
	}
	o.UID = cmp.Or(o.UID, 65532)
	o.GID = cmp.Or(o.GID, o.UID)
	l.Memory = cmp.Or(l.Memory, 512<<20)
	l.CPU = cmp.Or(l.CPU, 1000)
	l.Volume = cmp.Or(l.Volume, 256<<20)
	o.TmpBytes = cmp.Or(o.TmpBytes, 64<<20)
	o.DiskBytes = cmp.Or(o.DiskBytes, 256<<20)
	o.LogBytes = cmp.Or(o.LogBytes, 1<<20)
	o.PlaceTimeout = cmp.Or(o.PlaceTimeout, 30*time.Second)
	return nil
}
