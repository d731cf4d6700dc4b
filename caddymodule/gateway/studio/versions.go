package studio

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// unproven reports whether nobody has played a version. Engines of before say it by its kind
// alone.
func unproven(r contract.Revision) bool {
	return !r.Proven && (r.Unproven || r.Job == "" && r.Kind != "restore")
}

// Green is the newest version before the head that was proven, 0 for none.
func (p projectPage) Green() int {
	for _, r := range p.Revisions {
		if r.ID < p.Workspace.Head && !unproven(r) && r.Kind != "draft" {
			return r.ID
		}
	}
	return 0
}

// Former is what the newest version is compared with: the newest before it that was proven, or
// that which it follows.
func (p projectPage) Former() int {
	if green := p.Green(); green > 0 {
		return green
	}
	return p.Revisions[min(1, len(p.Revisions)-1)].ID
}

// Unproven reports whether nobody has played the newest version.
func (p projectPage) Unproven() bool {
	return slices.ContainsFunc(p.Revisions, func(r contract.Revision) bool { return r.ID == p.Workspace.Head && unproven(r) })
}

// Kept reports whether a version stays however many follow.
func (p projectPage) Kept(r contract.Revision) bool { return r.Kept.After(time.Now()) }

// Cost is what the job that made a version was charged, "" for none that is known.
func (p projectPage) Cost(r contract.Revision) string {
	for _, job := range p.Jobs {
		if r.Job != "" && job.JobID == r.Job && job.Settled {
			return job.TIKSpent.String()
		}
	}
	return ""
}

// Prices says what the project's last jobs cost, "" where none is known.
func (p projectPage) Prices() string {
	var least, most api.TIK
	n := 0
	for _, job := range p.Jobs {
		if !job.Settled || job.TIKSpent == 0 || n == pricedJobs {
			continue
		}
		if n++; n == 1 {
			least, most = job.TIKSpent, job.TIKSpent
		}
		least, most = min(least, job.TIKSpent), max(most, job.TIKSpent)
	}
	switch {
	case n == 0:
		return ""
	case least == most:
		return fmt.Sprintf("The last job cost %s TIK.", most)
	}
	return fmt.Sprintf("The last jobs cost %s to %s TIK.", least, most)
}

// pricedJobs is how many of a project's last jobs say what one costs.
const pricedJobs = 5
