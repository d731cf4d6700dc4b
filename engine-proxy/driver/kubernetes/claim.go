package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// fence sees to it that the project has a volume, and that no older
// incarnation starts on it from now on. It refuses an older one, and returns
// the volume's claim.
func (d *Driver) fence(ctx context.Context, s driver.Spec) (*corev1.PersistentVolumeClaim, error) {
	name := claimName(s.ProjectID)
	for {
		claim, err := d.claims.Get(ctx, name, metav1.GetOptions{})
		if saysAbsent(err, name) {
			claim, err = d.claims.Create(ctx, d.claim(s), metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				continue
			}
			if err != nil {
				return nil, failed("making the project's volume", err)
			}
			return claim, nil
		}
		if err != nil {
			return nil, failed("looking at the project's volume", err)
		}
		last, err := d.admits(claim, s)
		if err != nil || last {
			return claim, err
		}
		patch, err := d.mark(claim, s)
		if err != nil {
			return nil, err
		}
		claim, err = d.claims.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if apierrors.IsConflict(err) {
			continue // somebody was faster: who?
		}
		if err != nil {
			return nil, failed("fencing the project's volume", err)
		}
		return claim, nil
	}
}

// admits reports whether a claim is marked with this very incarnation, and
// refuses one that is older than the mark.
func (d *Driver) admits(claim *corev1.PersistentVolumeClaim, s driver.Spec) (marked bool, err error) {
	if owner := claim.Labels[driverkit.LabelInstallation]; owner != d.opts.Installation {
		return false, driverkit.Refused(reasonVolume, fmt.Errorf("the claim %s is of the installation %q", claim.Name, owner))
	}
	if claim.DeletionTimestamp != nil {
		return false, driverkit.Blocked(reasonVolume, fmt.Errorf("the claim %s is being deleted", claim.Name))
	}
	last, err := strconv.ParseUint(claim.Annotations[noteGeneration], 10, 64)
	if err != nil {
		return false, driverkit.Refused(reasonVolume, fmt.Errorf("reading the mark of the claim %s: %w", claim.Name, err))
	}
	marked = claim.Annotations[noteInstance] == s.InstanceID
	if last > s.Generation || (last == s.Generation && !marked) {
		return false, driverkit.Blocked(reasonNewer, fmt.Errorf("generation %d is refused: %d was the last on the claim %s", s.Generation, last, claim.Name))
	}
	return marked, nil
}

// confirm looks again after the pod was made: one who was slower than a newer
// incarnation that has come and gone must not run.
func (d *Driver) confirm(ctx context.Context, s driver.Spec) error {
	claim, err := d.claims.Get(ctx, claimName(s.ProjectID), metav1.GetOptions{})
	if err != nil {
		return failed("looking at the project's volume", err)
	}
	marked, err := d.admits(claim, s)
	if err == nil && !marked {
		err = driverkit.Blocked(reasonNewer, errors.New("the mark of the claim has changed"))
	}
	return err
}

// mark is the patch that names the incarnation, of exactly the claim that was
// seen.
func (d *Driver) mark(claim *corev1.PersistentVolumeClaim, s driver.Spec) ([]byte, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": claim.UID, "resourceVersion": claim.ResourceVersion, "annotations": marks(s),
	}})
	if err != nil {
		return nil, fmt.Errorf("encoding the mark of a claim: %w", err)
	}
	return patch, nil
}

func marks(s driver.Spec) map[string]string {
	return map[string]string{
		noteGeneration: strconv.FormatUint(s.Generation, 10), noteInstance: s.InstanceID, noteVolume: s.Volume,
	}
}

// claim returns that of a project's first start.
func (d *Driver) claim(s driver.Spec) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: claimName(s.ProjectID), Labels: d.projectLabels(s.ProjectID), Annotations: marks(s),
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{d.opts.AccessMode},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: *resource.NewQuantity(claimBytes(d.opts.Limits.Volume), resource.BinarySI),
			}},
		},
	}
	if d.opts.StorageClass != "" {
		claim.Spec.StorageClassName = &d.opts.StorageClass
	}
	return claim
}

// deletePoll is the pace at which a deleted claim is looked for: the cluster
// lets it go once it has seen that no pod uses it.
const deletePoll = 200 * time.Millisecond

// DeleteVolume implements driver.Remote. What becomes of the data is up to the
// storage class. A claim of another installation is left alone.
func (d *Driver) DeleteVolume(ctx context.Context, projectID string) error {
	name := claimName(projectID)
	for asked := false; ; asked = true {
		claim, err := d.claims.Get(ctx, name, metav1.GetOptions{})
		if saysAbsent(err, name) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("looking at the project's volume: %w", driverkit.Unavailable(err))
		}
		if owner := claim.Labels[driverkit.LabelInstallation]; owner != d.opts.Installation {
			return fmt.Errorf("deleting the project's volume: the claim %s is of the installation %q", name, owner)
		}
		if !asked {
			if err := d.claims.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !saysAbsent(err, name) {
				return fmt.Errorf("deleting the project's volume: %w", driverkit.Unavailable(err))
			}
			continue
		}
		if clock.Sleep(ctx, clock.System{}, deletePoll) != nil {
			return fmt.Errorf("waiting for the project's volume to go: %w", ctx.Err())
		}
	}
}
