package model

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Bounds of what models make.
const (
	maxPicture = 16 << 20 // bytes of a picture's file
	maxSound   = 8 << 20  // bytes of a sound's file
)

// voice is a parameter that no endpoint does without.
const voice = "alloy"

// Picture is what an image model is asked for.
type Picture struct {
	Model  string
	Prompt string
	Size   string // WIDTHxHEIGHT in pixels, of those that image models know
	// Transparent asks for a picture without a background. Not every model has
	// such pictures.
	Transparent bool
}

// pictureRequest is its form on the wire.
type pictureRequest struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	N              int    `json:"n"`
	Size           string `json:"size,omitempty"`
	Background     string `json:"background,omitempty"`
	OutputFormat   string `json:"output_format,omitempty"`
	ResponseFormat string `json:"response_format,omitempty"`
}

// pictureForms are the ways to ask for a picture, the most exact first: servers refuse
// members that they don't know. What is refused is not charged.
var pictureForms = []func(r *pictureRequest, p Picture){
	func(r *pictureRequest, p Picture) {
		r.Size, r.Background, r.ResponseFormat = p.Size, background(p), "b64_json"
	},
	func(r *pictureRequest, p Picture) {
		r.Size, r.Background, r.OutputFormat = p.Size, background(p), "png"
	},
	func(r *pictureRequest, p Picture) { r.Size, r.ResponseFormat = p.Size, "b64_json" },
	func(r *pictureRequest, _ Picture) { r.ResponseFormat = "b64_json" },
	func(*pictureRequest, Picture) {},
}

func background(p Picture) string {
	if p.Transparent {
		return "transparent"
	}
	return ""
}

// Paint has an image model make one picture and returns its file. What is in
// there is for the caller to judge.
func (c *Client) Paint(ctx context.Context, p Picture) ([]byte, error) {
	for form := c.pictures.of(p.Model); ; form++ {
		request := pictureRequest{Model: p.Model, Prompt: p.Prompt, N: 1}
		pictureForms[form](&request, p)
		file, err := c.paint(ctx, request)
		if refusesForm(err) && form+1 < len(pictureForms) {
			continue
		}
		if err == nil {
			c.pictures.set(p.Model, form)
		}
		return file, err
	}
}

func (c *Client) paint(ctx context.Context, request pictureRequest) ([]byte, error) {
	raw, err := c.file(ctx, "/v1/images/generations", request, base64.StdEncoding.EncodedLen(maxPicture)+maxRefusal)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			File []byte `json:"b64_json"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if len(answer.Data) == 0 || len(answer.Data[0].File) == 0 {
		return nil, errNothing
	}
	return answer.Data[0].File, nil
}

// Sound is what an audio model is asked for.
type Sound struct {
	Model  string
	Prompt string
}

// Record has an audio model make one sound and returns its file, a WAV if the
// model can.
func (c *Client) Record(ctx context.Context, s Sound) ([]byte, error) {
	request := struct {
		Model          string `json:"model"`
		Input          string `json:"input"`
		Voice          string `json:"voice"`
		ResponseFormat string `json:"response_format,omitempty"`
	}{s.Model, s.Prompt, voice, "wav"}
	file, err := c.file(ctx, "/v1/audio/speech", request, maxSound)
	if refusesForm(err) {
		request.ResponseFormat = ""
		file, err = c.file(ctx, "/v1/audio/speech", request, maxSound)
	}
	if err == nil && len(file) == 0 {
		return nil, errNothing
	}
	return file, err
}

// file posts a request and returns the whole answer, of at most so many bytes.
func (c *Client) file(ctx context.Context, path string, request any, most int) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	var file []byte
	err = c.retry(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, c.opts.Media)
		defer cancel()
		resp, err := c.send(ctx, http.MethodPost, path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		file, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBroken, err)
		}
		if len(file) > most {
			return errTooLong
		}
		return nil
	})
	return file, err
}
