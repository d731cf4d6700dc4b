package docker

import (
	"encoding/json"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/engine-proxy/internal/calls"
)

// profile is a seccomp profile as Docker takes it: the part of its JSON that we
// use.
type profile struct {
	Default string `json:"defaultAction"`
	Errno   uint   `json:"defaultErrnoRet"` // daemons before 22.06 answer EPERM
	ArchMap []arch `json:"archMap"`
	Listed  []rule `json:"syscalls"`
}

type arch struct {
	Architecture string   `json:"architecture"`
	Sub          []string `json:"subArchitectures"`
}

// rule allows system calls, or answers them with an error, when all of its
// conditions hold.
type rule struct {
	Names  []string    `json:"names"`
	Action string      `json:"action"`
	Errno  *uint       `json:"errnoRet,omitempty"`
	Args   []condition `json:"args,omitempty"`
}

// condition is of one argument: that it equals Value, or with opMasked that of
// the bits in Value those of Two are set.
type condition struct {
	Index uint   `json:"index"`
	Value uint64 `json:"value"`
	Two   uint64 `json:"valueTwo"`
	Op    string `json:"op"`
}

const (
	allow    = "SCMP_ACT_ALLOW"
	refuse   = "SCMP_ACT_ERRNO"
	opEqual  = "SCMP_CMP_EQ"
	opMasked = "SCMP_CMP_MASKED_EQ"
)

// seccompProfile is what the daemon is told to leave an engine of the kernel: the
// same as engines that are processes have. "" where there is no list for the
// machine, whose daemon then applies its own.
var seccompProfile = sync.OnceValue(func() string {
	listed := calls.Allowed.Names()
	if len(listed) == 0 {
		return ""
	}
	absent := uint(unix.ENOSYS)
	p := profile{
		Default: refuse, Errno: absent,
		ArchMap: []arch{{"SCMP_ARCH_X86_64", []string{}}, {"SCMP_ARCH_AARCH64", []string{}}},
		Listed: []rule{
			{Names: listed, Action: allow},
			// In a container the engine's user is nobody else's.
			{Names: calls.OnModes.Names(), Action: allow},
			{Names: calls.OnPriority.Names(), Action: allow},
			{Names: calls.OnProcess.Names(), Action: allow},
			{Names: []string{"connect"}, Action: allow}, // to what is mounted: its egress
			{Names: calls.Absent.Names(), Action: refuse, Errno: &absent},
			{Names: []string{"clone"}, Action: allow, Args: []condition{{0, calls.Namespaces, 0, opMasked}}},
			{Names: []string{"memfd_create"}, Action: allow, Args: []condition{{1, calls.NeverRun, calls.NeverRun, opMasked}}},
		},
	}
	for _, kind := range calls.Kinds {
		p.Listed = append(p.Listed, rule{Names: []string{"socket", "socketpair"}, Action: allow, Args: []condition{
			{0, calls.Family, 0, opEqual}, {1, calls.KindMask, uint64(kind), opMasked},
		}})
	}
	// Docker's init takes its terminal, and ends where it is told that it may not.
	for _, request := range append([]uint32{unix.TIOCSPGRP}, calls.Requests...) {
		p.Listed = append(p.Listed, rule{Names: []string{"ioctl"}, Action: allow, Args: []condition{{1, uint64(request), 0, opEqual}}})
	}
	for _, option := range calls.Options {
		p.Listed = append(p.Listed, rule{Names: []string{"prctl"}, Action: allow, Args: []condition{{0, uint64(option), 0, opEqual}}})
	}
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // nothing in it can't be encoded
	}
	return string(raw)
})

// securityOptions are those of every container.
func securityOptions() []string {
	options := []string{"no-new-privileges=true"}
	if profile := seccompProfile(); profile != "" {
		options = append(options, "seccomp="+profile)
	}
	return options
}
