package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"github.com/svc-games/svc/api"
)

// JobQuery says which jobs are listed. The zero JobQuery lists all of the key's user.
type JobQuery struct {
	ProjectID string        // "" for every project that the key's user owns
	Status    api.JobStatus // "" for every one
}

// Jobs yields jobs, newest first, page by page. An error ends it.
func (c *Client) Jobs(ctx context.Context, of JobQuery) iter.Seq2[api.Job, error] {
	return pages(func(after string) ([]api.Job, string, error) {
		path := listPath("/v1/generate", "projectId", of.ProjectID, "status", string(of.Status), "after", after)
		var page api.JobList
		err := c.ask(ctx, http.MethodGet, path, nil, &page)
		return page.Data, page.NextCursor, err
	})
}

// listPath returns a path with parameters, without those that are empty.
func listPath(path string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// pages yields what is on each page of a list: ask returns a page and what the next one
// comes after, "" at the end.
func pages[T any](ask func(after string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		after := ""
		for {
			page, next, err := ask(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
			if next == "" || next == after {
				return
			}
			after = next
		}
	}
}
