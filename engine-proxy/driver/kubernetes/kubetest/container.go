package kubetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/svc-games/svc/engine-proxy/driver/kubernetes/kubetest/inside"
)

// container is a running one, with whatever it started.
type container struct {
	cmd  *exec.Cmd // the pod's first process; everything in the pod ends with it
	done chan struct{}
	exit int // what a kubelet would say, once done is closed

	mu   sync.Mutex // guards over
	over bool       // the process has been waited for: its id may be another's
}

// start makes the pod's container from its spec, which the API server has
// admitted.
func (p *pod) start(address string) (*container, error) {
	inner, err := p.recipe(address)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(inner)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	answers, answer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	cmd := exec.Command(p.node.program)
	cmd.Env = []string{inside.RoleVariable + "=" + inside.RolePod}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{answer}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
	}
	line, err := cmd.StdinPipe() // the pod ends when it does
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &container{cmd: cmd, done: make(chan struct{})}
	read := json.NewDecoder(answers)
	var made inside.Report
	_, err = line.Write(append(config, '\n'))
	if err == nil {
		err = read.Decode(&made)
	}
	if err == nil && made.Error != "" {
		err = errors.New(made.Error)
	}
	if err != nil {
		_ = cmd.Process.Kill() // it ends by itself
		_ = cmd.Wait()
		return nil, errors.Join(err, answers.Close())
	}
	go c.await(read, line, answers)
	return c, nil
}

// await waits for the end of the pod's first process.
func (c *container) await(read *json.Decoder, files ...io.Closer) {
	last := inside.Report{Code: inside.KilledCode}
	_ = read.Decode(&last) // one that was killed says nothing
	_ = c.cmd.Wait()       // it has said how it ended
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	for _, f := range files {
		_ = f.Close()
	}
	c.exit = last.Code
	close(c.done)
}

// ask asks the container to end.
func (c *container) ask() { c.signal(syscall.SIGTERM) }

// kill ends the container with all that it started, and waits for that.
func (c *container) kill() {
	c.signal(syscall.SIGKILL)
	<-c.done
}

func (c *container) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		_ = c.cmd.Process.Signal(sig) // unless it has ended just now
	}
}

// recipe translates the pod's spec into what its first process does.
func (p *pod) recipe(address string) (inside.Recipe, error) {
	object := p.now()
	c := object.Spec.Containers[0]
	image, ok := p.node.image(c.Image)
	if !ok {
		return inside.Recipe{}, fmt.Errorf("no image %s", c.Image)
	}
	var err error
	if err := os.MkdirAll(p.dir, 0o711); err != nil {
		return inside.Recipe{}, err
	}
	r := inside.Recipe{Root: filepath.Join(p.dir, "root"), Files: image.Files, Dir: c.WorkingDir, Args: image.Entrypoint}
	if err := os.MkdirAll(r.Root, 0o755); err != nil {
		return inside.Recipe{}, err
	}
	if len(c.Command) > 0 {
		r.Args = c.Command
	}
	if r.Env, err = p.given(image); err != nil {
		return inside.Recipe{}, err
	}
	values := map[string]string{}
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom != nil && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "status.podIP" {
			value = address
		}
		values["$("+e.Name+")"] = value
		r.Env = append(r.Env, e.Name+"="+value)
	}
	r.Args = slices.Clone(r.Args)
	for _, arg := range c.Args {
		for name, value := range values {
			arg = strings.ReplaceAll(arg, name, value)
		}
		r.Args = append(r.Args, arg)
	}
	p.secure(&r)
	for _, alias := range object.Spec.HostAliases {
		r.Hosts += alias.IP + " " + strings.Join(alias.Hostnames, " ") + "\n"
	}
	for _, m := range c.VolumeMounts {
		if err := p.mount(&r, m); err != nil {
			return inside.Recipe{}, fmt.Errorf("preparing volume %s: %w", m.Name, err)
		}
	}
	return r, nil
}

// secure takes over what the spec says of security, and nothing that it does
// not say.
func (p *pod) secure(r *inside.Recipe) {
	spec := p.now().Spec
	outer, inner := spec.SecurityContext, spec.Containers[0].SecurityContext
	if outer == nil {
		outer = new(corev1.PodSecurityContext)
	}
	if inner == nil {
		inner = new(corev1.SecurityContext)
	}
	r.UID, r.GID, r.Group = int(value(outer.RunAsUser)), int(value(outer.RunAsGroup)), int(value(outer.FSGroup))
	r.ReadOnly = value(inner.ReadOnlyRootFilesystem)
	dropped := inner.Capabilities != nil && slices.Contains(inner.Capabilities.Drop, "ALL") && len(inner.Capabilities.Add) == 0
	filtered := outer.SeccompProfile != nil && outer.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault
	r.Confined = dropped && filtered && inner.AllowPrivilegeEscalation != nil && !*inner.AllowPrivilegeEscalation
}

