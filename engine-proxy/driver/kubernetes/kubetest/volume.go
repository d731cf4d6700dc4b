package kubetest

import (
	"context"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageClass is that of the claims that a test gives folders to.
const StorageClass = "kubetest"

// Folder makes a folder of this machine the volume of a claim, which need not
// be there yet. Whoever runs the claim's pods may write to it.
func (c *Cluster) Folder(t testing.TB, namespace, claim, folder string) {
	t.Helper()
	must(t, os.Chmod(folder, 0o777)) // no node gives such a volume to the pod's group
	volumes, name := c.Admin.CoreV1().PersistentVolumes(), volumeName(namespace, claim)
	_, err := volumes.Create(t.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod},
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: folder}},
			ClaimRef:               &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: namespace, Name: claim},
			StorageClassName:       StorageClass, PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
		},
	}, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		if err := volumes.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error("removing volume:", err)
		}
	})
}

func volumeName(namespace, claim string) string { return strings.Join([]string{namespace, claim}, "-") }

// Image makes an image known by its name, and returns the name to run it by.
// In another cluster there is only one.
func (c *Cluster) Image(name string, image Image) string {
	if c.Node != nil {
		c.Node.AddImage(name, image)
		return name
	}
	return os.Getenv(imageVariable)
}
