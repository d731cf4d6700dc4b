package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
)

// Bounds of a plan.
const (
	maxQuestions = 3
	maxQuestion  = 300
	maxPlan      = 16 << 10
)

// planTools are for plans alone, which change nothing.
var planTools = []tool{
	{"ask", "Puts at most 3 questions to the user, where the answer changes the plan.", `"questions":{"type":"array","items":{"type":"string"}}`, []string{"questions"}, planning, with(askUser)},
	{"propose_plan", "Hands the plan in, in Markdown: the game or the change, its rules, controls and screens, what is in doubt.", `"plan":{"type":"string"}`, []string{"plan"}, planning, with(proposePlan)},
}

func planning(t Task) bool { return t.Plan }

func askUser(_ context.Context, s *session, a struct{ Questions []string }) (result, error) {
	for _, q := range a.Questions {
		if q = strings.Join(strings.Fields(q), " "); q == "" {
			continue
		}
		if len(s.questions) == maxQuestions {
			return bad(fmt.Errorf("you have asked %d questions, which is the most", maxQuestions)), nil
		}
		s.questions = append(s.questions, author.Clip(q, maxQuestion))
	}
	return good("The user sees the questions with the plan, and answers later. Propose the plan with what you take for granted."), nil
}

func proposePlan(_ context.Context, s *session, a struct{ Plan string }) (result, error) {
	if strings.TrimSpace(a.Plan) == "" {
		return bad(errors.New("the plan is empty")), nil
	}
	s.plan, s.finished = author.Clip(a.Plan, maxPlan), true
	return good("It is written down."), nil
}