func value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// mount prepares a volume of the pod and adds it to the recipe.
func (p *pod) mount(r *inside.Recipe, m corev1.VolumeMount) error {
	object := p.now()
	at := slices.IndexFunc(object.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
	if at < 0 {
		return errors.New("the pod has no such volume")
	}
	v := object.Spec.Volumes[at]
	source := filepath.Join(p.dir, "volume-"+m.Name)
	var size int64
	var err error
	switch {
	case v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory:
		source, size = "", v.EmptyDir.SizeLimit.Value()
	case v.EmptyDir != nil:
		err = giveFolder(source, 0, r.Group, 0o2777)
	case v.Secret != nil:
		err = p.writeSecret(source, v.Secret, r.Group)
	case v.ConfigMap != nil:
		err = p.writeConfig(source, v.ConfigMap.Name)
	case v.Projected != nil:
		err = p.writeAccount(source, r.Group)
	case v.PersistentVolumeClaim != nil:
		source, err = p.claim(v.PersistentVolumeClaim.ClaimName, r.Group)
	default:
		err = errors.New("the node knows no such kind of volume")
	}
	r.Mounts = append(r.Mounts, inside.Mount{Source: source, Target: m.MountPath, ReadOnly: m.ReadOnly, Size: size})
	return err
}

// given is what a container finds in its environment that its spec does not write out.
func (p *pod) given(image Image) ([]string, error) {
	object := p.now()
	env := slices.Clone(image.Env)
	account := slices.ContainsFunc(object.Spec.Volumes, func(v corev1.Volume) bool { return v.Projected != nil })
	if server, err := url.Parse(p.node.host); err == nil && account {
		env = append(env, "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port())
	}
	for _, from := range object.Spec.Containers[0].EnvFrom {
		secret, err := p.node.api.CoreV1().Secrets(object.Namespace).Get(p.node.ctx, from.SecretRef.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) && value(from.SecretRef.Optional) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for name, data := range secret.Data {
			env = append(env, name+"="+string(data))
		}
	}
	return env, nil
}

// writeConfig makes the folder of a ConfigMap.
func (p *pod) writeConfig(dir, name string) error {
	config, err := p.node.api.CoreV1().ConfigMaps(p.now().Namespace).Get(p.node.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	err = giveFolder(dir, 0, 0, 0o755)
	for name, data := range config.Data {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	return err
}

// writeAccount makes the folder by which a pod is its service account.
func (p *pod) writeAccount(dir string, group int) error {
	object := p.now()
	token, err := p.node.api.CoreV1().ServiceAccounts(object.Namespace).CreateToken(p.node.ctx, object.Spec.ServiceAccountName,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(p.node.authority)
	if err != nil {
		return err
	}
	err = giveFolder(dir, 0, group, 0o2750)
	for name, data := range map[string][]byte{"token": []byte(token.Status.Token), "ca.crt": authority, "namespace": []byte(object.Namespace)} {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.WriteFile(path, data, 0o640), os.Chown(path, 0, group))
	}
	return err
}

func giveFolder(path string, uid, gid int, mode os.FileMode) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return errors.Join(os.Chown(path, uid, gid), syscall.Chmod(path, uint32(mode)))
}

func (p *pod) writeSecret(dir string, from *corev1.SecretVolumeSource, group int) error {
	secret, err := p.node.api.CoreV1().Secrets(p.now().Namespace).Get(p.node.ctx, from.SecretName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := giveFolder(dir, 0, group, 0o2750); err != nil {
		return err
	}
	for name, data := range secret.Data {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o400); err != nil {
			return err
		}
		if err := errors.Join(os.Chown(path, 0, group), os.Chmod(path, os.FileMode(*from.DefaultMode))); err != nil {
			return err
		}
	}
	return nil
}

// claim returns the folder of a claim, which it binds.
func (p *pod) claim(name string, group int) (string, error) {
	claims := p.node.api.CoreV1().PersistentVolumeClaims(p.now().Namespace)
	claim, err := claims.Get(p.node.ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	folder, err := p.node.folder(claim)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	// The group of the pod's file systems owns all that is in them.
	err = filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return err
		}
		mode := uint32(info.Mode().Perm()) | 0o660
		if info.IsDir() {
			mode |= 0o2770
		}
		return errors.Join(os.Lchown(path, -1, group), syscall.Chmod(path, mode))
	})
	if err == nil && claim.Status.Phase != corev1.ClaimBound {
		// A patch: an engine proxy may write its mark meanwhile.
		bound := fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":{"phase":%q}}`, claim.UID, corev1.ClaimBound)
		_, err = claims.Patch(p.node.ctx, name, types.MergePatchType, bound, metav1.PatchOptions{}, "status")
	}
	return folder, err
}

// nextAddress returns an address of loopback that no other pod is likely to
// have: pods of the node share the machine's network.
func nextAddress() string {
	part := func() string { return strconv.Itoa(1 + rand.IntN(254)) }
	return strings.Join([]string{"127", part(), part(), part()}, ".")
}
