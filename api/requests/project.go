package requests

import (
	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// BadProjectID is the 400 of a projectId that is missing or malformed.
func BadProjectID(id string) *answers.Error {
	if id == "" {
		return answers.BadRequest("projectId is required.")
	}
	return answers.BadRequest("projectId must be 24 lower-case hexadecimal characters.")
}

// ParseProjectRequest reads and checks the body of POST /v1/projects. Its
// error is an *answers.Error with status 400.
func ParseProjectRequest(body []byte) (api.ProjectRequest, error) {
	req := api.ProjectRequest{Template: api.TemplateBlank}
	err := decodeObject(body, "", members{
		"name":        text(&req.Name, "name", 1, api.MaxProjectName),
		"template":    oneOf(&req.Template, "template", api.TemplateBlank),
		"description": text(&req.Description, "description", 0, api.MaxProjectDescription),
	})
	if err != nil {
		return api.ProjectRequest{}, err
	}
	if req.Name == "" {
		return api.ProjectRequest{}, answers.BadRequest("name is required.")
	}
	return req, nil
}
