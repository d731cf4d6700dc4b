package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Errors of an answer. The request may be sent again.
var (
	errBroken  = errors.New("the model's answer broke off")
	errTooLong = errors.New("the model's answer is too long")
)

// chunk is an event of a stream, or the whole of an answer that was not
// streamed although it was asked to be.
type chunk struct {
	Choices []struct {
		Delta        delta  `json:"delta"`
		Message      *delta `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type delta struct {
	Content   string `json:"content"`
	ToolCalls []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name string `json:"name"`
			// A string, in pieces; some servers send an object at once.
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// readStream reads an answer to its end. alive is called for each line.
func readStream(r io.Reader, alive func()) (Reply, error) {
	var a assembly
	in := bufio.NewReaderSize(r, 64<<10)
	first, err := in.Peek(1)
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	if first[0] == '{' {
		return a.whole(in)
	}
	for read := 0; ; {
		line, err := readLine(in)
		if read += len(line); read > maxStream {
			return Reply{}, errTooLong
		}
		alive()
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		data = bytes.TrimSpace(data)
		switch {
		case isData && string(data) == "[DONE]":
			return a.reply()
		case isData && len(data) > 0:
			if err := a.add(a.hold(data)); err != nil {
				return Reply{}, err
			}
		}
		if err == io.EOF && a.finished {
			return a.reply() // some servers leave the last line out
		}
		if err != nil {
			return Reply{}, fmt.Errorf("%w: %w", errBroken, err)
		}
	}
}

// readLine reads up to a line break. Its error goes with what came before it.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// assembly puts an answer together.
type assembly struct {
	text     strings.Builder
	calls    []Call
	size     int
	finished bool
	cut      bool
	usage    Usage
	halves   bool // some characters came in parts
}

// whole reads an answer that is one JSON object.
func (a *assembly) whole(in io.Reader) (Reply, error) {
	raw, err := io.ReadAll(io.LimitReader(in, 2*maxText+1))
	if err != nil {
		return Reply{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	if len(raw) > 2*maxText {
		return Reply{}, errTooLong
	}
	if err := a.add(raw); err != nil {
		return Reply{}, err
	}
	return a.reply()
}

func (a *assembly) add(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return errBroken
	}
	if c.Usage != nil && c.Usage.Input > 0 && c.Usage.Output >= 0 {
		a.usage = Usage{Input: c.Usage.Input, Output: c.Usage.Output}
	}
	if len(c.Choices) == 0 {
		return nil // usage, or a sign of life
	}
	choice := c.Choices[0]
	d := choice.Delta
	if choice.Message != nil {
		d = *choice.Message
	}
	a.finished = a.finished || choice.FinishReason != ""
	a.cut = a.cut || choice.FinishReason == "length"
	if a.size += len(d.Content); a.size > maxText {
		return errTooLong
	}
	a.text.WriteString(d.Content)
	for i, part := range d.ToolCalls {
		at := i
		if part.Index != nil {
			at = *part.Index
		} else if choice.Message == nil && len(a.calls) > 0 {
			at = len(a.calls) - 1
			if part.Function.Name != "" && a.calls[at].Function.Name != "" {
				at++ // a server that numbers nothing begins another one
			}
		}
		if at < 0 || at >= maxCalls || at > len(a.calls) {
			return fmt.Errorf("%w: tool call %d is out of place", errBroken, at)
		}
		if at == len(a.calls) {
			a.calls = append(a.calls, Call{Type: "function"})
		}
		call := &a.calls[at]
		if part.ID != "" {
			call.ID = part.ID
		}
		call.Function.Name += part.Function.Name
		arguments := text(part.Function.Arguments)
		if a.size += len(part.Function.Name) + len(arguments); a.size > maxText {
			return errTooLong
		}
		call.Function.Arguments += arguments
	}
	return nil
}

// text is what a JSON value says: a string itself, anything else as it stands.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (a *assembly) reply() (Reply, error) {
	if a.text.Len() == 0 && len(a.calls) == 0 && !a.cut {
		return Reply{}, errNothing
	}
	for i := range a.calls {
		f := &a.calls[i].Function
		f.Name, f.Arguments = a.joined(f.Name), a.joined(f.Arguments)
	}
	return Reply{Text: a.joined(a.text.String()), Calls: a.calls, Cut: a.cut, Usage: a.usage}, nil
}
