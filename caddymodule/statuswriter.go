package caddymodule

import (
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// statusWriter notes the status of a response. It leaves everything else,
// flushing included, to what it wraps.
type statusWriter struct {
	caddyhttp.ResponseWriterWrapper
	status int // 0 until there is a final one
}

func (s *statusWriter) WriteHeader(status int) {
	if s.status == 0 && status >= 200 {
		s.status = status
	}
	s.ResponseWriterWrapper.WriteHeader(status)
}

func (s *statusWriter) Write(p []byte) (int, error) {
	s.implied()
	return s.ResponseWriterWrapper.Write(p)
}

// ReadFrom lets a file go out without a copy in between.
func (s *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	s.implied()
	return s.ResponseWriterWrapper.ReadFrom(r)
}

func (s *statusWriter) implied() {
	if s.status == 0 {
		s.status = http.StatusOK
	}
}

// Interface guards
var (
	_ http.ResponseWriter = (*statusWriter)(nil)
	_ io.ReaderFrom       = (*statusWriter)(nil)
)
