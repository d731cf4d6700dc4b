package dockertest

import (
	"archive/tar"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/moby/client"
)

// SelfPath is where images have their program: the test binary, or another.
const SelfPath = "/usr/local/bin/engine"

// Client returns a client of the daemon.
func (d *Daemon) Client(t testing.TB) *client.Client {
	t.Helper()
	api, err := client.New(client.WithHost(d.Host))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	return api
}

// ImportSelf makes an image whose command is the running test binary, which is
// to become an engine by its environment, unless the daemon has one of that name.
func (d *Daemon) ImportSelf(t testing.TB, name string) {
	t.Helper()
	if _, err := d.Client(t).ImageInspect(t.Context(), name); err == nil {
		return
	}
	d.Import(t, name, selfFiles(t), `ENTRYPOINT ["`+SelfPath+`"]`)
}

// selfFiles returns the files that the test binary needs to run, by their paths in
// an image.
func selfFiles(t testing.TB) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{SelfPath: self}
	libraries, err := sharedLibraries(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range libraries {
		files[path] = path
	}
	return files
}

// ImportProgram makes an image whose command is a program that needs no other
// file, unless the daemon has one of that name.
func (d *Daemon) ImportProgram(t testing.TB, name, program string) {
	t.Helper()
	if _, err := d.Client(t).ImageInspect(t.Context(), name); err == nil {
		return
	}
	d.Import(t, name, map[string]string{SelfPath: program}, `ENTRYPOINT ["`+SelfPath+`"]`)
}

// Import makes an image of what WriteTar writes. Changes are lines of a Dockerfile.
func (d *Daemon) Import(t testing.TB, name string, files map[string]string, changes ...string) {
	t.Helper()
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(WriteTar(writer, files)) }()
	defer reader.Close()
	result, err := d.Client(t).ImageImport(t.Context(),
		client.ImageImportSource{Source: reader, SourceName: "-"}, name, client.ImageImportOptions{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	said, err := io.ReadAll(result)
	if err != nil || strings.Contains(string(said), `"errorDetail"`) {
		t.Fatalf("importing %s: %v\n%s", name, err, said)
	}
}

// WriteTar writes files of this machine, by their paths in an image. Folders are taken
// whole.
func WriteTar(w io.Writer, files map[string]string) error {
	out := tar.NewWriter(w)
	for inside, outside := range files {
		err := filepath.WalkDir(outside, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			rel, err := filepath.Rel(outside, path)
			if err != nil {
				return err
			}
			return addFile(out, filepath.Join(inside, rel), path)
		})
		if err != nil {
			return err
		}
	}
	return out.Close()
}

func addFile(out *tar.Writer, name, path string) error {
	f, err := os.Open(path) // which follows the links of libraries
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()) | 0o444, Size: info.Size()}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return err
}

// sharedLibraries returns what a program needs to run: nothing, unless it was
// built with the race detector, which needs the C library.
func sharedLibraries(program string) ([]string, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if needed, err := f.ImportedLibraries(); err != nil || len(needed) == 0 {
		return nil, err
	}
	said, err := exec.Command("ldd", program).Output()
	if err != nil {
		return nil, fmt.Errorf("looking for shared libraries: %w", err)
	}
	return regexp.MustCompile(`/\S+`).FindAllString(string(said), -1), nil
}
