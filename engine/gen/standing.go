package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/change"
	"github.com/svc-games/svc/engine/gen/spec"
)

// backgroundSum tells one text of instructions, context and skills from another.
func backgroundSum(req Request) string {
	sum := sha256.Sum256([]byte(background(req)))
	return hex.EncodeToString(sum[:8])
}

// heedBackground gives a game what its project's instructions, context and skills
// name, where those are not what they were for the job before: the first job, and
// each follow-up since, has heeded them already. It says what it changed.
func heedBackground(req Request, s *spec.Spec) (did []string) {
	was, is := s.Background, backgroundSum(req)
	s.Background = is
	text := background(req)
	if was == "" || was == is || strings.TrimSpace(text) == "" { // "" is a game of a former release, which heeded them
		return nil
	}
	for _, wish := range change.Standing(s, brief.Read(text)) {
		did = append(did, "as the instructions say, "+wish)
	}
	return did
}
