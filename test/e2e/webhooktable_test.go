package e2e

// hookAddresses are those of webhooks.
func (s *scene) hookAddresses(huge string, gzip []string) []address {
	path := func(project, rest string) string { return "/v1/projects/" + project + "/webhook" + rest }
	hook := map[string]string{"url": "https://hooks.example.com/svc"}
	delivery := map[string]string{"deliveryId": "msg_01JD0000000000000000000000"}
	return []address{
		{"/v1/projects/{projectId}/webhook", []ask{
			{404, "GET", path(s.project, ""), nil, nil},
			{400, "POST", path(s.project, ""), map[string]string{"url": "https://127.0.0.1/"}, nil},
			{403, "POST", path(nobodys, ""), hook, nil},
			{413, "POST", path(s.project, ""), huge, nil},
			{415, "POST", path(s.project, ""), `{"url":"https://hooks.example.com/svc"}`, gzip},
			{200, "POST", path(s.project, ""), hook, nil},
			{200, "GET", path(s.project, ""), nil, nil},
			{400, "GET", path("x", ""), nil, nil},
			{403, "GET", path(nobodys, ""), nil, nil},
			{200, "DELETE", path(s.project, ""), nil, nil},
			{400, "DELETE", path("x", ""), nil, nil},
			{403, "DELETE", path(nobodys, ""), nil, nil},
			{200, "POST", path(s.project, ""), hook, nil},
		}, map[string][]int{"GET": {503}, "POST": {404, 503}, "DELETE": {503}}},
		{"/v1/projects/{projectId}/webhook/secret", []ask{
			{200, "POST", path(s.project, "/secret"), nil, nil},
			{400, "POST", path("x", "/secret"), nil, nil},
			{403, "POST", path(nobodys, "/secret"), nil, nil},
			{404, "POST", path(s.unstarted, "/secret"), nil, nil},
		}, map[string][]int{"POST": {503}}},
		{"/v1/projects/{projectId}/webhook/deliveries", []ask{
			{200, "GET", path(s.project, "/deliveries?state=dead"), nil, nil},
			{400, "GET", path(s.project, "/deliveries?state=x"), nil, nil},
			{403, "GET", path(nobodys, "/deliveries"), nil, nil},
		}, map[string][]int{"GET": {503}}},
		{"/v1/projects/{projectId}/webhook/replay", []ask{
			{404, "POST", path(s.project, "/replay"), delivery, nil},
			{400, "POST", path(s.project, "/replay"), map[string]string{"deliveryId": "x"}, nil},
			{403, "POST", path(nobodys, "/replay"), delivery, nil},
			{413, "POST", path(s.project, "/replay"), huge, nil},
			{415, "POST", path(s.project, "/replay"), `{"deliveryId":"msg_01JD0000000000000000000000"}`, gzip},
		}, map[string][]int{"POST": {200, 503}}},
	}
}
