package kubernetes

import (
	"io"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	driver "github.com/svc-games/svc/engine-proxy/driver/kubernetes"
	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest"
	"github.com/svc-games/svc/sidecar/host"
)

func TestEnginesReachTheEgressAloneAndOnlyTheEngineProxyReachesThem(t *testing.T) {
	inEach(t, func(t manifests) {
		peer := networkingv1.NetworkPolicyPeer{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": ours}},
			PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": "svc-engine-proxy"}},
		}
		got, want := named[*networkingv1.NetworkPolicy](t, engines, driver.PolicyName), kubetest.Policy(engines, peer, 7444)
		if !reflect.DeepEqual(got.Spec, want.Spec) {
			t.Errorf("the policy is %+v\nand must be %+v", got.Spec, want.Spec)
		}
	})
}

func TestWhatIsNotAllowedIsDeniedInBothNamespaces(t *testing.T) {
	inEach(t, func(t manifests) {
		for _, namespace := range []string{ours, engines} {
			p := named[*networkingv1.NetworkPolicy](t, namespace, "default-deny")
			if p.Spec.PodSelector.String() != (&metav1.LabelSelector{}).String() || len(p.Spec.PolicyTypes) != 2 || len(p.Spec.Ingress)+len(p.Spec.Egress) != 0 {
				t.Errorf("%s: %+v", namespace, p.Spec)
			}
		}
		// Every part has a policy, and each names ports.
		for _, d := range of[*appsv1.Deployment](t) {
			p := named[*networkingv1.NetworkPolicy](t, ours, d.Name)
			if !reflect.DeepEqual(p.Spec.PodSelector.MatchLabels, d.Spec.Selector.MatchLabels) {
				t.Errorf("the policy %s selects %v", p.Name, p.Spec.PodSelector)
			}
			for _, rule := range p.Spec.Ingress {
				if len(rule.Ports) == 0 {
					t.Errorf("the policy %s lets in at every port", p.Name)
				}
			}
			for _, rule := range p.Spec.Egress {
				if len(rule.Ports) == 0 {
					t.Errorf("the policy %s lets out to every port", p.Name)
				}
			}
		}
	})
}

// TestTheSidecarReachesTheInternetAndNothingBesideIt: it posts to addresses that users
// choose.
func TestTheSidecarReachesTheInternetAndNothingBesideIt(t *testing.T) {
	inEach(t, func(t manifests) {
		lets := func(address string) bool {
			for _, rule := range named[*networkingv1.NetworkPolicy](t, ours, "svc-sidecar").Spec.Egress {
				if !slices.ContainsFunc(rule.Ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntValue() == 443 }) {
					continue
				}
				for _, to := range rule.To {
					if to.IPBlock == nil {
						t.Fatalf("port 443 is open to %+v", to)
					}
					within := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(netip.MustParseAddr(address)) }
					if within(to.IPBlock.CIDR) && !slices.ContainsFunc(to.IPBlock.Except, within) {
						return true
					}
				}
			}
			return false
		}
		for address, want := range map[string]bool{
			"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
			"10.96.0.1": false, "169.254.169.254": false, "172.20.0.5": false, "192.168.1.1": false, "fd00::1": false, "fe80::1": false,
		} {
			if got := lets(address); got != want {
				t.Errorf("port 443 of %s: open %t", address, got)
			}
		}
	})
}

// TestPrometheusReachesTheMetricsOfEveryPartAndNothingElse: its certificate opens /metrics
// and /healthz alone at the ports that a namespace with the label may reach.
func TestPrometheusReachesTheMetricsOfEveryPartAndNothingElse(t *testing.T) {
	inEach(t, func(t manifests) {
		for name, port := range map[string]int{"svc-gateway": 9180, "svc-sidecar": 8181, "svc-engine-proxy": 7443} {
			var reached []int
			for _, rule := range named[*networkingv1.NetworkPolicy](t, ours, name).Spec.Ingress {
				if slices.ContainsFunc(rule.From, func(p networkingv1.NetworkPolicyPeer) bool {
					return p.NamespaceSelector != nil && p.NamespaceSelector.MatchLabels["svc-monitor"] == "true"
				}) {
					for _, p := range rule.Ports {
						reached = append(reached, p.Port.IntValue())
					}
				}
			}
			if !slices.Equal(reached, []int{port}) {
				t.Errorf("of %s it reaches the ports %v, and there are metrics at %d", name, reached, port)
			}
			if !slices.ContainsFunc(named[*appsv1.Deployment](t, ours, name).Spec.Template.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool {
				return int(p.ContainerPort) == port
			}) {
				t.Errorf("%s has no port %d", name, port)
			}
		}
		none := func(string) string { return "" }
		side, err := host.ParseFlags(named[*appsv1.Deployment](t, ours, "svc-sidecar").Spec.Template.Spec.Containers[0].Args, none, io.Discard)
		if err != nil || side.OPA.String() != ":8181" || !slices.Equal(side.OPANames, []string{"monitor"}) || slices.Contains(side.Names, "monitor") {
			t.Errorf("the sidecar lets %v and %v in: %v", side.Names, side.OPANames, err)
		}
		_, site, found := strings.Cut(config(t, "svc-gateway")["Caddyfile"], "\n:9180 {\n")
		if site, _, _ = strings.Cut(site, "\n}\n"); !found || !strings.HasSuffix(site, "\n\tmetrics") {
			t.Error("the gateway serves no metrics at port 9180")
		}
	})
}
