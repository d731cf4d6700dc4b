package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/svc-games/svc/api/contract"
)

// decode reads a request. A member that is not among those that are passed on
// is refused by name: a call that does less than was asked for is worse than
// none.
func decode(body []byte, into any) *refusal {
	dec := strictDecoder(body)
	if err := dec.Decode(into); err != nil {
		var mistyped *json.UnmarshalTypeError
		switch name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
		case unknown:
			return unknownMember(name)
		case errors.As(err, &mistyped):
			return invalid("The member %q has the wrong type.", mistyped.Field)
		}
		return invalid("The body is not valid JSON.")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return invalid("There is data after the JSON object.")
	}
	return nil
}

func strictDecoder(raw []byte) *json.Decoder {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec
}

// strictly reads a part of a request.
func strictly(raw []byte, into any) error { return strictDecoder(raw).Decode(into) }

// reasons say of members that other servers know why they are not passed on.
var reasons = map[string]string{
	`"mcp_servers"`:          "a provider's tools reach what an engine may not",
	`"previous_response_id"`: "nothing is stored: send the conversation",
	`"conversation"`:         "nothing is stored: send the conversation",
	`"background"`:           "a call is paid for while it is under way",
	`"id"`:                   "nothing is stored, so that it would name nothing",
	`"file_id"`:              "an engine has no files there",
	`"file_url"`:             "an address would be fetched",
	`"container"`:            "a provider's tools reach what an engine may not",
}

func unknownMember(quoted string) *refusal {
	if why := reasons[quoted]; why != "" {
		return invalid("The member %s can't be passed on: %s.", quoted, why)
	}
	return invalid("The member %s can't be passed on.", quoted)
}

// encode writes what is sent to the provider.
func encode(request any) ([]byte, *refusal) {
	raw, err := marshal(request)
	if err != nil {
		return nil, invalid("The request can't be passed on.")
	}
	return raw, nil
}

// marshal writes JSON without the escapes that only a page needs: what a model
// wrote goes back as it came.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Bounds of the parts of a request.
const (
	maxOpaque   = 1 << 20 // bytes of one thought, signature or sealed part
	maxPictures = 100
	maxPicture  = 8 << 20 // bytes of one, as text
	perPicture  = 5000    // tokens of one, from above
)

// pictureTypes are those that models read.
var pictureTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// parts bounds the pictures of one request, and counts what is no text.
type parts struct {
	pictures int64
	bytes    int64 // of pictures
}

// picture lets a picture through that is data.
func (p *parts) picture(mediaType, data string) *refusal {
	p.pictures++
	p.bytes += int64(len(data))
	switch {
	case !slices.Contains(pictureTypes, mediaType):
		return invalid("A picture must be one of %s.", strings.Join(pictureTypes, ", "))
	case len(data) > maxPicture:
		return invalid("A picture has at most %d bytes.", maxPicture)
	case p.pictures > maxPictures:
		return invalid("A request has at most %d pictures.", maxPictures)
	}
	return nil
}

// dataURL lets a picture through that is a data: URL. An address would have the
// provider fetch what the engine can't.
func (p *parts) dataURL(url string) *refusal {
	rest, isData := strings.CutPrefix(url, "data:")
	mediaType, data, isBase64 := strings.Cut(rest, ";base64,")
	if !isData || !isBase64 {
		return invalid("An image must be a data: URL.")
	}
	return p.picture(mediaType, data)
}

// tokens estimates from above what a request is that was made.
func (p *parts) tokens(request []byte) int64 {
	return (int64(len(request))-p.bytes+1)/2 + p.pictures*perPicture
}

// oneOf refuses what is of none of some types.
func oneOf(what, kind string, types []string) *refusal {
	if slices.Contains(types, kind) {
		return nil
	}
	return invalid("The %s %q can't be passed on: it can be %s.", what, kind, strings.Join(types, ", "))
}

// opaque bounds a part that only the provider understands: one of a shape, that
// begins so.
func opaque(name string, raw json.RawMessage, begin byte) *refusal {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case len(raw) > maxOpaque:
		return invalid("%s has more than %d bytes.", name, maxOpaque)
	case raw[0] != begin:
		return invalid("The member %q has the wrong type.", name)
	}
	return nil
}

// units is a shorthand for a price list's entry and how many of it.
func units(name string, n int64) []contract.Unit {
	return []contract.Unit{{Name: name, Quantity: n}}
}
