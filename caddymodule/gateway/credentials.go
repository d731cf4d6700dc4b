package gateway

import (
	"net/http"
	"strings"

	"github.com/svc-games/svc/api"
)

// takeKey reads the API key of a request and removes both key headers, so
// that nothing behind the gateway ever sees them. It returns the 401 of a
// missing key, of junk, and of two different keys. Beside X-API-Key the header
// Authorization counts only where it holds a key of ours: proxies add others.
func takeKey(h http.Header) (api.KeyHash, *api.Error) {
	bearer := h.Values("Authorization")
	plain := h.Values("X-Api-Key")
	h.Del("Authorization")
	h.Del("X-Api-Key")

	secrets := make([]string, 0, 2) // on the stack
	for _, v := range bearer {
		scheme, secret, _ := strings.Cut(v, " ")
		secret = strings.TrimSpace(secret)
		ours := strings.EqualFold(scheme, "Bearer")
		if len(plain) > 0 {
			if _, key := api.ParseKey(secret); !ours || !key {
				continue
			}
		}
		if !ours {
			return api.KeyHash{}, unauthorized(api.ReasonInvalid, "The Authorization header must be \"Bearer\" and an API key.")
		}
		secrets = append(secrets, secret)
	}
	secrets = append(secrets, plain...)
	if len(secrets) == 0 {
		return api.KeyHash{}, unauthorized(api.ReasonMissing, "An API key is required.")
	}
	for _, s := range secrets[1:] {
		if s != secrets[0] {
			return api.KeyHash{}, unauthorized(api.ReasonInvalid, "The request carries two different API keys.")
		}
	}
	hash, ok := api.ParseKey(secrets[0])
	if !ok {
		return api.KeyHash{}, unknownKey()
	}
	return hash, nil
}

// unknownKey is the 401 of a key that is not one of ours.
func unknownKey() *api.Error {
	return unauthorized(api.ReasonInvalid, "The API key is not valid.")
}

func unauthorized(reason, message string) *api.Error {
	return &api.Error{Status: http.StatusUnauthorized, Message: message, Reason: reason}
}
