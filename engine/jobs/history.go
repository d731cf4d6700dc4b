package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/pack"
	"github.com/svc-games/svc/engine/revs"
)

// keptRevisions is how many revisions of a project are kept at most; all of them
// together take historyShare of the volume at most.
const (
	keptRevisions = 200
	historyShare  = 4
)

// maxRevisionMessage bounds what a revision says of itself, in bytes.
const maxRevisionMessage = 300

// foundMessage is what an import says of itself.
const foundMessage = "found in the project"

// openHistory opens the project's revisions.
func (m *Manager) openHistory() error {
	history, cut, err := revs.Open(filepath.Join(m.cfg.Dir, "revs"))
	if err != nil {
		return err
	}
	m.history = history
	m.logCut("revs.jsonl", cut)
	return nil
}

// adopt takes what the project holds, and no revision does, as a revision: the
// game of a version that kept none, or one that someone put there.
func (m *Manager) adopt() {
	m.revise(revs.Revision{Kind: revs.Import, Message: foundMessage}, m.projectFiles)
}

// adoptEdits takes what someone changed in the project while no engine had it, before
// what was left to do changes more. The drafts of jobs that were running are not
// delivered then: they would replace it.
func (m *Manager) adoptEdits() error {
	edited, err := m.edited()
	if err != nil {
		return err
	}
	drafts := slices.DeleteFunc(slices.Clone(m.accepted), func(j *job) bool {
		return j.stored.Record.Status != api.JobRunning || !gen.HasDraft(m.space.Root(), j.id)
	})
	if !edited && len(drafts) == 0 {
		return nil // a job that was interrupted after its delivery says what it made
	}
	m.adopt()
	for _, j := range drafts {
		if !edited {
			break
		}
		m.reviseDraft(j)
		if _, err := gen.SettleDraft(m.space.Root(), m.change, j.id, false); err != nil {
			return err
		}
	}
	return nil
}

// edited reports whether someone edited the project's sources, and notes it where only
// a comparison with what was delivered shows it.
func (m *Manager) edited() (bool, error) {
	if files, err := m.projectFiles(); err == nil {
		if _, known := m.history.Like(files); known {
			return false, nil // a job may have been about to restore them
		}
	}
	former, err := m.delivered()
	if err != nil {
		m.cfg.Log.Warn("delivered game unreadable", zap.Error(err))
	}
	edited, claim, err := gen.Edited(m.space.Root(), former)
	if err != nil {
		m.cfg.Log.Warn("game unreadable", zap.Error(err))
		return true, nil
	}
	if len(claim) == 0 {
		return edited, nil
	}
	err = m.change(claim, 0)
	if _, ok := errors.AsType[*fullError](err); ok {
		m.cfg.Log.Warn("volume full", zap.Error(err))
		err = nil
	}
	return edited, err
}

// delivered returns the project's game as it was delivered last: the head, or what is
// in the ZIP of the last job that changed it; nil when neither is there.
func (m *Manager) delivered() (revs.Files, error) {
	if head, there := m.history.Head(); there {
		return m.history.Files(head.ID)
	}
	for _, j := range slices.Backward(m.accepted) {
		if e := j.stored.Ending; e == nil || !e.Changed {
			continue
		}
		files, err := pack.Read(j.path(zipFile))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		former := revs.Files{}
		for name, data := range files {
			former[path.Join(gen.Deliverable, name)] = data
		}
		return former, err
	}
	return nil, nil
}

// reviseDraft keeps what a job proved that is taken away with its end.
func (m *Manager) reviseDraft(j *job) {
	r := revs.Revision{Kind: revs.Draft, Job: j.id, Author: j.author, Message: "left by a job that did not complete"}
	m.revise(r, func() (files revs.Files, err error) {
		err = m.space.Read(func(root *os.Root) error {
			files, err = gen.Drafted(root, j.id)
			return err
		})
		return files, err
	})
}

// buildTime bounds the build of what a job had written: it is to end soon.
const buildTime = 500 * time.Millisecond

