package studio

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// pictureJobs is how many of a project's last jobs are looked at for a picture.
const pictureJobs = 3

// picture answers with what a project's game looks like, for the list of projects. It comes
// from the archive, so that no engine starts for it. A project without one has a pattern
// that is always the same.
func (s *Studio) picture(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	list, err := s.Sidecar.ProjectJobs(x.r.Context(), x.project(), "")
	if err != nil {
		return err
	}
	h := x.Header()
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	looked := 0
	for _, job := range list.Jobs {
		if job.Status != api.JobCompleted || job.Files == nil {
			continue
		}
		if looked++; looked > pictureJobs {
			break
		}
		if data, there := s.Previews.Picture(x.r.Context(), s.Engines, job.JobID); there {
			h.Set("Content-Type", "image/jpeg")
			_, _ = x.Write(data) // a browser that went away is no error of ours
			return nil
		}
	}
	h.Set("Content-Type", "image/svg+xml")
	_, _ = x.Write([]byte(pattern(x.project())))
	return nil
}

// pattern draws a symmetrical picture of a name, in its own colours.
func pattern(name string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	bits := hash.Sum64()
	hue := bits % 360
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 6" width="240" height="180"><path fill="hsl(%d 40%% 32%%)" d="M0 0h8v6H0z"/><path fill="hsl(%d 60%% 62%%)" d="`, hue, (hue+40)%360)
	for i := range 12 { // three columns of four, and their reflection
		if bits>>(i+9)&1 == 1 {
			x, y := 1+i%3, 1+i/3
			fmt.Fprintf(&out, "M%d %dh1v1h-1zM%d %dh1v1h-1z", x, y, 7-x, y)
		}
	}
	out.WriteString(`"/></svg>`)
	return out.String()
}
