package kubetest

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/svc-games/svc/test/freeport"
)

// account is the name of the service accounts that Kubeconfig makes.
const account = "engine-proxy"

// Namespace makes a namespace that admits none but restricted pods.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	name := "test-" + strings.ToLower(rand.Text()[:10])
	_, err := c.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}, metav1.CreateOptions{})
	must(t, err)
	// Which the controller manager makes elsewhere.
	_, err = c.Admin.CoreV1().ServiceAccounts(name).Create(t.Context(), &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(t, err)
	}
	t.Cleanup(func() {
		if err := c.Admin.CoreV1().Namespaces().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error("removing namespace:", err)
		}
	})
	return name
}

// Kubeconfig makes a service account with these rules in a namespace, and
// returns the path of a file by which a client is that account.
func (c *Cluster) Kubeconfig(t testing.TB, namespace string, rules []rbacv1.PolicyRule) string {
	t.Helper()
	name := account + "-" + strings.ToLower(rand.Text()[:6])
	meta := metav1.ObjectMeta{Name: name}
	_, err := c.Admin.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	must(t, err)
	_, err = c.Admin.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	must(t, err)
	_, err = c.Admin.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace}},
	}, metav1.CreateOptions{})
	must(t, err)
	return c.As(t, namespace, name)
}

// As returns the path of a file by which a client is a service account that is
// there.
func (c *Cluster) As(t testing.TB, namespace, name string) string {
	t.Helper()
	seconds := int64(24 * time.Hour / time.Second) // longer than any test run
	token, err := c.Admin.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}, metav1.CreateOptions{})
	must(t, err)
	return c.writeKubeconfig(t, c.Config.Host, token.Status.Token)
}

// Deaf returns the path of a file by which a client asks where no API server
// is.
func (c *Cluster) Deaf(t testing.TB) string {
	t.Helper()
	return c.writeKubeconfig(t, "https://"+freeport.Address(t), "nobody")
}

func (c *Cluster) writeKubeconfig(t testing.TB, host, token string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{
		Server: host, CertificateAuthority: c.Config.CAFile, CertificateAuthorityData: c.Config.CAData,
	}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	config.CurrentContext = "test"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(*config, path))
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
