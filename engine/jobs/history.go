package jobs

import (
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
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
	m.revise(revs.Revision{Kind: revs.Import, Message: "found in the project"}, m.projectFiles)
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

// reviseEnd keeps what a job that ran leaves as the project's.
func (m *Manager) reviseEnd(j *job, v verdict) {
	r := revs.Revision{Kind: revs.Generated, Job: j.id, Author: j.author, Message: clip(v.ending.Summary, maxRevisionMessage)}
	authored, err := gen.Authored(m.space.Root())
	if authored || err != nil {
		r.Kind = revs.Authored
	}
	if v.status == api.JobFailed {
		r.Message = clip("proven before the job failed: "+v.failure.Message, maxRevisionMessage)
	}
	m.revise(r, m.projectFiles)
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
		_, _, err = m.history.Commit(r, files, m.historyRoom)
	}
	if err == nil {
		err = m.history.Trim(m.historyLimits())
	}
	if err != nil {
		m.cfg.Log.Warn("revision not kept", zap.String("job", r.Job), zap.String("kind", string(r.Kind)), zap.Error(err))
	}
}

func (m *Manager) historyLimits() revs.Limits {
	l := m.cfg.Limits
	return revs.Limits{Revisions: keptRevisions, Bytes: l.Bytes / historyShare, Files: l.Files / historyShare}
}

// historyRoom returns nil when a revision may take so much.
func (m *Manager) historyRoom(bytes int64, files int) error {
	if l := m.historyLimits(); bytes > l.Bytes || files > l.Files {
		return &fullError{fmt.Sprintf("one revision takes more than %s.", mebi(l.Bytes))}
	}
	return m.roomBesideHistory(bytes, files)
}
