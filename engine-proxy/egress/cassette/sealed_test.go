package cassette

import (
	"os"
	"strings"
	"testing"
)

// What only a provider can read is in no cassette, whichever wire it came over: neither
// in the answer nor in the request that gives it back.
func TestWhatAProviderHasSealedIsInNoCassette(t *testing.T) {
	answer, err := os.ReadFile("../../../engine/model/testdata/streams/router.chat")
	if err != nil {
		t.Fatal(err)
	}
	const secret = "gAAA=="
	if !strings.Contains(string(answer), secret) {
		t.Fatal("the recorded stream has no sealed reasoning")
	}
	request := `{"model":"m","messages":[{"role":"assistant","content":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"` + secret + `"}]}]}`
	tape, err := New("/chat/completions", []byte(request), 200, "text/event-stream", answer)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(tape.Request), secret) || strings.Contains(tape.Answer, secret) {
		t.Errorf("it is kept: %s, %s", tape.Request, tape.Answer)
	}
}