// reviseWritten keeps what a job had written of a game, and not proven, when it ended without delivering it.
func (m *Manager) reviseWritten(j *job, written map[string][]byte) {
	if len(written) == 0 {
		return
	}
	r := revs.Revision{Kind: revs.Draft, Job: j.id, Author: j.author, Message: "what the job had written when it ended", Unproven: true}
	m.revise(r, func() (revs.Files, error) {
		files, err := m.projectFiles()
		if err != nil {
			return nil, err
		}
		game := maps.Clone(written)
		game[compile.Script] = files[path.Join(gen.Deliverable, compile.Script)] // until the sources build
		ctx, cancel := context.WithTimeout(context.Background(), buildTime)
		defer cancel()
		if _, err := gen.Rebuild(ctx, game, ""); err != nil && ctx.Err() == nil {
			return nil, err
		}
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, gen.Deliverable+"/") })
		maps.DeleteFunc(game, func(_ string, data []byte) bool { return data == nil })
		maps.Copy(files, inProject(game))
		return files, nil
	})
}

// reviseEnd keeps what a job that ran leaves as the project's.
func (m *Manager) reviseEnd(j *job, v verdict) {
	r := revs.Revision{Kind: revs.Generated, Job: j.id, Author: j.author, Message: clip(v.ending.Summary, maxRevisionMessage)}
	authored, err := gen.Authored(m.space.Root())
	if authored || err != nil {
		r.Kind = revs.Authored
	}
	switch v.status {
	case api.JobFailed:
		r.Message = clip("proven before the job failed: "+v.failure.Message, maxRevisionMessage)
	case api.JobCancelled:
		r.Message = "delivered before the job was cancelled"
	}
	m.revise(m.restored(j, r), m.projectFiles)
}

func (m *Manager) projectFiles() (files revs.Files, err error) {
	err = m.space.Read(func(root *os.Root) error {
		files, err = gen.Project(root)
		return err
	})
	return files, err
}

// revise adds a revision of these files, if there are any and they are not the
// head's. A job does not fail for its history: where there is no room for it, or
// the game is more than one may be, the project goes on without this revision.
func (m *Manager) revise(r revs.Revision, read func() (revs.Files, error)) {
	files, err := read()
	if err == nil && len(files) > 0 {
		r.Time = m.now()
		err = m.commit(r, files)
	}
	if err != nil {
		m.cfg.Log.Warn("revision not kept", zap.String("job", r.Job), zap.String("kind", string(r.Kind)), zap.Error(err))
	}
}

// commit adds a revision, for which old ones give way. One that can't be shortened
// grows no further.
func (m *Manager) commit(r revs.Revision, files revs.Files) error {
	if err := m.history.Trim(m.historyLimits()); err != nil {
		return err
	}
	_, _, err := m.history.Commit(r, files, m.historyRoom)
	if full, ok := errors.AsType[*fullError](err); ok && m.shortenHistory(full.lack) {
		_, _, err = m.history.Commit(r, files, m.historyRoom)
	}
	return errors.Join(err, m.history.Trim(m.historyLimits()))
}

func (m *Manager) historyLimits() revs.Limits {
	l := m.cfg.Limits
	return revs.Limits{Revisions: keptRevisions, Bytes: l.Bytes / historyShare, Files: l.Files / historyShare, Now: m.now()}
}

// fitsHistory returns nil when one revision may take so much.
func (m *Manager) fitsHistory(bytes int64, files int) error {
	if l := m.historyLimits(); bytes > l.Bytes || files > l.Files {
		return &fullError{why: fmt.Sprintf("one revision takes more than %s.", mebi(l.Bytes))}
	}
	return nil
}

// historyRoom returns nil when a revision may take so much, and the volume has it.
func (m *Manager) historyRoom(bytes int64, files int) error {
	if err := m.fitsHistory(bytes, files); err != nil {
		return err
	}
	return m.roomBesideHistory(bytes, files)
}
