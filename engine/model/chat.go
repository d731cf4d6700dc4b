package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one of a conversation.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []Call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"` // of a tool's result
}

// Call is a tool that the model wants called.
type Call struct {
	ID       string `json:"id"` // made up when the model gave none
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON, as far as the model can
	} `json:"function"`
}

// Tool is one that the model may have called.
type Tool struct {
	Type     string   `json:"type"`
	Function Function `json:"function"`
}

// Function describes a tool.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema
}

// Request is what a model is asked.
type Request struct {
	Model    string          `json:"model"`
	Messages []Message       `json:"messages"`
	Tools    []Tool          `json:"tools,omitempty"`
	Format   json.RawMessage `json:"response_format,omitempty"`
	Effort   string          `json:"reasoning_effort,omitempty"`
	// MaxTokens is the most that the model may write, and for some goes by its
	// other name.
	MaxTokens           int  `json:"max_tokens,omitempty"`
	MaxCompletionTokens int  `json:"max_completion_tokens,omitempty"`
	Stream              bool `json:"stream"`
}

// Reply is a whole answer.
type Reply struct {
	Text  string
	Calls []Call
	// Cut: the model reached the most that it may write. Text, or the last
	// call's arguments, may end anywhere.
	Cut   bool
	Usage Usage
}

// Usage is what an answer took, in tokens: as the server says, else estimated
// from above at two bytes each.
type Usage struct {
	Input, Output int
	Estimated     bool
}

// estimate fills in a usage that the server did not give.
func (r *Reply) estimate(request int) {
	if r.Usage != (Usage{}) {
		return
	}
	written := len(r.Text)
	for _, c := range r.Calls {
		written += len(c.Function.Name) + len(c.Function.Arguments)
	}
	r.Usage = Usage{Input: (request + 1) / 2, Output: (written + 1) / 2, Estimated: true}
}

// Message returns the reply as the next message of the conversation.
func (r Reply) Message() Message {
	return Message{Role: RoleAssistant, Content: r.Text, ToolCalls: r.Calls}
}

// errNothing: an answer without text and calls is not one.
var errNothing = errors.New("the model said nothing")

// Chat asks a model and returns its whole answer. A request that the server
// can't take, overload, silence and an answer that breaks off are tried again.
// What a server does not know of the request's optional members is left out.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	r.Stream = true
	var reply Reply
	var err error
	var sent Request
	for form := c.forms.of(r.Model); form < len(chatForms); form++ {
		request := chatForms[form](r)
		if reflect.DeepEqual(request, sent) {
			continue // it leaves out what the request has not got
		}
		sent = request
		if reply, err = c.chat(ctx, request); err == nil {
			c.forms.set(r.Model, form)
		}
		if !refusesForm(err) {
			break
		}
	}
	return reply, err
}

// chatForms are the ways to ask, the fullest first. Reasoning models want
// another name for the most that they may write; many servers know neither the
// effort nor the form of an answer. What is refused is not charged.
var chatForms = []func(Request) Request{
	func(r Request) Request { return r },
	Request.renamed,
	Request.effortless,
	func(r Request) Request { return r.effortless().formless() },
	func(r Request) Request { return r.effortless().formless().renamed() },
}

func (r Request) renamed() Request {
	r.MaxCompletionTokens, r.MaxTokens = r.MaxTokens, 0
	return r
}

func (r Request) effortless() Request {
	r.Effort = ""
	return r
}

func (r Request) formless() Request {
	r.Format = nil
	return r
}

func (c *Client) chat(ctx context.Context, r Request) (Reply, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Reply{}, fmt.Errorf("encoding the request: %w", err)
	}
	var reply Reply
	err = c.retry(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		alive := c.watch(ctx, cancel)
		resp, err := c.send(ctx, "POST", "/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			return stalled(ctx, err)
		}
		defer resp.Body.Close()
		reply, err = readStream(resp.Body, alive)
		return stalled(ctx, err)
	})
	if err != nil {
		return Reply{}, err
	}
	reply.estimate(len(body))
	for i := range reply.Calls {
		if reply.Calls[i].ID == "" {
			reply.Calls[i].ID = "call_" + strconv.Itoa(i)
		}
	}
	return reply, nil
}
