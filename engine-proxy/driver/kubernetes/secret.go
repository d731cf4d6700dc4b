package kubernetes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// Files of an engine's secret.
const (
	fileToken = "token"
	fileCert  = "tls.crt"
	fileKey   = "tls.key"
	fileCA    = "ca.crt"
)

// deliver makes the secret of an incarnation, which goes when its pod does.
// The kubelet waits for it. The driver never needs to read one.
func (d *Driver) deliver(ctx context.Context, s driver.Spec, pod *corev1.Pod) error {
	_, err := d.secrets.Create(ctx, d.secret(s, pod), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return failed("making the engine's secret", err)
	}
	return nil
}

// secret returns that of an incarnation, which belongs to its pod.
func (d *Driver) secret(s driver.Spec, pod *corev1.Pod) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: secretName(s.InstanceID), Labels: d.labels(s),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}},
		},
		Immutable: new(true),
		Data: map[string][]byte{
			fileToken: []byte(s.Remote.Token), fileCert: s.Remote.Cert, fileKey: s.Remote.Key, fileCA: s.Remote.CA,
		},
	}
}

// withdraw deletes the secret of an incarnation.
func (d *Driver) withdraw(ctx context.Context, instanceID string) error {
	name := secretName(instanceID)
	err := d.secrets.Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !saysAbsent(err, name) {
		return driverkit.Unavailable(err)
	}
	return nil
}
