package requests

import (
	"errors"
	"testing"

	"github.com/svc-games/svc/api/answers"
)

func TestMalformedBodyIsRefusedWithItsPlace(t *testing.T) {
	for body, want := range map[string]string{
		``:                           "0 of 0",
		`{"name":`:                   "8 of 8",
		`{"name":"a"`:                "11 of 11",
		`{name:"a"}`:                 "2 of 10",
		`{"name":"a",}`:              "13 of 13",
		`{"x":[{"y":1},{"z":tru]}`:   "23 of 24",
		`{"name":"a"; "template":1}`: "12 of 26",
	} {
		_, err := ParseProjectRequest([]byte(body))
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Status != 400 || refused.Message != "The body is not valid JSON: see byte "+want+"." {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}
