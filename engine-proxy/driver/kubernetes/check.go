package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// PolicyName is the name of the NetworkPolicy without which no engine starts.
const PolicyName = "svc-engine"

// Check implements driver.Driver. It refuses a namespace without the policy
// that keeps engines from the network, and asks the API server whether it would
// take an engine's pod, which it then does not make. Whether the image is there
// only a node finds out.
func (d *Driver) Check(ctx context.Context) error {
	if err := d.checkPolicy(ctx); err != nil {
		return err
	}
	pod := d.pod(driver.Spec{
		Incarnation: driver.Incarnation{ProjectID: "check", InstanceID: "check"}, Volume: "check", Remote: &driver.RemoteSpec{},
	}, d.opts.Limits.Volume, nil)
	_, err := d.pods.Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err == nil {
		return nil
	}
	if err = failed("asking for an engine's pod", err); errors.Is(err, driver.ErrCapacity) {
		return nil // which is not for ever
	}
	return err
}

func (d *Driver) checkPolicy(ctx context.Context) error {
	policy, err := d.policies.Get(ctx, PolicyName, metav1.GetOptions{})
	if saysAbsent(err, PolicyName) {
		return driverkit.Refused(reasonUnconfined, fmt.Errorf("the namespace %s has no NetworkPolicy %s", d.opts.Namespace, PolicyName))
	}
	if err != nil {
		return failed("looking for the NetworkPolicy", err)
	}
	if err := confines(policy, d.projectLabels("")); err != nil {
		return driverkit.Refused(reasonUnconfined, fmt.Errorf("the NetworkPolicy %s of the namespace %s: %w", PolicyName, d.opts.Namespace, err))
	}
	return nil
}

// confines checks that a policy denies pods with these labels all that it does
// not name.
func confines(p *networkingv1.NetworkPolicy, of map[string]string) error {
	selector, err := metav1.LabelSelectorAsSelector(&p.Spec.PodSelector)
	if err != nil {
		return err
	}
	if !selector.Matches(labels.Set(of)) {
		return errors.New("does not select engines")
	}
	for _, governed := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
		if !slices.Contains(p.Spec.PolicyTypes, governed) {
			return errors.New("must govern both ingress and egress")
		}
	}
	for _, rule := range p.Spec.Ingress {
		if len(rule.From) == 0 || len(rule.Ports) == 0 {
			return errors.New("lets everyone in, or in everywhere")
		}
	}
	for _, rule := range p.Spec.Egress {
		if len(rule.To) == 0 || len(rule.Ports) == 0 {
			return errors.New("lets engines out to everyone, or everywhere")
		}
	}
	return nil
}
