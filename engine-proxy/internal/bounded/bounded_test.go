package bounded

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestNoMoreIsReadThanAgreed(t *testing.T) {
	t.Parallel()
	over := errors.New("over")
	for text, want := range map[string]error{"": nil, "1234": nil, "12345": over, "123456": over} {
		for name, from := range map[string]io.Reader{
			"at once": strings.NewReader(text), "bytewise": iotest.OneByteReader(strings.NewReader(text)),
			"end with the data": iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := io.ReadAll(Reader(from, 4, over))
			if !errors.Is(err, want) || want == nil && string(got) != text || len(got) > 5 {
				t.Errorf("%q, %s: got %q, %v, want %v", text, name, got, err, want)
			}
		}
	}
}
