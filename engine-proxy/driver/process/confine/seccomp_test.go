package confine

import "testing"

func TestFilterIsOneThatTheKernelTakes(t *testing.T) {
	const most = 4096 // BPF_MAXINSNS
	for _, shared := range []bool{false, true} {
		for _, ask := range []bool{false, true} {
			if n := len(filter(shared, ask)); n > most {
				t.Errorf("%d instructions of %d", n, most)
			}
		}
	}
}
