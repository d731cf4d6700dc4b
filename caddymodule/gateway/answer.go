package gateway

import (
	"bytes"
	"net/http"
)

// maxAnswer bounds, in bytes, an engine's answer to a submission; the
// contract's is a few hundred.
const maxAnswer = 64 << 10

// answer is what came back from the engine.
type answer struct {
	status  int         // 0 when no complete answer came
	header  http.Header // of the answer
	body    []byte
	notSent bool // the connection could not be made: the engine saw nothing
}

// answerWriter keeps an engine's answer to a submission: the gateway writes
// the client's answer itself, once the ledger has the job.
type answerWriter struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	overflow bool
}

func newAnswerWriter() *answerWriter { return &answerWriter{header: make(http.Header)} }

func (a *answerWriter) Header() http.Header { return a.header }

func (a *answerWriter) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status = status
	}
}

func (a *answerWriter) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.body.Len()+len(p) > maxAnswer {
		a.overflow = true
		return len(p), nil
	}
	return a.body.Write(p)
}

func (a *answerWriter) answer() answer {
	return answer{status: a.status, header: a.header, body: a.body.Bytes()}
}

// Interface guards
var _ http.ResponseWriter = (*answerWriter)(nil)
