package api

import (
	"time"
)

// Bounds of a project's fields, in characters.
const (
	MaxProjectName        = 120
	MaxProjectDescription = 2000
)

// TemplateBlank is the default and only template.
const TemplateBlank = "blank"

// ProjectRequest is the body of POST /v1/projects.
type ProjectRequest struct {
	Name        string `json:"name"`
	Template    string `json:"template,omitempty"` // TemplateBlank if empty
	Description string `json:"description,omitempty"`
}

// Project is one game and what belongs to it.
type Project struct {
	ID          string    `json:"_id"`
	Name        string    `json:"name"`
	Template    string    `json:"template"`
	Description string    `json:"description,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
}

// ProjectCreated is the body of a successful POST /v1/projects.
type ProjectCreated struct {
	Success bool              `json:"success"`
	Data    ProjectCreatedRef `json:"data"`
}

// ProjectCreatedRef names a new project.
type ProjectCreatedRef struct {
	ID   string `json:"_id"`
	Name string `json:"name"`
}

// ProjectList is the body of GET /v1/projects, newest first.
type ProjectList struct {
	Success    bool      `json:"success"`
	Data       []Project `json:"data"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

// ProjectFound is the body of GET /v1/projects/{id}.
type ProjectFound struct {
	Success bool    `json:"success"`
	Data    Project `json:"data"`
}
