package sidecar

import (
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
)

// Reach is the requests that a decision is good for: all that agree in what the policy
// reads of them. The zero Reach is all requests.
type Reach struct {
	Reads policy.Reads
	// Request has what is read, else "". The time is not in it, which bounds how long the
	// decision is good.
	Request peer.Request
}

// ReachOf returns the reach of a decision on a request.
func ReachOf(reads policy.Reads, r peer.Request) Reach {
	s := Reach{Reads: reads}
	if !reads.Known() { // a sidecar of a later version knows more facts: good for this request alone
		s.Request.ID = r.ID
	}
	if reads&policy.ReadsIP != 0 {
		s.Request.IP = r.IP
	}
	if reads&policy.ReadsMethod != 0 {
		s.Request.Method = r.Method
	}
	if reads&policy.ReadsUserAgent != 0 {
		s.Request.UserAgent = r.UserAgent
	}
	return s
}

// Timed reports whether the decision is good for policy.TimedLife alone.
func (s Reach) Timed() bool { return s.Reads&policy.ReadsTime != 0 }
