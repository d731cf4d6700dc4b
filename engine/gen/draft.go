package gen

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/swap"
)

// draftFile keeps a proven game while more is tried on it: it becomes the
// project's when the job fails, also by the end of the engine. What the job
// delivers takes it away in the same step.
const draftFile = ".svc/draft.json"

// maxDraft bounds what is read of a draft, in bytes.
const maxDraft = 128 << 20

// draft is the form of draftFile.
type draft struct {
	JobID   string        `json:"jobId"`
	Changes []swap.Change `json:"changes"`
}

// keep stores the changes as a draft in place of making them.
func (d *delivery) keep(jobID string) error {
	data, err := json.Marshal(draft{JobID: jobID, Changes: d.changes})
	if err != nil {
		return fmt.Errorf("encoding %s: %w", draftFile, err)
	}
	return d.change([]swap.Change{{Name: draftFile, Data: data}}, d.zip)
}

// SettleDraft ends the draft that a job left in its project. With deliver the
// game in it becomes the project's; changed tells whether that is another one.
// The draft of another job, or one that can't be read, is left to the next
// delivery to take away. change is that of a Request; its errors are returned.
func SettleDraft(root *os.Root, change func([]swap.Change, int64) error, jobID string, deliver bool) (changed bool, err error) {
	kept, there := loadDraft(root, jobID)
	if !there {
		return false, nil
	}
	changes := []swap.Change{{Name: draftFile, Delete: true}}
	if deliver {
		changes = append(changes, kept.Changes...)
		changed = slices.ContainsFunc(kept.Changes, func(c swap.Change) bool { return strings.HasPrefix(c.Name, Deliverable+"/") && !isShot(c.Name) })
	}
	if err := change(changes, 0); err != nil {
		return false, fmt.Errorf("settling %s: %w", draftFile, err)
	}
	return changed, nil
}

// HasDraft reports whether a job left a draft in its project.
func HasDraft(root *os.Root, jobID string) bool {
	_, there := loadDraft(root, jobID)
	return there
}

// loadDraft reads the draft that a job left.
func loadDraft(root *os.Root, jobID string) (kept draft, there bool) {
	data, err := disk.Read(root, draftFile, maxDraft)
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.JobID != jobID {
		return draft{}, false
	}
	return kept, true
}
