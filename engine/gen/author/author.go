// Package author has a language model read what a user wants of a game. The
// model's answer is a small JSON document of choices that the generator has,
// checked before any of it is used: whatever a brief, its context or the model
// itself says, nothing else can come of it.
package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
)

// ErrNoModel: the model that the settings name is none that can be asked.
var ErrNoModel = errors.New("the model of settings.model is not available")

// errUnusable: the model's answers could not be used, however often it was
// told why.
var errUnusable = errors.New("the model gave no usable answer")

// maxAnswer bounds what a model may write, in tokens.
const maxAnswer = 2000

// Models answers questions; *model.Client does.
type Models interface {
	Chats(ctx context.Context) ([]string, error)
	Chat(ctx context.Context, r model.Request) (model.Reply, error)
}

// Author asks a model. It is safe for concurrent use.
type Author struct{ models Models }

// New returns an author.
func New(models Models) *Author { return &Author{models: models} }

// Ask is what a user wants, and what goes with it.
type Ask struct {
	Prompt       string
	Instructions string
	Context      []api.ContextBlock
	Skills       []api.Skill
	Settings     api.Settings
	// Code shows the files of the skills too.
	Code bool
}

// rounds is how often a model may try: with its answer refused it is told why.
func rounds(level api.ReasoningLevel) int {
	switch level {
	case api.ReasoningLow:
		return 1
	case api.ReasoningHigh:
		return 4
	}
	return 2
}

// answer asks for a JSON document until check takes it. check gets each one,
// and says in words for the model what is wrong with it.
func (a *Author) answer(ctx context.Context, ask Ask, task, schema string, check func([]byte) error) error {
	name, err := a.choose(ctx, ask.Settings.Model)
	if err != nil {
		return err
	}
	request := model.Request{
		Model:     name,
		System:    task,
		Messages:  []model.Message{ask.Message()},
		MaxOutput: maxAnswer,
		Schema:    json.RawMessage(schema),
		Effort:    string(ask.Settings.ReasoningLevel),
	}
	var wrong error
	for range rounds(ask.Settings.ReasoningLevel) {
		reply, err := a.ask(ctx, request)
		if err != nil {
			return err
		}
		document, err := object(reply.Text())
		if err == nil {
			err = check(document)
		}
		if err == nil {
			return nil
		}
		wrong = err
		request.Messages = append(request.Messages, reply.Message(),
			model.TextMessage(model.RoleUser, "That can't be used: "+err.Error()+". Answer again, with the JSON object alone."))
	}
	return fmt.Errorf("%w: %w", errUnusable, wrong)
}

// ask asks once, and once more when the answer breaks off. The client does not,
// for each is paid.
func (a *Author) ask(ctx context.Context, r model.Request) (model.Reply, error) {
	reply, err := a.models.Chat(ctx, r)
	if errors.Is(err, model.ErrBroken) && ctx.Err() == nil {
		return a.models.Chat(ctx, r)
	}
	return reply, err
}

// choose returns the model to ask: the one that is wanted, or the operator's
// first.
func (a *Author) choose(ctx context.Context, wanted string) (string, error) {
	names, err := a.models.Chats(ctx)
	switch {
	case err != nil:
		return "", err
	case wanted == "" && len(names) > 0:
		return names[0], nil
	case slices.Contains(names, wanted):
		return wanted, nil
	}
	return "", ErrNoModel
}

// Message puts the question together: instructions, context, skills and prompt in
// this order, as they are. What would be too much was refused when the job was
// submitted.
func (ask Ask) Message() model.Message {
	return model.TextMessage(model.RoleUser, ask.Background()+ask.Wish())
}

// Background is what goes with the question: instructions, context and skills.
func (ask Ask) Background() string {
	var text strings.Builder
	part(&text, "The project's instructions", ask.Instructions)
	for _, c := range ask.Context {
		part(&text, "Context: "+c.Name, c.Content)
	}
	for _, s := range ask.Skills {
		part(&text, "Skill: "+s.Title, strings.Join(append([]string{s.Prompt}, s.Mechanics...), "\n"))
		if !ask.Code {
			continue
		}
		for _, f := range s.Files {
			part(&text, "File of the skill: skills/"+s.Key+"/"+f.Path, f.Content)
		}
	}
	return text.String()
}

// Wish is the question itself.
func (ask Ask) Wish() string {
	var text strings.Builder
	part(&text, "What the user wants", ask.Prompt)
	return text.String()
}

func part(text *strings.Builder, title, body string) {
	if strings.TrimSpace(body) != "" {
		fmt.Fprintf(text, "## %s\n\n%s\n\n", title, body)
	}
}

// object finds the JSON object in an answer: models like to put words or a
// fence around it.
func object(text string) ([]byte, error) {
	begin, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if begin < 0 || end < begin {
		return nil, errors.New("there is no JSON object in it")
	}
	document := []byte(text[begin : end+1])
	if !json.Valid(document) {
		return nil, errors.New("it is no valid JSON")
	}
	return document, nil
}

// Clip shortens s to n bytes, at the end of a character.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
