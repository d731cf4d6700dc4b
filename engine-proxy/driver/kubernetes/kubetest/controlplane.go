package kubetest

import (
	"context"
	"crypto/x509/pkix"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/svc-games/svc/test/authority"
	"github.com/svc-games/svc/test/child"
	"github.com/svc-games/svc/test/freeport"
)

// ControlPlane is an API server and its etcd.
type ControlPlane struct {
	// Admin may do everything.
	Admin *kubernetes.Clientset
	// Config is what Admin was made of.
	Config *rest.Config

	dir   string
	certs *authority.Authority
	etcd  *child.Server
	api   *child.Server
}

// attempts at starting: an address that was free may be taken a moment later.
const attempts = 3

func startControlPlane() (*ControlPlane, error) {
	var all error
	for range attempts {
		p, err := newControlPlane()
		if err != nil {
			return nil, err
		}
		if err = p.run(); err == nil {
			return p, nil
		}
		all = errors.Join(all, err, p.close())
	}
	return nil, all
}

// newControlPlane prepares everything and starts nothing.
func newControlPlane() (*ControlPlane, error) {
	dir, err := os.MkdirTemp("", "kube")
	if err != nil {
		return nil, err
	}
	etcd, err := tool(toolEtcd, dir)
	if err != nil {
		return nil, err
	}
	server, err := tool(toolAPI, dir)
	if err != nil {
		return nil, err
	}
	// Pods run as users of their own.
	if err := os.Chmod(dir, 0o711); err != nil {
		return nil, err
	}
	p := &ControlPlane{dir: dir}
	if p.certs, err = authority.New(dir); err != nil {
		return nil, err
	}
	for name, who := range map[string]pkix.Name{ // whose groups are those that Kubernetes reads
		"server": {CommonName: "kube-apiserver"}, "admin": {CommonName: "admin", Organization: []string{"system:masters"}},
		"kubelet": {CommonName: "system:node:" + nodeName},
	} {
		if _, err := p.certs.Issue(name, who, "localhost", "127.0.0.1"); err != nil {
			return nil, err
		}
	}
	free, err := freeport.Ports(3)
	if err != nil {
		return nil, err
	}
	p.etcd = p.newEtcd(etcd, address(free[0]), address(free[1]))
	p.api = p.newAPIServer(server, address(free[0]), address(free[2]))
	p.Config = &rest.Config{
		Host: "https://" + address(free[2]), QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAFile: p.certs.Path(authority.CA), CertFile: p.certs.Path("admin.crt"), KeyFile: p.certs.Path("admin.key"),
		},
	}
	p.Admin, err = kubernetes.NewForConfig(p.Config)
	return p, err
}

// address is where a program of the control plane listens at a port.
func address(port string) string { return net.JoinHostPort("127.0.0.1", port) }

func (p *ControlPlane) newEtcd(path, client, peer string) *child.Server {
	crt, key, ca := p.certs.Path("server.crt"), p.certs.Path("server.key"), p.certs.Path(authority.CA)
	return &child.Server{Log: filepath.Join(p.dir, "etcd.log"), Args: []string{
		path, "--data-dir", filepath.Join(p.dir, "etcd"), "--log-level", "warn",
		"--listen-client-urls", "https://" + client, "--advertise-client-urls", "https://" + client,
		"--cert-file", crt, "--key-file", key, "--client-cert-auth", "--trusted-ca-file", ca,
		"--listen-peer-urls", "https://" + peer, "--initial-advertise-peer-urls", "https://" + peer,
		"--initial-cluster", "default=https://" + peer,
		"--peer-cert-file", crt, "--peer-key-file", key, "--peer-client-cert-auth", "--peer-trusted-ca-file", ca,
		"--unsafe-no-fsync", // tests end processes, not machines
	}}
}

func (p *ControlPlane) newAPIServer(path, etcd, address string) *child.Server {
	crt, key, ca := p.certs.Path("server.crt"), p.certs.Path("server.key"), p.certs.Path(authority.CA)
	host, port, _ := net.SplitHostPort(address)
	return &child.Server{Log: filepath.Join(p.dir, "apiserver.log"), Args: []string{
		path, "--etcd-servers", "https://" + etcd, "--etcd-certfile", crt, "--etcd-keyfile", key, "--etcd-cafile", ca,
		"--bind-address", host, "--secure-port", port, "--tls-cert-file", crt, "--tls-private-key-file", key,
		"--client-ca-file", ca, "--authorization-mode", "RBAC", "--cert-dir", p.dir,
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", crt, "--service-account-signing-key-file", key,
		"--request-timeout", "10s", "--service-cluster-ip-range", "10.96.0.0/24", "--external-hostname", host, "--endpoint-reconciler-type", "none",
		"--kubelet-client-certificate", crt, "--kubelet-client-key", key, "--kubelet-certificate-authority", ca,
	}}
}

// run starts what does not run, and returns when the API server is ready.
func (p *ControlPlane) run() error {
	if err := p.etcd.Start(); err != nil {
		return err
	}
	return p.StartAPI()
}

// StartAPI starts the API server, and returns when it is ready.
func (p *ControlPlane) StartAPI() error {
	if err := p.api.Start(); err != nil {
		return err
	}
	return p.api.Answers(func(ctx context.Context) error {
		return p.Admin.CoreV1().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// StopAPI ends the API server as an upgrade does.
func (p *ControlPlane) StopAPI() error { return p.api.End(syscall.SIGTERM) }

// KillAPI ends the API server at once.
func (p *ControlPlane) KillAPI() error { return p.api.End(syscall.SIGKILL) }

func (p *ControlPlane) close() error {
	// The API server would wait for its clients' watches.
	return errors.Join(p.api.End(syscall.SIGKILL), p.etcd.End(syscall.SIGKILL), os.RemoveAll(p.dir))
}
