// Package inside is what runs in a pod of package kubetest before the container's
// program does. It is a program of its own, cmd/pod: a test binary that was built
// with the race detector and knows Kubernetes takes long to start.
package inside

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/driver/process/confine"
)

// RoleVariable says which part of a pod a process is.
const RoleVariable = "SVC_KUBETEST_ROLE"

// KilledCode is the exit code of what was killed.
const KilledCode = 128 + int(syscall.SIGKILL)

// The roles.
const (
	RolePod       = "pod"       // the first process of a pod
	roleContainer = "container" // its child, before it becomes the container's program
)

// answerFD is the file on which a pod's first process reports.
const answerFD = 3

// Recipe is what a pod's first process makes.
type Recipe struct {
	Root               string            // an empty folder
	Files              map[string]string // of the image
	Mounts             []Mount
	ReadOnly, Confined bool
	UID, GID, Group    int
	Hosts              string // the lines of /etc/hosts
	Dir                string
	Args, Env          []string
}

// Mount is a folder of the node, or memory, as the container sees it.
type Mount struct {
	Source   string // "" for memory
	Target   string
	ReadOnly bool
	Size     int64 // of memory, in bytes
}

// Report is what a pod's first process says: once when the container runs,
// and once when it has ended.
type Report struct {
	Error string
	Code  int
}

// Main is the life of a process of a pod.
func Main() {
	switch os.Getenv(RoleVariable) {
	case RolePod:
		leadPod()
	case roleContainer:
		becomeContainer()
	}
	os.Exit(1)
}

// leadPod is the first process of a pod.
func leadPod() {
	runtime.LockOSThread()
	answer := json.NewEncoder(os.NewFile(answerFD, "answer"))
	line := json.NewDecoder(os.Stdin)
	var r Recipe
	err := line.Decode(&r)
	if err == nil {
		err = r.furnish()
	}
	var child *os.Process
	if err == nil {
		child, err = r.begin()
	}
	if err != nil {
		_ = answer.Encode(Report{Error: err.Error()}) // or nobody listens
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		for range asked {
			_ = child.Signal(syscall.SIGTERM) // unless it has ended
		}
	}()
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1)) // returns when the node is gone
		os.Exit(1)
	}()
	_ = answer.Encode(Report{})
	_ = answer.Encode(Report{Code: reap(child.Pid)})
	os.Exit(0) // and everything in the pod with it
}

// reap waits for everything that ends until the container does, and returns
// how that ended.
func reap(pid int) int {
	for {
		var status unix.WaitStatus
		ended, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return KilledCode
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal())
		case ended == pid:
			return status.ExitStatus()
		}
	}
}

// furnish makes the container's file system, seen by nobody else. This process
// stays outside, where what it is made of is.
func (r *Recipe) furnish() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("leaving the node's mounts: %w", err)
	}
	if err := unix.Mount("root", r.Root, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("mounting root: %w", err)
	}
	for inside, path := range r.Files {
		if err := r.bind(Mount{Source: path, Target: inside, ReadOnly: true}); err != nil {
			return err
		}
	}
	for _, m := range r.Mounts {
		if err := r.bind(m); err != nil {
			return err
		}
	}
	if err := r.system(); err != nil {
		return err
	}
	if r.ReadOnly {
		if err := unix.Mount("", r.Root, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			return fmt.Errorf("making root read-only: %w", err)
		}
	}
	return nil
}

// bind mounts what a container sees of the node, or memory.
func (r *Recipe) bind(m Mount) error {
	target := filepath.Join(r.Root, m.Target)
	if m.Source == "" {
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		return unix.Mount("memory", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size="+strconv.FormatInt(m.Size, 10))
	}
	info, err := os.Stat(m.Source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		err = os.WriteFile(target, nil, 0o600)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(m.Source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("mounting %s: %w", m.Target, err)
	}
	if m.ReadOnly {
		return unix.Mount("", target, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")
	}
	return nil
}

// system mounts what every container has.
func (r *Recipe) system() error {
	for _, dir := range []string{"proc", "dev", "etc"} {
		if err := os.MkdirAll(filepath.Join(r.Root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(r.Root, "etc", "hosts"), []byte("127.0.0.1 localhost\n"+r.Hosts), 0o644); err != nil {
		return err
	}
	if err := unix.Mount("proc", filepath.Join(r.Root, "proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	for _, device := range []string{"null", "zero", "full", "random", "urandom"} {
		if err := r.bind(Mount{Source: "/dev/" + device, Target: "/dev/" + device}); err != nil {
			return err
		}
	}
	return r.bind(Mount{Target: "/dev/shm", Size: 64 << 20})
}

// begin starts the container's program.
func (r *Recipe) begin() (*os.Process, error) {
	info, err := os.Stat(filepath.Join(r.Root, r.Args[0]))
	if err != nil {
		return nil, fmt.Errorf("exec: %q: no such file or directory", r.Args[0])
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return nil, fmt.Errorf("exec: %q: permission denied", r.Args[0])
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	null, err := os.Open("/dev/null")
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return os.StartProcess("/proc/self/exe", []string{"container", string(raw)}, &os.ProcAttr{
		Env: []string{RoleVariable + "=" + roleContainer}, Files: []*os.File{null, os.Stdout, os.Stderr},
	})
}

// becomeContainer gives up what the container may not have and runs its
// program.
func becomeContainer() {
	var r Recipe
	err := json.NewDecoder(strings.NewReader(os.Args[1])).Decode(&r)
	if err == nil {
		err = errors.Join(unix.Chroot(r.Root), os.Chdir(filepath.Join("/", r.Dir)))
	}
	if err == nil && r.Confined {
		runtime.LockOSThread()
		if err = confine.DropPrivileges(r.UID, r.GID); err == nil {
			err = forbidNamespaces()
		}
	}
	if err == nil {
		err = syscall.Exec(r.Args[0], r.Args, r.Env)
	}
	fmt.Fprintln(os.Stderr, "kubetest:", err)
}

// forbidNamespaces does of a runtime's usual filter what the drivers' suite looks
// for: nobody in a container makes a namespace.
func forbidNamespaces() error {
	const made = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
		unix.CLONE_NEWPID | unix.CLONE_NEWNET
	const load, equal, anyOf, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
		unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	const number, firstArgument = 0, 16 // offsets in struct seccomp_data
	program := []unix.SockFilter{
		{Code: load, K: number},
		{Code: equal, Jt: 6, K: unix.SYS_UNSHARE},
		{Code: equal, Jt: 5, K: unix.SYS_SETNS},
		{Code: equal, Jt: 5, K: unix.SYS_CLONE3},
		{Code: equal, Jf: 2, K: unix.SYS_CLONE},
		{Code: load, K: firstArgument},
		{Code: anyOf, Jt: 1, K: made},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&filter)))
	if e != 0 {
		return fmt.Errorf("forbidding namespaces: %w", e)
	}
	return nil
}
