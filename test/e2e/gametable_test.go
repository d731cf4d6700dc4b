package e2e

// gameAddresses are those at which its owner sets a published game.
func (s *scene) gameAddresses(huge string, gzip []string) []address {
	publish := func(project string) string { return "/v1/projects/" + project + "/publish" }
	job := func(id string) any { return map[string]string{"jobId": id} }
	experiments := func(project string) string { return "/v1/projects/" + project + "/experiments" }
	board := func(project string) string { return "/v1/projects/" + project + "/board" }
	speed := func(state string, values ...string) any {
		body := map[string]any{"id": "speed", "state": state}
		if len(values) > 0 {
			body["values"] = values
		}
		return body
	}
	return []address{
		{"/v1/projects/{projectId}/publish/settings", []ask{
			{200, "GET", publish(s.project) + "/settings", nil, nil},
			{400, "GET", publish("x") + "/settings", nil, nil},
			{403, "GET", publish(nobodys) + "/settings", nil, nil},
			{200, "POST", publish(s.project) + "/settings", map[string]any{"origins": []string{"https://example.com"}, "tikPerMonth": 5}, nil},
			{400, "POST", publish(s.project) + "/settings", map[string]any{"origins": []string{"example"}}, nil},
			{403, "POST", publish(nobodys) + "/settings", map[string]any{}, nil},
			{413, "POST", publish(s.project) + "/settings", huge, nil},
			{415, "POST", publish(s.project) + "/settings", map[string]any{}, gzip},
		}, map[string][]int{"GET": {404, 503}, "POST": {404, 503}}},
		{"/v1/projects/{projectId}/publish/key", []ask{
			{404, "POST", publish(s.project) + "/key", nil, nil},
			{200, "POST", publish(s.project), job(s.job), nil},
			{200, "POST", publish(s.project) + "/key", map[string]any{"keepDays": 0}, nil},
			{400, "POST", publish(s.project) + "/key", map[string]any{"keepDays": 1.5}, nil},
			{403, "POST", publish(nobodys) + "/key", nil, nil},
			{413, "POST", publish(s.project) + "/key", huge, nil},
			{415, "POST", publish(s.project) + "/key", map[string]any{}, gzip},
		}, map[string][]int{"POST": {503}}},
		{"/v1/projects/{projectId}/experiments", []ask{
			{200, "GET", experiments(s.project), nil, nil},
			{400, "GET", experiments("x"), nil, nil},
			{403, "GET", experiments(nobodys), nil, nil},
			{200, "POST", experiments(s.project), speed("draft", "1", "1.25"), nil},
			{200, "POST", experiments(s.project), speed("running"), nil},
			{409, "POST", experiments(s.project), speed("draft", "1", "2"), nil},
			{404, "POST", experiments(s.project), map[string]any{"id": "other", "state": "running"}, nil},
			{400, "POST", experiments(s.project), speed("draft", "1"), nil},
			{403, "POST", experiments(nobodys), speed("stopped"), nil},
			{413, "POST", experiments(s.project), huge, nil},
			{415, "POST", experiments(s.project), speed("stopped"), gzip},
		}, map[string][]int{"GET": {503}, "POST": {503}}},
		{"/v1/projects/{projectId}/board", []ask{
			{200, "GET", board(s.project), nil, nil},
			{400, "GET", board("x"), nil, nil},
			{403, "GET", board(nobodys), nil, nil},
			{200, "POST", board(s.project), map[string]any{"better": "higher", "most": 1e9}, nil},
			{400, "POST", board(s.project), map[string]any{"better": "best"}, nil},
			{403, "POST", board(nobodys), map[string]any{}, nil},
			{413, "POST", board(s.project), huge, nil},
			{415, "POST", board(s.project), map[string]any{}, gzip},
		}, map[string][]int{"GET": {503}, "POST": {503}}},
	}
}
