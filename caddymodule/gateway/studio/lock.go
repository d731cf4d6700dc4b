package studio

import (
	"net/http"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// lock has jobs leave a file as it is, or no longer.
func (s *Studio) lock(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	name, method, say := x.r.PostFormValue("path"), http.MethodDelete, "unlocked"
	if !api.CleanPath(name) {
		return badName()
	}
	if x.r.PostFormValue("lock") != "" {
		method, say = http.MethodPut, "locked"
	}
	return s.change(x, "Not changed: ", "?done="+say+fileLink(name), call{method: method, path: contract.PathLock, query: fileQuery(name, 0)})
}
