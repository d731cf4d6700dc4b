package opa

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/server/types"
	"github.com/open-policy-agent/opa/v1/util"

	"github.com/svc-games/svc/policy"
)

// decision is the document whose input is read strictly.
var decision = ast.MustParseRef(policy.Entrypoint)

// parsePath reads which document is asked for, and makes the query for it.
func parsePath(r *http.Request) (ast.Ref, ast.Body, error) {
	ref, err := pathRef(r)
	if err != nil {
		return nil, nil, err
	}
	// Parsed, the query has the place in the text that traces show.
	body, err := ast.ParseBody(ref.String())
	if err != nil {
		return nil, nil, errors.New("failed to parse query")
	}
	if term, ok := body[0].Terms.(*ast.Term); len(body) != 1 || !ok || !ast.TermValueIs[ast.Ref](term) {
		return nil, nil, errors.New("complex query")
	}
	return ref, body, nil
}

// pathRef reads the document's name from the path, as OPA does.
func pathRef(r *http.Request) (ast.Ref, error) {
	ref := ast.Ref{ast.DefaultRootDocument}
	rest := strings.TrimPrefix(r.URL.EscapedPath(), "/v1/data")
	for part := range strings.SplitSeq(rest, "/") {
		if part == "" {
			continue
		}
		name, err := url.PathUnescape(part)
		if err != nil {
			return nil, err
		}
		if strings.Contains(name, `"`) {
			return nil, fmt.Errorf("invalid ref term '%s'", name)
		}
		if n, ok := util.Atoi64(name); ok {
			ref = append(ref, ast.InternedTerm(n))
		} else {
			ref = append(ref, ast.StringTerm(name))
		}
	}
	return ref, nil
}

// readBody reads the input from a body, nil when there is none.
func readBody(r *http.Request, path ast.Ref) (ast.Value, error) {
	body, err := readAll(r)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && path.Equal(decision) {
		var strict struct {
			Input *policy.Input `json:"input"`
		}
		if err := decodeStrict(body, &strict); err != nil {
			return nil, fmt.Errorf("body contains malformed input document: %w", err)
		}
	}
	var request types.DataRequestV1
	if strings.Contains(r.Header.Get("Content-Type"), "yaml") {
		if len(body) > 0 {
			err = util.Unmarshal(body, &request)
		}
	} else if err = util.NewJSONDecoder(bytes.NewReader(body)).Decode(&request); errors.Is(err, io.EOF) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("body contains malformed input document: %w", err)
	}
	if request.Input == nil {
		return nil, nil
	}
	return ast.InterfaceToValue(*request.Input)
}

// readAll reads a body, which may be compressed.
func readAll(r *http.Request) ([]byte, error) {
	if !strings.Contains(r.Header.Get("Content-Encoding"), "gzip") {
		return io.ReadAll(r.Body)
	}
	text, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, fmt.Errorf("could not decompress the body: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(text, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = &http.MaxBytesError{Limit: maxBody}
	}
	if err != nil {
		return nil, fmt.Errorf("could not decompress the body: %w", err)
	}
	return body, nil
}

// readParameter reads the input from the last parameter input, nil when there
// is none.
func readParameter(r *http.Request, path ast.Ref) (ast.Value, error) {
	texts := r.URL.Query()[types.ParamInputV1]
	if len(texts) == 0 {
		return nil, nil
	}
	text := []byte(texts[len(texts)-1])
	var input any
	err := util.UnmarshalJSON(text, &input)
	if err == nil && path.Equal(decision) {
		err = decodeStrict(text, new(policy.Input))
	}
	if err != nil {
		return nil, fmt.Errorf("parameter contains malformed input document: %w", err)
	}
	return ast.InterfaceToValue(input)
}

// decodeStrict decodes one JSON value, of which it refuses members that are
// unknown, differ in case from a known one, or come twice.
func decodeStrict(data []byte, into any) error {
	if err := checkMembers(data, into); err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
