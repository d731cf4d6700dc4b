package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-games/svc/client"
)

func TestWrongCommandLineIsAnsweredWithTheUsageOfThatCommand(t *testing.T) {
	for line, want := range map[string]string{
		"generate":                      "usage: svc generate BRIEF",
		"status a b":                    "usage: svc status JOB",
		"admin key create":              `"name", "user" not set; usage: svc admin key create --user ID --name N`,
		"admin key create --user alice": `"name" not set`,
		"admin user topup demo -5":      "usage: svc admin user topup ID N",
		"nothing":                       "; see svc --help",
		"engines strat":                 `unknown command "strat" for "svc engines"; see svc engines --help`,
		"policy verfiy":                 `unknown command "verfiy" for "svc policy"; see svc policy --help`,
		"admin user topup demo much":    "not an amount of TIK",
		"admin project attributes 1 x":  "not of the form NAME=VALUE",
		"policy table --write":          "needs the directory",
		"policy table embedded --write": "embedded can't be written to",
		"policy format active":          "active can't be written to",
		"policy sign p.tgz --key k":     "p.tgz can't be written to",
		"policy format root_test.go":    "is not a directory",
		"policy bundle embedded -o x":   "must end in .tar.gz",
	} {
		var out, errs bytes.Buffer
		code := Execute(strings.Fields(line), strings.NewReader(""), &out, &errs)
		if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("svc %s: %d\n%s%swant %q", line, code, out.String(), errs.String(), want)
		}
	}
}

func TestEachOfSeveralErrorsIsSaid(t *testing.T) {
	refused := &client.Error{StatusCode: http.StatusUnauthorized, Message: "This API key is not valid."}
	full := fmt.Errorf("writing the result: %w", syscall.ENOSPC)
	locked := fmt.Errorf("locking: %w", &fs.PathError{Op: "open", Path: "/a", Err: syscall.EACCES})
	const said = "This API key is not valid. Give another key with SVC_API_KEY or --api-key-file. (401)"
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.Join(refused, full), said + "\nwriting the result: no space left on device"},
		{&codedError{exitAuthentication, errors.Join(full, fmt.Errorf("asking: %w", refused), locked)},
			"writing the result: no space left on device\n" + said + "\nlocking: /a: permission denied"},
		{fmt.Errorf("downloading files: %w", errors.Join(refused, full)),
			"downloading files: " + said + "\nwriting the result: no space left on device"},
		{fmt.Errorf("downloading files: %w", errors.Join(refused, nil)), said},
	} {
		if got := sentence(tt.err); got != tt.want {
			t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
		}
	}
}

// An error is one line, with what to do and without the way it took.
func TestErrorsSayWhatIsWrongAndWhatToDo(t *testing.T) {
	newFakeService(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	bad := filepath.Join(dir, "bad")
	write(t, bad, "sk-bad")
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	other := page.URL
	const p = fakeProject
	const hint = "is the service running? start it with make run, or name "
	for line, want := range map[string]string{
		"engines list --data-dir " + dir:              "no engine proxy uses " + dir + ": " + hint + "its data directory with --data-dir",
		"engines list --data-dir " + file:             file + " is not a directory: name the data directory of the service with --data-dir",
		"admin key list --data-dir " + dir:            "nobody listens on " + dir + "/admin.sock: " + hint + "its data directory with --data-dir",
		"admin key list --data-dir " + file:           file + " is not a directory: name the data directory of the service with --data-dir",
		"policy status --data-dir " + file:            file + " is not a directory: name the data directory of the service with --data-dir",
		"policy verify " + dir + "/none":              "there is no policy " + dir + "/none: name its directory, or a bundle (.tar.gz)",
		"policy verify " + file:                       file + " is neither a directory nor a bundle (.tar.gz)",
		"policy sign " + dir + " --key /none":         "reading signing key: /none: no such file or directory",
		"policy explain x --data-dir " + dir:          "there is no decision log " + dir + "/decisions.jsonl: name one with --log, or the data directory of the service with --data-dir",
		"projects list --base-url http://127.0.0.1:1": "http://127.0.0.1:1 can't be reached (connect: connection refused): " + hint + "another with SVC_BASE_URL or --base-url",
		"projects list --base-url " + other:           "What answers at " + other + " is not the service. Name another with SVC_BASE_URL or --base-url. (404)",
		"status x --base-url http://127.0.0.1:1":      "http://127.0.0.1:1 can't be reached (connect: connection refused): " + hint + "another with SVC_BASE_URL or --base-url",
		"projects list --api-key-file " + file:        "no API key: set SVC_API_KEY or give --api-key-file",
		"projects list --api-key-file /none":          "reading API key: /none: no such file or directory",
		"projects list --api-key-file " + bad:         "This API key is not valid. Give another key with SVC_API_KEY or --api-key-file. (401)",
		"jobs --status done":                          "status must be one of queued, running, completed, failed and cancelled.",
		"experiments draft " + p + " speed 1 1":       "Each value must have 1 to 40 characters and differ from the others.",
		"generate brief -p x":                         `"x" is not a project id: want 24 lower-case hexadecimal characters`,
	} {
		if _, _, stderr := svc(strings.Fields(line)...); stderr != "svc: "+want+"\n" {
			t.Errorf("svc %s:\n%swant\nsvc: %s", line, stderr, want)
		}
	}
}
