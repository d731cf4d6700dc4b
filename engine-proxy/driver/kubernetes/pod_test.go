package kubernetes

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEnginePodsAreAdmittedAsRestrictedAndNothingWeakerIs asks the API server,
// because the fake kubelet proves nothing about confinement.
func TestEnginePodsAreAdmittedAsRestrictedAndNothingWeakerIs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	dryRun := func(pod *corev1.Pod) error {
		_, err := b.pods.Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	made := func() *corev1.Pod { return b.pod(b.spec(t), b.opts.Limits.Volume, nil) }
	if err := dryRun(made()); err != nil {
		t.Fatal(err)
	}
	for what, weaken := range map[string]func(*corev1.PodSpec){
		"root":                  func(s *corev1.PodSpec) { s.SecurityContext.RunAsNonRoot = nil },
		"no system call filter": func(s *corev1.PodSpec) { s.SecurityContext.SeccompProfile = nil },
		"gaining privileges":    func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
		"capabilities":          func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.Capabilities = nil },
		"the node's network":    func(s *corev1.PodSpec) { s.HostNetwork = true },
		"the node's processes":  func(s *corev1.PodSpec) { s.HostPID, s.ShareProcessNamespace = true, nil },
		"a folder of the node": func(s *corev1.PodSpec) {
			s.Volumes = append(s.Volumes, corev1.Volume{Name: "node", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}})
		},
	} {
		pod := made()
		weaken(&pod.Spec)
		if err := dryRun(pod); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "violates PodSecurity") {
			t.Errorf("a pod with %s: %v, want a violation of the restricted level", what, err)
		}
	}
}

// TestEnginePodsHaveNothingToSpare is about what the restricted level leaves
// open.
func TestEnginePodsHaveNothingToSpare(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	b.start(t, s)
	pod := b.all(t)[0]
	spec, c := pod.Spec, pod.Spec.Containers[0]
	for what, ok := range map[string]bool{
		"a restart by others":           spec.RestartPolicy == corev1.RestartPolicyNever,
		"a token of the API server":     !*spec.AutomountServiceAccountToken,
		"the addresses of services":     !*spec.EnableServiceLinks,
		"names to ask for":              spec.DNSPolicy == corev1.DNSNone && len(spec.DNSConfig.Nameservers) == 1 && spec.DNSConfig.Nameservers[0] == "127.0.0.1",
		"a root that can be written":    *c.SecurityContext.ReadOnlyRootFilesystem,
		"the user root":                 *spec.SecurityContext.RunAsUser != 0 && *spec.SecurityContext.RunAsGroup != 0,
		"a deadline that ends its work": spec.ActiveDeadlineSeconds == nil,
		"a second container":            len(spec.Containers) == 1 && len(spec.InitContainers) == 0,
		"other volumes than its own":    len(spec.Volumes) == 3 && spec.Volumes[1].Secret.SecretName == secretName(s.InstanceID),
		"a secret that it can change":   c.VolumeMounts[1].ReadOnly,
		"an endless /tmp":               spec.Volumes[2].EmptyDir.SizeLimit.Value() == b.opts.TmpBytes,
	} {
		if !ok {
			t.Errorf("an engine has %s", what)
		}
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		limit, request := c.Resources.Limits[resource], c.Resources.Requests[resource]
		if limit.IsZero() || limit.Cmp(request) != 0 {
			t.Errorf("%s: limit %s, request %s", resource, limit.String(), request.String())
		}
	}
	if pod.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("its quality of service is %s", pod.Status.QOSClass)
	}
}

func TestSecretsAreInTheSecretAlone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := b.spec(t)
	s.Remote.Key = []byte("the-private-key")
	b.start(t, s)
	pod := b.all(t)[0]
	raw, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	claim, err := b.cluster.Admin.CoreV1().PersistentVolumeClaims(b.namespace).Get(t.Context(), claimName(s.ProjectID), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{s.Remote.Token, "the-private-key"} {
		if strings.Contains(string(raw), secret) || strings.Contains(claim.String(), secret) {
			t.Errorf("%q can be read without the right to read secrets", secret)
		}
	}
	kept, err := b.cluster.Admin.CoreV1().Secrets(b.namespace).Get(t.Context(), secretName(s.InstanceID), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if string(kept.Data[fileToken]) != s.Remote.Token || kept.OwnerReferences[0].UID != pod.UID {
		t.Errorf("the secret does not belong to the pod: %v", kept.OwnerReferences)
	}
}
