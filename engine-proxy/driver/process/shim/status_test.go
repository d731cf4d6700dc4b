package shim

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRefusalOfAFullDiskSaysSo(t *testing.T) {
	for err, full := range map[error]bool{unix.ENOSPC: true, unix.EDQUOT: true, unix.EACCES: false, unix.EIO: false} {
		said := refusal(fmt.Errorf("noting instance: %w", &os.PathError{Op: "write", Path: "instance.json", Err: err}))
		if said.Full != full || said.Refused == "" || said.Fatal {
			t.Errorf("%v is told as %+v", err, said)
		}
	}
}
