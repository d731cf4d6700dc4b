package commands

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
)

func TestEnginesGoToTheNextDataFolderOnceTheyAreReleased(t *testing.T) {
	s := startAdminService(t)
	if code, _, stderr := s.run("engines", "owner"); code == exitOK || !strings.Contains(stderr, "the next engine proxy that starts will") {
		t.Errorf("nobody has them: exit %d, %q", code, stderr)
	}
	first, second := contract.Installation{ID: "first", Place: "a:/srv/svc"}, contract.Installation{ID: "second", Place: "b:/srv/svc"}
	for _, who := range []contract.Installation{first, second} {
		if owner, err := s.Claim(t.Context(), who); err != nil || owner.ID != first.ID {
			t.Errorf("%+v, %v", owner, err)
		}
	}
	if out := s.must(t, "engines", "owner"); !strings.Contains(out, first.Place) {
		t.Errorf("owner: %q", out)
	}
	if released := decodeAdmin[contract.Installation](t, s, "engines", "release"); released.ID != first.ID {
		t.Errorf("released %+v", released)
	}
	if owner, err := s.Claim(t.Context(), second); err != nil || owner.ID != second.ID {
		t.Errorf("%+v, %v", owner, err)
	}
	if out := s.must(t, "audit"); !strings.Contains(out, "engines.release") {
		t.Errorf("audit: %q", out)
	}
}
