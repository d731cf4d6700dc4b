package skills

import (
	"strings"

	"github.com/svc-games/svc/api"
)

// LearnedPrefix begins the keys of skills that successful runs made.
const LearnedPrefix = "auto-"

// Learned reports whether a successful run made the skill.
func Learned(s api.Skill) bool { return strings.HasPrefix(s.Key, LearnedPrefix) }
