package requests

import (
	"runtime"
	"strings"
	"testing"
)

// A key that may do nothing else can send such bodies, hundreds at once.
func TestABodyOfAMillionElementsTakesNoMoreMemoryThanOthersOfItsSize(t *testing.T) {
	for _, element := range []string{"{}", "0"} {
		body := []byte(`{"projectId":"0123456789abcdef01234567","prompt":"p","context":[` + strings.Repeat(element+",", 1<<20) + element + `]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseGenerateRequest(body)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("elements %s were accepted", element)
		}
		// A decoder reads into a buffer that it doubles, and takes the array out of it.
		if took := after.TotalAlloc - before.TotalAlloc; took > 10*uint64(len(body)) {
			t.Errorf("elements %s: reading %d bytes took %d", element, len(body), took)
		}
	}
}
