package kubetest

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Permissions are what the engine proxy's account must be allowed in the
// engines' namespace, and nothing is to spare. It can't read a secret.
func Permissions() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "create", "patch", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"pods/log"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"create", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"get", "create", "patch", "delete"}},
		{
			APIGroups: []string{networkingv1.GroupName}, Resources: []string{"networkpolicies"},
			ResourceNames: []string{policyName}, Verbs: []string{"get"},
		},
	}
}

// policyName is the name of the NetworkPolicy without which no engine starts.
const policyName = "svc-engine"

// Policy returns the NetworkPolicy that engines need in a namespace: nobody
// but the engine proxy reaches them, and they reach nothing but its egress.
func Policy(namespace string, proxy networkingv1.NetworkPolicyPeer, egressPort int32) *networkingv1.NetworkPolicy {
	ports := func(port int32) []networkingv1.NetworkPolicyPort {
		return []networkingv1.NetworkPolicyPort{{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(port))}}
	}
	peers := []networkingv1.NetworkPolicyPeer{proxy}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: policyName, Namespace: namespace},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": "svc-engine"}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: peers, Ports: ports(8443)}},
			Egress:      []networkingv1.NetworkPolicyEgressRule{{To: peers, Ports: ports(egressPort)}},
		},
	}
}
