package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/caddymodule/gateway"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/policy"
)

// brief is what somebody asks for, as it was typed.
type brief struct {
	Prompt       string
	Instructions string
	Forget       bool // the stored instructions
	Context      []api.ContextBlock
	Skills       string // JSON
	Settings     api.Settings
}

// contextBlocks is how many blocks of context the form has.
const contextBlocks = 3

// Blocks are the form's fields for context.
func (b brief) Blocks() []api.ContextBlock {
	blocks := make([]api.ContextBlock, max(contextBlocks, len(b.Context)))
	copy(blocks, b.Context)
	return blocks
}

// Chosen reports whether a switch is set so.
func (b brief) Chosen(name, value string) bool {
	field := map[string]*bool{"aiImages": b.Settings.AIImages, "aiAudio": b.Settings.AIAudio, "visualQaActive": b.Settings.VisualQAActive}[name]
	return field != nil && fmt.Sprint(*field) == value
}

func briefOf(form url.Values) brief {
	b := brief{
		Prompt: form.Get("prompt"), Instructions: form.Get("instructions"), Forget: form.Get("forget") != "", Skills: form.Get("skills"),
		Settings: api.Settings{
			GameType: api.GameType(form.Get("gameType")), Model: form.Get("model"), ReasoningLevel: api.ReasoningLevel(form.Get("reasoningLevel")),
			DimensionMode: api.DimensionMode(form.Get("dimensionMode")), ChatMode: api.ChatMode(form.Get("chatMode")),
			AIImages: choice(form.Get("aiImages")), AIAudio: choice(form.Get("aiAudio")), VisualQAActive: choice(form.Get("visualQaActive")),
		},
	}
	contents := form["contextContent"]
	for i, name := range form["contextName"] {
		if i < len(contents) && (name != "" || strings.TrimSpace(contents[i]) != "") {
			b.Context = append(b.Context, api.ContextBlock{Name: name, Content: contents[i]})
		}
	}
	return b
}

func choice(text string) *bool {
	switch text {
	case "true", "false":
		yes := text == "true"
		return &yes
	}
	return nil
}

// body is the submission that a brief becomes.
func (b brief) body(projectID string) ([]byte, error) {
	req := api.GenerateRequest{ProjectID: projectID, Prompt: b.Prompt, Context: b.Context, Settings: b.Settings}
	if b.Instructions != "" || b.Forget {
		req.Instructions = &b.Instructions
	}
	if strings.TrimSpace(b.Skills) != "" {
		if err := json.Unmarshal([]byte(b.Skills), &req.Skills); err != nil {
			return nil, answers.BadRequest("Skills must be a JSON list like [{\"key\": …, \"title\": …, \"files\": […]}].")
		}
	}
	return json.Marshal(req)
}

// submit sends a brief as a job, as any client would.
func (s *Studio) submit(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	b := briefOf(x.r.PostForm)
	a, err := s.send(x, b)
	return s.sent(x, b, a, err)
}

// send submits a brief under the name that its form has, so that it becomes one job
// however often it is sent.
func (s *Studio) send(x *exchange, b brief) (answer, error) {
	body, err := b.body(x.project())
	if err != nil {
		return answer{}, err
	}
	header := http.Header{}
	if once := x.r.PostFormValue("once"); once != "" {
		header.Set("Idempotency-Key", once)
	}
	return s.v1(x.r.Context(), x, http.MethodPost, "/v1/generate", body, header)
}

// sent answers with what became of a brief.
func (s *Studio) sent(x *exchange, b brief, a answer, err error) error {
	if err != nil {
		return s.unsent(x, b, err)
	}
	if x.json() {
		return pass(x, a)
	}
	return x.redirect(x.at("?done=sent"))
}

// uncertain reports whether a brief that was refused so is to be sent again as it is: it
// may be a job already, and under the same name it becomes no second one. After any other
// refusal it is changed, and needs a name of its own.
func uncertain(refused *answers.Error) bool {
	return refused.Status == http.StatusServiceUnavailable || refused.Status == http.StatusGatewayTimeout
}

// failedToStart reports whether a brief was refused as its engine could not start, which is
// no start to wait for: the refusal says why.
func failedToStart(refused *answers.Error) bool {
	var failed *engineproxy.FailedError
	return refused.Starting && errors.As(refused, &failed)
}

// unsent answers that a brief was not taken; it is still in the form, and where the same
// may be sent again so is its name.
func (s *Studio) unsent(x *exchange, b brief, why error) error {
	refused := asError(why)
	if x.json() {
		return refused
	}
	page, err := s.load(x)
	if err != nil {
		return err
	}
	page.Brief, page.Error = b, refused.Message
	if uncertain(refused) {
		page.Once = x.r.PostFormValue("once")
	}
	if refused.Starting && !failedToStart(refused) {
		page.Error = unsentBriefs["starting"]
	}
	return s.showProject(x, refused.Status, page)
}

// stop cancels a job of the project, now or when the step is done that it is at.
func (s *Studio) stop(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	if x.r.PostFormValue("when") == "step" {
		return s.stopAfterStep(x, x.r.PathValue("job"))
	}
	target := "/v1/generate/" + url.PathEscape(x.r.PathValue("job")) + "?projectId=" + x.project()
	a, err := s.v1(x.r.Context(), x, http.MethodDelete, target, nil, nil)
	if errors.Is(err, gateway.ErrCancelling) && !x.json() {
		return x.redirect(x.at("?done=stopped")) // it will end
	}
	if err != nil {
		return err
	}
	if x.json() {
		return pass(x, a)
	}
	return x.redirect(x.at("?done=stopped"))
}

// stopAfterStep has a job end when its step is done: no call of a model is broken off.
func (s *Studio) stopAfterStep(x *exchange, job string) error {
	if !api.ValidJobID(job) {
		return answers.BadRequest("There is no such job.")
	}
	if err := s.may(x, x.project(), policy.ActionCancel); err != nil {
		return err
	}
	return s.change(x, "Not stopped: ", "?done=ending", call{method: http.MethodPost, path: contract.PathJobs + "/" + job + "/stop"})
}

// Set reports whether a setting is.
func (b brief) Set() bool { return b.Settings != (api.Settings{}) }

// option is a choice of a setting.
type option struct {
	Value, Label string
	Selected     bool
}

// Option is a choice of one of the named settings.
func (b brief) Option(name, value, label string) option {
	set := map[string]string{
		"chatMode": string(b.Settings.ChatMode), "gameType": string(b.Settings.GameType),
		"dimensionMode": string(b.Settings.DimensionMode), "reasoningLevel": string(b.Settings.ReasoningLevel),
	}[name]
	return option{value, label, set == value}
}

// onOff is a setting that is on or off.
type onOff struct {
	Name, Label, Meaning string
	Brief                brief
}

// Switch is a setting that is on or off.
func (b brief) Switch(name, label, meaning string) onOff { return onOff{name, label, meaning, b} }
