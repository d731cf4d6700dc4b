// Package kubernetes runs engines as pods of a Kubernetes cluster: one pod per
// incarnation, one claim of a volume per project, one secret per incarnation.
//
// The API server is the only memory. A pod's name is that of its project, so
// that there are never two of one project; labels tell whose it is, and the
// claim's annotations which incarnation was the last that might start. What the
// API server does not say is not concluded: an engine is gone when its pod is,
// or when a kubelet has said that it ended.
package kubernetes

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	networkingv1 "k8s.io/client-go/kubernetes/typed/networking/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Name is the driver's name in handles.
const Name = "kubernetes"

// Driver starts, finds and stops engine pods.
type Driver struct {
	opts Options

	// A clientset would bring the clients of everything else into the program.
	pods     corev1.PodInterface
	secrets  corev1.SecretInterface
	claims   corev1.PersistentVolumeClaimInterface
	policies networkingv1.NetworkPolicyInterface

	killTimeout time.Duration

	ended   driverkit.Events // of engines, for Watch
	changed driverkit.Events // of their pods, for until; those without ids say that some may have been missed
	end     context.CancelFunc
	watcher sync.WaitGroup
}

// New returns a driver. The API server need not be there yet: until it
// answers, every call returns driver.ErrUnavailable.
func New(opts Options) (*Driver, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	config, err := opts.config()
	if err != nil {
		return nil, fmt.Errorf("kubernetes: reading how to reach the cluster: %w", err)
	}
	core, err := corev1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the Kubernetes client: %w", err)
	}
	network, err := networkingv1.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("preparing the Kubernetes client: %w", err)
	}
	d := &Driver{
		opts: opts, pods: core.Pods(opts.Namespace), secrets: core.Secrets(opts.Namespace),
		claims: core.PersistentVolumeClaims(opts.Namespace), policies: network.NetworkPolicies(opts.Namespace),
		killTimeout: killTimeout,
	}
	ctx, end := context.WithCancel(context.Background())
	d.end = end
	if err := d.follow(ctx); err != nil {
		end()
		return nil, fmt.Errorf("preparing to watch pods: %w", err)
	}
	clientSays.Store(opts.Logger)
	return d, nil
}

// config says how the API server is reached: by the file that was named, or as
// a pod of the cluster.
func (o Options) config() (*rest.Config, error) {
	var config *rest.Config
	var err error
	if o.Kubeconfig == "" {
		config, err = rest.InClusterConfig()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	}
	if err != nil {
		return nil, err
	}
	config.UserAgent = "svc-engine-proxy"
	config.WarningHandlerWithContext = &warnings{log: o.Logger, seen: make(map[string]struct{})}
	config.QPS = -1 // the engine proxy bounds its starts, and the API server everyone
	return config, nil
}

// Name implements driver.Driver.
func (d *Driver) Name() string { return Name }

// Close ends the watch. Engines run on.
func (d *Driver) Close() error {
	d.end()
	d.watcher.Wait()
	clientSays.CompareAndSwap(d.opts.Logger, nil)
	return nil
}

// Capabilities implements driver.Driver. They are what a pod's spec asks of a
// runtime that keeps to it. The network is left to a policy, which some
// clusters ignore; limits of processes are the node's own.
func (d *Driver) Capabilities() driver.Capabilities {
	return driver.Capabilities{Files: true, Processes: true, Privileges: true}
}

var _ driver.Remote = (*Driver)(nil)
