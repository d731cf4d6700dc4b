package api

import (
	"time"
)

// JobStatus is the state of a job.
type JobStatus string

// The states of a job. The last three are terminal.
const (
	JobQueued    JobStatus = "queued"
	JobRunning   JobStatus = "running"
	JobCompleted JobStatus = "completed"
	JobFailed    JobStatus = "failed"
	JobCancelled JobStatus = "cancelled"
)

// Terminal reports whether a job in this state has ended.
func (s JobStatus) Terminal() bool {
	return s == JobCompleted || s == JobFailed || s == JobCancelled
}

// Stage is what a job is doing.
type Stage string

// The stages of a job, in order; fixing returns to building.
const (
	StageQueued      Stage = "queued"
	StagePlanning    Stage = "planning"
	StageWriting     Stage = "writing"
	StageAssets      Stage = "assets"
	StageBuilding    Stage = "building"
	StageAuditing    Stage = "auditing"
	StagePlaytesting Stage = "playtesting"
	StageFixing      Stage = "fixing"
	StagePackaging   Stage = "packaging"
	StageDone        Stage = "done"
)

// FailureCode says why a job failed.
type FailureCode string

// The causes of a failed job.
const (
	FailureTIKExhausted    FailureCode = "tik_exhausted"
	FailureGeneration      FailureCode = "generation_failed"
	FailureEngineRestarted FailureCode = "engine_restarted"
	FailureEngineLost      FailureCode = "engine_lost"
	FailureTimeout         FailureCode = "timeout"
	FailureInternal        FailureCode = "internal"
)

// Progress is how far a job has come.
type Progress struct {
	Stage   Stage  `json:"stage"`
	Percent int    `json:"percent"` // 0 to 100, never falls
	Message string `json:"message"`
}

// Failure is why a job failed, for the client's eyes.
type Failure struct {
	Code    FailureCode `json:"code"`
	Message string      `json:"message"`
}

// Files describes the ZIP of an ended job.
type Files struct {
	Count  int    `json:"count"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the ZIP, hexadecimal
}

// Unmet is a wish of the prompt that the game does not fulfil.
type Unmet struct {
	Phrase string `json:"phrase"`
	Why    string `json:"why"` // in plain English; "" when the phrase was not understood
}

// Queue is where a queued job stands: its project makes one game at a time.
type Queue struct {
	Position int `json:"position"` // among the queued jobs of its project, from 1
	Ahead    int `json:"ahead"`    // jobs that end before it begins: those queued before it, and the one that runs
}

// Job is the public job record, the body of the status route and of DELETE.
type Job struct {
	JobID       string     `json:"jobId"`
	ProjectID   string     `json:"projectId"`
	SessionID   string     `json:"sessionId"`
	Status      JobStatus  `json:"status"`
	Queue       *Queue     `json:"queue,omitempty"` // of a queued job
	Progress    Progress   `json:"progress"`
	CreatedAt   time.Time  `json:"createdAt"`
	StartedAt   *time.Time `json:"startedAt,omitempty"`
	FinishedAt  *time.Time `json:"finishedAt,omitempty"`
	TIKSpent    TIK        `json:"tikSpent"`
	Failure     *Failure   `json:"failure,omitempty"`
	Files       *Files     `json:"files,omitempty"`
	LastEventID uint64     `json:"lastEventId"`
	Unmet       []Unmet    `json:"unmet,omitempty"` // of a job that has ended, the kind of game first
	Model       string     `json:"model,omitempty"` // who makes the game, ModelEmbedded for none; "" until it is known
}

// JobList is the body of GET /v1/generate, newest first.
type JobList struct {
	Success    bool   `json:"success"`
	Data       []Job  `json:"data"`
	NextCursor string `json:"nextCursor,omitempty"`
}

// StreamToken is the body of a successful POST /v1/generate/{jobId}/events/token.
type StreamToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"` // a stream that is open by then goes on
}

// Submission is the body of a successful POST /v1/generate.
type Submission struct {
	JobID     string    `json:"jobId"`
	ProjectID string    `json:"projectId"`
	Status    JobStatus `json:"status"`
	SessionID string    `json:"sessionId"`
}
