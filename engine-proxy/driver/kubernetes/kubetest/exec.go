package kubetest

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Exec runs a program of a pod's image beside the pod's own, as the same user and with the
// same environment, as "kubectl exec" and a kubelet's probes do, and returns what it wrote.
func (n *Node) Exec(ctx context.Context, namespace, name string, command ...string) (string, error) {
	p := n.find(namespace, name)
	if p == nil {
		return "", fmt.Errorf("the node has no pod %s/%s", namespace, name)
	}
	p.mu.Lock()
	c := p.running
	p.mu.Unlock()
	if c == nil {
		return "", fmt.Errorf("%s/%s does not run", namespace, name)
	}
	spec := p.now().Spec
	image, _ := n.image(spec.Containers[0].Image)
	env, err := p.given(image)
	if err != nil {
		return "", err
	}
	for _, e := range spec.Containers[0].Env {
		env = append(env, e.Name+"="+e.Value)
	}
	user := fmt.Sprintf("--userspec=%d:%d", value(spec.SecurityContext.RunAsUser), value(spec.SecurityContext.RunAsGroup))
	args := append([]string{fmt.Sprintf("--mount=/proc/%d/ns/mnt", c.cmd.Process.Pid), "chroot", user, filepath.Join(p.dir, "root")}, command...)
	cmd := exec.CommandContext(ctx, "nsenter", args...)
	cmd.Env = append(env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s in %s: %w%s", strings.Join(command, " "), name, err, words(err))
	}
	return string(out), nil
}
