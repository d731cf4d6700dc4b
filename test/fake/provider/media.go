package fakeprovider

import (
	"encoding/base64"
	"net/http"
)

// Pictures answers a request for pictures with as many as it asks for.
func Pictures(png []byte) Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, q Request) {
		n := 1
		if asked, ok := q.Body["n"].(float64); ok {
			n = int(asked)
		}
		var data []any
		for range n {
			data = append(data, map[string]any{"b64_json": base64.StdEncoding.EncodeToString(png)})
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(marshal(map[string]any{"created": 1700000000, "data": data}))
	}
}

// PictureLinks answers a request for pictures with where they are.
func PictureLinks() Answer {
	return func(p *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(marshal(map[string]any{"data": []any{map[string]any{"url": p.URL + "/picture.png"}}}))
	}
}

// Speech answers with a sound file.
func Speech(sound []byte) Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "audio/wav")
		_, _ = w.Write(sound)
	}
}
