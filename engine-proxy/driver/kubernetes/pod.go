package kubernetes

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Port is the one on which every engine listens.
const Port = 8443

// Where a pod finds what is its own.
const (
	insideSecret = "/run/secrets/svc"
	insideTmp    = "/tmp"
)

// container is the name of a pod's one container.
const container = "engine"

// stopGrace is how long an engine has that is ended by anyone but Stop, which
// has a grace of its own.
const stopGrace = 60

// podIPVariable holds the address of an engine's pod.
const podIPVariable = "POD_IP"

// pod returns the pod of an engine that may hold room bytes in its volume. What
// is not written here an engine does not have; nothing here can be changed by
// a project.
func (d *Driver) pod(s driver.Spec, room int64, hosts []corev1.HostAlias) *corev1.Pod {
	spec := corev1.PodSpec{
		// The engine proxy decides when an engine runs again.
		RestartPolicy:                 corev1.RestartPolicyNever,
		TerminationGracePeriodSeconds: new(int64(stopGrace)),
		// No way to the API server.
		ServiceAccountName: "default", AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
		// No way out by names: the egress is all that there is to be found.
		DNSPolicy: corev1.DNSNone, DNSConfig: &corev1.PodDNSConfig{Nameservers: []string{"127.0.0.1"}}, HostAliases: hosts,
		// Something else than the engine collects its orphans, and signals have
		// their usual effect on it.
		ShareProcessNamespace: new(true),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: &d.opts.UID, RunAsGroup: &d.opts.GID, FSGroup: &d.opts.GID,
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers:        []corev1.Container{d.container(s, room)},
		Volumes:           d.volumes(s),
		NodeSelector:      d.opts.NodeSelector,
		PriorityClassName: d.opts.PriorityClass,
	}
	if d.opts.RuntimeClass != "" {
		spec.RuntimeClassName = &d.opts.RuntimeClass
	}
	if d.opts.PullSecret != "" {
		spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: d.opts.PullSecret}}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: podName(s.ProjectID), Labels: d.labels(s), Annotations: map[string]string{noteVolume: s.Volume},
		},
		Spec: spec,
	}
}

func (d *Driver) container(s driver.Spec, room int64) corev1.Container {
	share := corev1.ResourceList{
		corev1.ResourceMemory:           *resource.NewQuantity(d.opts.Limits.Memory, resource.BinarySI),
		corev1.ResourceCPU:              *resource.NewMilliQuantity(d.opts.Limits.CPU, resource.DecimalSI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(d.opts.DiskBytes, resource.BinarySI),
	}
	mounts := []corev1.VolumeMount{{Name: "secret", MountPath: insideSecret, ReadOnly: true}, {Name: "tmp", MountPath: insideTmp}}
	if s.Volume != "" {
		mounts = append([]corev1.VolumeMount{{Name: "volume", MountPath: driverkit.InsideVolume}}, mounts...)
	}
	return corev1.Container{
		Name: container, Image: d.opts.Image, ImagePullPolicy: d.opts.PullPolicy,
		Command: d.opts.Command, Args: arguments(s, room), Env: d.environment(), WorkingDir: cmp.Or(driverkit.VolumeOf(s), insideTmp),
		Ports: []corev1.ContainerPort{{Name: container, ContainerPort: Port}},
		// Requests are limits: an engine gets what it was placed for.
		Resources: corev1.ResourceRequirements{Requests: share, Limits: share},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false), Privileged: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		VolumeMounts: mounts,
		// What is left of a log when the node has thrown it away.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

func (d *Driver) volumes(s driver.Spec) []corev1.Volume {
	var list []corev1.Volume
	if s.Volume != "" {
		list = append(list, corev1.Volume{Name: "volume", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName(s.ProjectID)},
		}})
	}
	return append(list, corev1.Volume{Name: "secret", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secretName(s.InstanceID), DefaultMode: new(int32(0o440))},
	}}, corev1.Volume{Name: "tmp", VolumeSource: corev1.VolumeSource{
		EmptyDir: &corev1.EmptyDirVolumeSource{
			Medium: corev1.StorageMediumMemory, SizeLimit: resource.NewQuantity(d.opts.TmpBytes, resource.BinarySI),
		},
	}})
}

// arguments are an engine's command line inside. The brackets are for
// addresses of IPv6, and do no harm to others.
func arguments(s driver.Spec, room int64) []string {
	return append(driverkit.Task(s), driverkit.Arguments(
		"--volume", driverkit.VolumeOf(s), "--listen", fmt.Sprintf("[$(%s)]:%d", podIPVariable, Port),
		"--project", s.ProjectID, "--instance", s.InstanceID,
		"--token-file", path.Join(insideSecret, fileToken), "--tls-cert", path.Join(insideSecret, fileCert),
		"--tls-key", path.Join(insideSecret, fileKey), "--tls-ca", path.Join(insideSecret, fileCA),
		"--volume-bytes", strconv.FormatInt(room, 10), "--egress", s.Remote.Egress,
	)...)
}

// environment is the same for all engines, but for the address.
func (d *Driver) environment() []corev1.EnvVar {
	env := []corev1.EnvVar{
		{Name: podIPVariable, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
	}
	for _, pair := range driverkit.Environment(insideTmp, insideTmp, d.opts.Env) {
		name, value, _ := strings.Cut(pair, "=")
		env = append(env, corev1.EnvVar{Name: name, Value: value})
	}
	return env
}
