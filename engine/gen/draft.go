package gen

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/disk"
	"github.com/svc-games/svc/engine/gen/compile"
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
	Unmet   []string      `json:"unmet,omitempty"` // what of the request is not in the game
}

// keep stores the changes as a draft in place of making them.
func (d *delivery) keep(jobID string, unmet []string) error {
	data, err := json.Marshal(draft{JobID: jobID, Changes: d.changes, Unmet: unmet})
	if err != nil {
		return fmt.Errorf("encoding %s: %w", draftFile, err)
	}
	return d.change([]swap.Change{{Name: draftFile, Data: data}}, d.zip)
}

// spare keeps a game of the generator's own as the draft of a job whose game a model
// is to write, in a project that has none: a job that fails before the model has
// anything to show, also by the end of the engine, leaves that. Its error is ctx's.
func (g *embedded) spare(ctx context.Context, req Request) error {
	if game, err := readOptional(req.Workspace, path.Join(Deliverable, compile.Page)); game != nil || err != nil {
		return ctx.Err()
	}
	own, off := *g, false
	own.browser, own.author, own.agents, own.studio = nil, nil, nil, nil
	req.Settings.AIImages, req.Settings.AIAudio, req.Settings.ReasoningLevel = &off, &off, api.ReasoningLow
	d, err := decide(ctx, req, nil)
	if err == nil {
		d.stock, _, err = own.stockFor(ctx, req, &d)
	}
	var made revision
	if err == nil {
		made, err = own.produce(ctx, mute{}, &d, effortOf(req.Settings))
	}
	if err == nil {
		_ = keep(ctx, req, &d, made) // where there is no room, there is none for the model's game either, which says so
	}
	return ctx.Err()
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

// DraftUnmet returns what of its request is not in the game of the draft that a job left.
func DraftUnmet(root *os.Root, jobID string) []string {
	kept, _ := loadDraft(root, jobID)
	return kept.Unmet
}

// loadDraft reads the draft that a job left.
func loadDraft(root *os.Root, jobID string) (kept draft, there bool) {
	data, err := disk.Read(root, draftFile, maxDraft)
	if err != nil || json.Unmarshal(data, &kept) != nil || kept.JobID != jobID {
		return draft{}, false
	}
	return kept, true
}
