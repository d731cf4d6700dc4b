package studio

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// planFile is where a job in plan mode puts its plan. A job that builds takes it away.
const planFile = "PLAN.md"

// maxPlan bounds a plan that is shown as a document, in bytes.
const maxPlan = 24 << 10

// plan is what a job in plan mode would do.
type plan struct {
	Blocks []block
	SHA256 string // of its file
}

// block is a part of a document. Its texts are a model's, and shown as they are.
type block struct {
	Kind  string   // heading, item, row or text
	Texts []string // the cells of a row, else one
}

// loadPlan reads the plan of a project that has one.
func (s *Studio) loadPlan(ctx context.Context, x *exchange, page *projectPage) {
	there := slices.ContainsFunc(page.Workspace.Files, func(f contract.WorkspaceFile) bool { return f.Path == planFile && f.Bytes <= maxPlan })
	if !there {
		return
	}
	if f, err := s.open(ctx, x, *page, planFile, 0); err == nil && !f.Binary && !f.New {
		page.Plan = &plan{blocksOf(f.Text), f.SHA256}
	}
}

// ruler is the line between the head of a table and its rows.
var ruler = regexp.MustCompile(`^[|:\s-]+$`)

// blocksOf reads what plans are written in of Markdown: headings, lists, tables and
// paragraphs.
func blocksOf(text string) []block {
	var out []block
	joined := false // a paragraph goes on
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "**", ""))
		switch {
		case line == "", ruler.MatchString(line):
			joined = false
			continue
		case strings.HasPrefix(line, "#"):
			out = append(out, block{"heading", []string{strings.TrimLeft(line, "# ")}})
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			out = append(out, block{"item", []string{line[2:]}})
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			out = append(out, block{"row", cells})
		case joined:
			last := out[len(out)-1].Texts
			last[0] += " " + line
			continue
		default:
			out = append(out, block{"text", []string{line}})
		}
		joined = out[len(out)-1].Kind == "text"
	}
	return out
}

// build sends the project's plan as a brief: to be built, or to be planned anew with what
// somebody says to it. The plan must be the one that was shown.
func (s *Studio) build(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	f, err := s.open(x.r.Context(), x, projectPage{}, planFile, 0)
	if err != nil {
		return s.unsent(x, brief{}, err)
	}
	said := strings.TrimSpace(x.r.PostFormValue("comment"))
	b := brief{Prompt: planPrompt(f.Text, said), Settings: api.Settings{ChatMode: api.ChatAgent}}
	switch {
	case f.SHA256 != x.r.PostFormValue("sha256") || f.Binary:
		return s.unsent(x, brief{Prompt: said}, &answers.Error{Status: http.StatusConflict, Message: "The plan is another one by now: read it first."})
	case x.r.PostFormValue("do") == "plan" && said == "":
		return s.unsent(x, brief{}, answers.BadRequest("Say what the plan should change."))
	case x.r.PostFormValue("do") == "plan":
		b.Settings.ChatMode = api.ChatPlan
	}
	a, err := s.send(x, b)
	return s.sent(x, b, a, err)
}

// closing is what plans end with, for those who read the file.
const closing = "To build it, send the same prompt with chatMode agent."

func planPrompt(text, said string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, closing, ""))
	if said != "" {
		said = fmt.Sprintf("\n\nWhat is to be different from the plan:\n%s", said)
	}
	return "Follow this plan:\n\n" + clip(text, maxPlan) + said
}
