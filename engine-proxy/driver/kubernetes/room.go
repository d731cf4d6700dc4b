package kubernetes

import corev1 "k8s.io/api/core/v1"

// What of a claim an engine can't fill: a share for the file system's own
// tables and what it keeps back for root, and a part that does not grow, for
// its journal and for the half-filled last blocks of 20,000 files.
const (
	systemShare = 8 // one part of so many that an engine may hold
	systemFixed = 96 << 20
)

// leastClaim is the smallest claim: less than that is hardly sold.
const leastClaim = 1 << 30

// claimBytes is the size of a claim in which an engine may hold so much: it
// finds its own limit, and says so, before the file system's.
func claimBytes(volume int64) int64 {
	return max(volume+volume/systemShare+systemFixed, leastClaim)
}

// room is what an engine may hold in its claim: what is configured, unless the
// claim, which keeps its size, is too small for that.
func (d *Driver) room(claim *corev1.PersistentVolumeClaim) int64 {
	bytes := claim.Spec.Resources.Requests.Storage().Value()
	if has := claim.Status.Capacity.Storage().Value(); has > 0 {
		bytes = has
	}
	return min(d.opts.Limits.Volume, fits(bytes))
}

// fits is what an engine may hold in a claim of a size: half of one that is
// smaller than any that this driver makes.
func fits(claim int64) int64 {
	return max((claim-systemFixed)*systemShare/(systemShare+1), claim/2)
}
