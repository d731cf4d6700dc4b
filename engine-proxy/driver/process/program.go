package process

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// program is a program that can be run, and what it takes to run it.
type program struct {
	path  string
	needs []string // files and directories that it reads and runs
}

// systemPrograms are where programs find interpreters and libraries. Nothing
// there is anyone's own.
var systemPrograms = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"}

// browserNeeds are where Debian's Chromium and its libraries and fonts are. No
// other program is there.
var browserNeeds = []string{"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share", "/etc/fonts"}

// present returns those of some paths that are there.
func present(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

var errNoProgram = errors.New("it is neither a program of this machine nor a script")

// examine finds a program and says what it needs: nothing but itself when it
// is linked statically, as ours are.
func examine(command string) (program, error) {
	path, err := exec.LookPath(command)
	if err != nil {
		return program{}, fmt.Errorf("looking for program: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return program{}, fmt.Errorf("looking for program: %w", err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return program{}, fmt.Errorf("looking for program: %w", err)
	}
	p := program{path: path, needs: []string{path}}
	f, err := os.Open(path)
	if err != nil {
		return program{}, fmt.Errorf("looking at program: %w", err)
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return program{}, fmt.Errorf("looking at program %s: %w", path, errNoProgram)
	}
	if string(magic[:2]) != "#!" {
		file, err := elf.NewFile(f)
		if err != nil {
			return program{}, fmt.Errorf("looking at program %s: %w", path, errNoProgram)
		}
		if !slices.ContainsFunc(file.Progs, func(segment *elf.Prog) bool { return segment.Type == elf.PT_INTERP }) {
			return p, nil
		}
	}
	p.needs = append(p.needs, present(systemPrograms)...)
	return p, nil
}

// programs makes sure that engine and shim can be run, and returns the engine's.
func (d *Driver) programs() (program, error) {
	prog, err := examine(d.opts.Command[0])
	if err == nil {
		_, err = examine(d.opts.Shim)
	}
	if err != nil {
		return program{}, cannotRun(err)
	}
	return prog, nil
}

// cannotRun makes an error one that will not go away by itself.
func cannotRun(err error) error {
	return driverkit.Refused("The engine's program can't be run.", err)
}
