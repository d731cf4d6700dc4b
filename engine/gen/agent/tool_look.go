package agent

import (
	"context"

	"github.com/svc-games/svc/engine/model"
)

// lookTool shows a moment of a play.
var lookTool = tool{
	"look", "Shows a shot of a play: the picture if you can see, and in words its texts and figures with their places, what is cut or overlaps, the colours, and what moved.",
	`"shot":{"type":"string"}`, []string{"shot"}, staged, with(look),
}

func look(_ context.Context, s *session, a struct{ Shot string }) (result, error) {
	stage := s.task.Stage
	jpeg, words, err := stage.album.Shot(a.Shot)
	if err != nil {
		return bad(err), nil
	}
	r := good("%s", limited(words, maxResult))
	if stage.Sees {
		r.images = []model.Image{{Type: "image/jpeg", Data: jpeg}}
	}
	return r, nil
}
