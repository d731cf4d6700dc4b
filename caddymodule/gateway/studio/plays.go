package studio

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// playTimeout bounds how long an engine may follow a play.
const playTimeout = 5 * time.Minute

// kept is the answer to a play that was kept.
type kept struct {
	Path string `json:"path"`
	contract.Saved
}

// keepPlay keeps a play as a check of the game, if it holds when the engine follows it. The
// play is the game's word, which is hostile: of it only what a check has is taken.
func (s *Studio) keepPlay(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	path, text, err := checkOf(x.r.PostFormValue("name"), x.r.PostFormValue("play"))
	if err != nil {
		return err
	}
	played, err := askFor[contract.Played](x.r.Context(), s, x.owner(), call{
		method: http.MethodPost, path: contract.PathPlay, body: text, timeout: playTimeout,
	})
	if err != nil {
		return err
	}
	if played.Against != "" {
		return &answers.Error{Status: http.StatusUnprocessableEntity, Message: "When the engine played it again, it did not hold. " + played.Against}
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodPut, path: contract.PathFile, query: fileQuery(path, 0), body: text, header: precondition("")})
	if err == nil && a.status == http.StatusPreconditionFailed {
		return &answers.Error{Status: a.status, Message: "There is a check of this name already: choose another name."}
	}
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return err
	}
	out := kept{Path: path}
	if err := json.Unmarshal(a.body, &out.Saved); err != nil {
		return answers.Unavailable("The check may have been kept: look at the files.", time.Second, err)
	}
	return writeJSON(x, http.StatusOK, out)
}

// checkOf returns the file and the text of a check of a play.
func checkOf(name, play string) (path string, text []byte, err error) {
	var check struct {
		Name   string            `json:"name"`
		Seed   uint32            `json:"seed"`
		Frames int               `json:"frames"`
		Inputs []json.RawMessage `json:"inputs"`
		Expect json.RawMessage   `json:"expect"`
	}
	if err := json.Unmarshal([]byte(play), &check); err != nil || len(check.Inputs) == 0 || len(check.Expect) == 0 {
		return "", nil, answers.BadRequest("Play the game first: what is kept is what was played since it was loaded.")
	}
	check.Name = clip(strings.Join(strings.Fields(name), " "), maxCheckName)
	file := strings.Trim(plain.ReplaceAllString(strings.ToLower(check.Name), "-"), "-.")
	if file == "" {
		return "", nil, answers.BadRequest("The name of a check has letters or digits.")
	}
	text, err = json.MarshalIndent(check, "", "  ")
	return "checks/" + file + ".json", append(text, '\n'), err
}

// maxCheckName bounds the name of a check, in characters.
const maxCheckName = 60
