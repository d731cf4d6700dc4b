package commands

import (
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
)

func TestThePrintedAddressOfAGameIsItsPage(t *testing.T) {
	newFakeService(t)
	site := os.Getenv("SVC_BASE_URL")
	for _, base := range []string{site, site + "/", site + "/v1", site + "/v1/", strings.Replace(site, "//", "//user:word@", 1)} {
		code, stdout, stderr := svc("publish", fakeJob, "--base-url", base)
		if code != exitOK || stdout != site+api.PlayPath(fakeProject)+"\n" {
			t.Errorf("%s: exit %d: %q %s", base, code, stdout, stderr)
		}
	}
}
