package wait

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// meter counts the time that the machine had for this process.
type meter struct {
	last    time.Time
	had     time.Duration
	crowded func() float64 // how many programs want a processor, for each there is
}

// longest is what one reading counts at most: between two that are further apart
// the machine stood still.
const longest = time.Second

func newMeter() *meter { return &meter{last: time.Now(), crowded: crowd} }

// passed returns the time since newMeter. It is to be called often.
func (m *meter) passed() time.Duration {
	now := time.Now()
	m.had += time.Duration(float64(min(now.Sub(m.last), longest)) / max(m.crowded(), 1))
	m.last = now
	return m.had
}

// crowd reads how many programs want a processor just now, for each processor
// there is; 1 where the kernel does not tell.
func crowd() float64 {
	raw, err := os.ReadFile("/proc/loadavg") // 1.04 1.20 1.00 RUNNABLE/ALL LAST
	if err != nil {
		return 1
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 4 {
		return 1
	}
	runnable, _, _ := strings.Cut(fields[3], "/")
	n, err := strconv.Atoi(runnable)
	if err != nil {
		return 1
	}
	return float64(n) / float64(runtime.NumCPU())
}
