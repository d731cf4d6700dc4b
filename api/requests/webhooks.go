package requests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// maxHookURL is how long a webhook's URL may be.
const maxHookURL = 2048

// ParseWebhookRequest reads and checks the body of POST /v1/projects/{id}/webhook. Its
// error is an *answers.Error with status 400.
func ParseWebhookRequest(body []byte) (api.WebhookRequest, error) { return parseHook(body, "") }

// parseHook reads a webhook that stands at a member of a body.
func parseHook(raw []byte, at string) (api.WebhookRequest, error) {
	var req api.WebhookRequest
	var wanted []string
	urlAt, eventsAt := member(at, "url"), member(at, "events")
	err := decodeObject(raw, at, members{
		"url": text(&req.URL, urlAt, 1, maxHookURL),
		"events": func(raw json.RawMessage) error {
			return decodeArray(raw, eventsAt, len(api.HookEvents()), func(i int, raw json.RawMessage) error {
				var event string
				err := oneOf(&event, eventsAt+"["+strconv.Itoa(i)+"]", api.HookEvents()...)(raw)
				wanted = append(wanted, event)
				return err
			})
		},
	})
	if err == nil {
		err = checkHookURL(req.URL, urlAt)
	}
	if err != nil {
		return api.WebhookRequest{}, err
	}
	for _, event := range api.HookEvents() {
		if len(wanted) == 0 || slices.Contains(wanted, event) {
			req.Events = append(req.Events, event)
		}
	}
	return req, nil
}

func checkHookURL(text, at string) error {
	if text == "" {
		return answers.BadRequest("%s is required.", at)
	}
	u, err := url.Parse(text)
	printable := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
	if err != nil || !printable || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "" {
		return answers.BadRequest("%s must be an https address, in ASCII.", at)
	}
	if u.User != nil || u.Fragment != "" {
		return answers.BadRequest("%s can't hold a user, a password or a fragment.", at)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return answers.BadRequest("%s has an invalid port.", at)
		}
	}
	return nil
}

// WithoutWebhook returns the body of a submission without its webhook, which is no
// engine's business.
func WithoutWebhook(body []byte) ([]byte, error) {
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(body, &rest); err != nil {
		return nil, fmt.Errorf("reading a submission: %w", err)
	}
	delete(rest, "webhook")
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rest); err != nil {
		return nil, fmt.Errorf("writing a submission: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// ParseReplayRequest reads and checks the body of POST /v1/projects/{id}/webhook/replay.
// Its error is an *answers.Error with status 400.
func ParseReplayRequest(body []byte) (deliveryID string, err error) {
	err = decodeObject(body, "", members{"deliveryId": text(&deliveryID, "deliveryId", 1, 64)})
	if err == nil && !api.ValidDeliveryID(deliveryID) {
		err = answers.BadRequest("deliveryId must name a delivery of the project.")
	}
	return deliveryID, err
}
