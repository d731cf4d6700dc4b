package egress

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/svc-games/svc/api/contract"
)

const (
	maxImages      = 4
	maxImagePrompt = 32_000 // bytes
	maxImageBytes  = 24 << 20
)

// imageRequest holds the members of a request for pictures that are passed on.
type imageRequest struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	N              int64  `json:"n,omitempty"`
	Size           string `json:"size,omitempty"`
	Quality        string `json:"quality,omitempty"`
	Style          string `json:"style,omitempty"`
	Background     string `json:"background,omitempty"`
	OutputFormat   string `json:"output_format,omitempty"`
	ResponseFormat string `json:"response_format,omitempty"`
}

// imageAnswer holds the members of an answer that are passed on.
type imageAnswer struct {
	Created int64   `json:"created,omitempty"`
	Data    []image `json:"data"`
}

type image struct {
	B64JSON       string `json:"b64_json"`
	RevisedPrompt string `json:"revised_prompt,omitempty"`
}

func (e *Egress) readImages(body []byte) (*call, *refusal) {
	var q imageRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	q.N = cmp.Or(q.N, 1)
	switch {
	case q.Prompt == "" || len(q.Prompt) > maxImagePrompt:
		return nil, invalid("prompt must have 1 to %d bytes.", maxImagePrompt)
	case q.N < 1 || q.N > maxImages:
		return nil, invalid("n must be from 1 to %d.", maxImages)
	case q.ResponseFormat != "" && q.ResponseFormat != "b64_json":
		return nil, invalid("response_format can only be b64_json: an engine has no network to fetch a picture with.")
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	relay := wholeJSON(q.N*maxImageBytes, func(raw []byte) ([]byte, []contract.Unit, error) { return readPictures(raw, q.N) })
	return &call{model: q.Model, body: out, limit: units(contract.UnitImage, q.N), relay: relay}, nil
}

var errNoPictures = errors.New("the answer holds no pictures")

// readPictures returns the pictures of an answer, at most n, and what they cost. An
// answer that only names where they are is no use, though it is paid for.
func readPictures(raw []byte, n int64) ([]byte, []contract.Unit, error) {
	var a imageAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, nil, noContent(err)
	}
	if len(a.Data) == 0 || int64(len(a.Data)) > n || a.Data[0].B64JSON == "" {
		return nil, nil, errNoPictures
	}
	out, err := json.Marshal(a)
	if err != nil {
		return nil, nil, err
	}
	return out, units(contract.UnitImage, int64(len(a.Data))), nil
}
