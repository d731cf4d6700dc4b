package policy

import (
	"testing"
	"testing/fstest"
)

// TestWhatAPolicyReadsOfARequestIsKnown has each way to name a fact, and some that take
// more than they name.
func TestWhatAPolicyReadsOfARequestIsKnown(t *testing.T) {
	for condition, want := range map[string]Reads{
		"input.action == \"status\"":                                                    0,
		"input.key.labels.ip == \"input.request.ip\"":                                   0,
		"input.request.ip == \"::1\"":                                                   ReadsIP,
		"net.cidr_contains(\"10.0.0.0/8\", input.request.ip)":                           ReadsIP,
		"input.request.time < \"2026\"; input.request.method == \"GET\"":                ReadsTime | ReadsMethod,
		"input[\"request\"].userAgent != \"\"":                                          ReadsUserAgent,
		"not input.request.method == \"GET\"":                                           ReadsMethod,
		"some r in [input.request]; r.ip":                                               readsAll,
		"input.request[\"ip\"]":                                                         ReadsIP,
		"some name in [\"ip\"]; input.request[name]":                                    readsAll,
		"some name in [\"request\"]; input[name]":                                       readsAll,
		"object.get(input, [\"request\", \"ip\"], \"\")":                                readsAll,
		"object.get(input.request, \"ip\", \"\")":                                       readsAll,
		"whole := input; whole.request":                                                 readsAll,
		"walk(input, [_, \"GET\"])":                                                     readsAll,
		"data.svc.elsewhere.early":                                                      ReadsTime,
		"data.svc.elsewhere[\"early\"]":                                                 ReadsTime,
		"some rule in [\"early\"]; data.svc.elsewhere[rule]":                            ReadsTime | ReadsMethod | ReadsIP,
		"data.svc.elsewhere.is_get(input.action)":                                       ReadsMethod,
		"count([1 | input.request.userAgent]) > 0":                                      ReadsUserAgent,
		"every x in [1] { input.request.ip; x }":                                        ReadsIP,
		"input.key.id == \"k\" with input.request.ip as \"::1\"":                        ReadsIP,
		"input.project[input.request.method]":                                           ReadsMethod,
		"input.project.attributes[input.request.ip] == input.project.attributes[\"x\"]": ReadsIP,
	} {
		e, err := NewEvaluator(fstest.MapFS{
			"svc/authz/authz.rego": {Data: []byte("package svc.authz\n\n# METADATA\n# entrypoint: true\ndecision := {\"allow\": allow, \"status\": 403, \"error\": \"No.\", \"rule\": \"no\", \"limits\": limits}\n\nlimits := {\"jobsPerDay\": null, \"jobsPerMonth\": null, \"maxConcurrentJobs\": null, \"tikPerMonth\": null}\n\ndefault allow := false\n\nallow if {\n\t" + condition + "\n}\n")},
			"svc/elsewhere/elsewhere.rego": {Data: []byte("package svc.elsewhere\n\nearly if input.request.time < \"2026\"\n\n" +
				"is_get(action) if {\n\tinput.request.method == \"GET\"\n\taction == \"status\"\n}\n\nunused if input.request.ip\n")},
		})
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if got := e.Reads(); got != want {
			t.Errorf("%s: reads %04b, want %04b", condition, got, want)
		}
	}
	if got := embeddedEvaluator(t).Reads(); got != 0 {
		t.Errorf("the shipped policy reads %04b of requests", got)
	}
}

// TestWhetherAPolicyReadsAttributesOfProjectsIsKnown: lists are longer where it does.
func TestWhetherAPolicyReadsAttributesOfProjectsIsKnown(t *testing.T) {
	for condition, want := range map[string]bool{
		"input.project.ownerId == input.key.userId":                    false,
		"input.user.attributes.staff == \"yes\"":                       false,
		"input.key.labels.attributes == \"x\"":                         false,
		"input.project.attributes.readers == input.key.userId":         true,
		"input.project.adminAttributes.plan == \"school\"":             true,
		"input.key.userId in split(input.project.attributes.r, \",\")": true,
		"object.get(input.project, \"attributes\", {}).r == \"x\"":     true,
		"some name in [\"attributes\"]; input.project[name].r":         true,
		"some name in [\"project\"]; input[name].attributes.r":         true,
		"walk(input, [_, \"alice\"])":                                  true,
	} {
		e, err := NewEvaluator(fstest.MapFS{"svc/authz/authz.rego": {Data: []byte("package svc.authz\n\n# METADATA\n# entrypoint: true\ndecision := {\"allow\": allow, \"status\": 403, \"error\": \"No.\", \"rule\": \"no\", \"limits\": limits}\n\nlimits := {\"jobsPerDay\": null, \"jobsPerMonth\": null, \"maxConcurrentJobs\": null, \"tikPerMonth\": null}\n\ndefault allow := false\n\nallow if {\n\t" + condition + "\n}\n\nunused if input.project.attributes.x\n")}})
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if got := e.ReadsAttributes(); got != want {
			t.Errorf("%s: %t, want %t", condition, got, want)
		}
	}
	if embeddedEvaluator(t).ReadsAttributes() {
		t.Error("the shipped policy reads attributes of projects")
	}
}

// TestWhatNoRuleReadsCostsADecisionNothing counts allocations, which do not depend on
// the machine.
func TestWhatNoRuleReadsCostsADecisionNothing(t *testing.T) {
	e := embeddedEvaluator(t)
	cost := func(in Input) float64 {
		return testing.AllocsPerRun(200, func() {
			if d, err := e.Decide(t.Context(), in); err != nil || !d.Allow {
				t.Fatalf("%+v, %v", d, err)
			}
		})
	}
	in := admissible()
	without := cost(in)
	in.Request = &Request{IP: "192.0.2.1", Time: "2026-11-25T12:00:00Z", Method: "POST", UserAgent: "curl/8.5.0"}
	// The race detector empties pools at random, which moves the mean by two or three.
	if with := cost(in); with > without+4 {
		t.Errorf("a decision costs %v allocations with the facts of the request, %v without", with, without)
	}
}
