package procfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Computes reports whether a thread of a process, or of one that it has
// started, has a processor or waits for one. A process that left its parent's
// care is not found.
func Computes(pid int) (bool, error) {
	tasks := filepath.Join("/proc", strconv.Itoa(pid), "task")
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return false, fmt.Errorf("listing threads: %w", err)
	}
	for _, thread := range threads {
		dir := filepath.Join(tasks, thread.Name())
		st, err := readStat(dir)
		if err == nil && st.State == 'R' {
			return true, nil
		}
		children, childErr := os.ReadFile(filepath.Join(dir, "children"))
		if Gone(err) || Gone(childErr) {
			continue // the thread has ended
		}
		if err != nil {
			return false, err
		}
		if childErr != nil {
			return false, fmt.Errorf("listing children: %w", childErr)
		}
		for _, child := range strings.Fields(string(children)) {
			id, err := strconv.Atoi(child)
			if err != nil {
				return false, fmt.Errorf("listing children: %w", err)
			}
			if computes, err := Computes(id); computes || err != nil && !Gone(err) {
				return computes, err
			}
		}
	}
	return false, nil
}
