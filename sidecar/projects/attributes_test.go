package projects_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/store"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

func TestAttributesAreSetAndRemovedOneByOne(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		p := create(t, c, "alice", "pong")
		want := map[string]string{}
		for _, step := range []map[string]*string{
			{"readers": new("bob, carol"), "team": new("arcade")},
			{"readers": new("bob")},
			{"team": nil, "never.set": nil},
		} {
			d, err := c.SetAttributes(t.Context(), projects.AttributeChange{Actor: "uid:7", ProjectID: p.ID, Set: step})
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range step {
				if value == nil {
					delete(want, name)
				} else {
					want[name] = *value
				}
			}
			found, err := c.Details(t.Context(), p.ID)
			if err != nil || !maps.Equal(d.Attributes, want) || !maps.Equal(found.Attributes, want) || found.Project != p || found.OwnerID != "alice" {
				t.Errorf("got %+v, found %+v, %v; want %v", d, found, err, want)
			}
		}
	})
}

func TestOnlyTheOwnerSetsAttributesInTheConsole(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		p := create(t, c, "alice", "pong")
		set := map[string]*string{"readers": new("bob")}
		for owner, want := range map[string]error{"alice": nil, "bob": sidecar.ErrUnknownProject, "": nil} {
			_, err := c.SetAttributes(t.Context(), projects.AttributeChange{Actor: "test", ProjectID: p.ID, OwnerID: owner, Set: set})
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("as %q: %v, want %v", owner, err, want)
			}
		}
		_, err := c.SetAttributes(t.Context(), projects.AttributeChange{Actor: "test", ProjectID: "000000000000000000000000", Set: set})
		if !errors.Is(err, sidecar.ErrUnknownProject) {
			t.Errorf("got %v, want ErrUnknownProject", err)
		}
	})
}

func TestAttributesOfAnAdminAreBesideThoseOfTheOwner(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		p := create(t, c, "alice", "pong")
		for _, change := range []projects.AttributeChange{
			{Admin: true, Set: map[string]*string{"networks": new("192.0.2.0/24"), "gone": new("x")}},
			{Admin: true, Set: map[string]*string{"gone": nil}},
			{OwnerID: "alice", Set: map[string]*string{"networks": new("0.0.0.0/0")}},
		} {
			change.Actor, change.ProjectID = "test", p.ID
			if _, err := c.SetAttributes(t.Context(), change); err != nil {
				t.Fatal(err)
			}
		}
		_, err := c.SetAttributes(t.Context(), projects.AttributeChange{
			Actor: "test", ProjectID: p.ID, OwnerID: "alice", Admin: true, Set: map[string]*string{"networks": new("0.0.0.0/0")},
		})
		if err == nil {
			t.Error("the owner sets an attribute of the admin")
		}
		d, err := c.Details(t.Context(), p.ID)
		if err != nil || !maps.Equal(d.AdminAttributes, map[string]string{"networks": "192.0.2.0/24"}) || !maps.Equal(d.Attributes, map[string]string{"networks": "0.0.0.0/0"}) {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestAttributesAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, c *projects.Catalog) {
		p := create(t, c, "alice", "pong")
		many := map[string]*string{}
		for i := range projects.MaxAttributes + 1 {
			many[fmt.Sprintf("a%d", i)] = new("x")
		}
		wide := map[string]*string{}
		for i := range projects.MaxAttributes {
			wide[fmt.Sprintf("a%d", i)] = new(strings.Repeat("<", projects.MaxAttributeValue))
		}
		for name, set := range map[string]map[string]*string{
			"nothing": nil, "too many": many, "too much in all": wide,
			"no name":           {"": new("x")},
			"a name with space": {"a b": new("x")},
			"a long name":       {strings.Repeat("a", 65): new("x")},
			"a long value":      {"a": new(strings.Repeat("ü", projects.MaxAttributeValue+1))},
			"a line break":      {"a": new("x\ny")},
			"no UTF-8":          {"a": new("\xff")},
		} {
			var refusal *answers.Error
			_, err := c.SetAttributes(t.Context(), projects.AttributeChange{Actor: "test", ProjectID: p.ID, Set: set})
			if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if d, err := c.Details(t.Context(), p.ID); err != nil || len(d.Attributes) != 0 {
			t.Errorf("attributes %v, %v", d.Attributes, err)
		}
		longest := map[string]*string{strings.Repeat("a", 64): new(strings.Repeat("ü", projects.MaxAttributeValue)), "empty": new("")}
		if _, err := c.SetAttributes(t.Context(), projects.AttributeChange{Actor: "test", ProjectID: p.ID, Set: longest}); err != nil {
			t.Error(err)
		}
	})
}

func TestAChangeOfAttributesIsAuditedAndChangesTheBasisOfDecisions(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		registry := keys.New(s, time.Now)
		if _, err := registry.CreateUser(t.Context(), "test", "alice", 0); err != nil {
			t.Fatal(err)
		}
		hints := 0
		c := projects.New(projects.Options{Store: s, Now: time.Now, Changed: func() { hints++ }})
		p := create(t, c, "alice", "pong")
		before, err := registry.Changes(t.Context(), -1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.SetAttributes(t.Context(), projects.AttributeChange{
			Actor: "uid:7", ProjectID: p.ID, Set: map[string]*string{"readers": new("bob")},
		}); err != nil {
			t.Fatal(err)
		}
		after, err := registry.Changes(t.Context(), before.Seq)
		if err != nil || after.Basis == before.Basis || hints != 1 {
			t.Errorf("basis %q, before %q, %v; %d hints", after.Basis, before.Basis, err, hints)
		}
		if _, err := c.SetAttributes(t.Context(), projects.AttributeChange{
			Actor: "uid:7", ProjectID: p.ID, Admin: true, Set: map[string]*string{"plan": new("school")},
		}); err != nil {
			t.Fatal(err)
		}
		last, err := registry.Changes(t.Context(), after.Seq)
		if err != nil || last.Basis == after.Basis {
			t.Errorf("basis %q, before %q, %v", last.Basis, after.Basis, err)
		}
		log, err := registry.Audit(t.Context(), "", "", 0)
		if err != nil || log.Entries[0].Action != "project.admin_attributes" || string(log.Entries[0].Detail) != `{"from":{},"to":{"plan":"school"}}` {
			t.Errorf("audit %+v, %v", log.Entries, err)
		}
		log.Entries = log.Entries[1:]
		if err != nil || log.Entries[0].Actor != "uid:7" || log.Entries[0].Action != "project.attributes" || log.Entries[0].Subject != p.ID ||
			string(log.Entries[0].Detail) != `{"from":{},"to":{"readers":"bob"}}` {
			t.Errorf("audit log %+v, %v", log.Entries, err)
		}
	})
}

func TestAllProjectsAreListedPageByPage(t *testing.T) {
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		for _, user := range []string{"alice", "bob"} {
			if _, err := keys.New(s, time.Now).CreateUser(t.Context(), "test", user, 0); err != nil {
				t.Fatal(err)
			}
		}
		c := projects.New(projects.Options{Store: s, Now: func() time.Time { return time.UnixMilli(1_800_000_000_000) }})
		for i := range projects.MaxPage + 1 {
			create(t, c, []string{"alice", "bob"}[i%2], "p")
		}
		seen := map[string]bool{}
		page, err := c.List(t.Context(), "", "")
		for ; err == nil; page, err = c.List(t.Context(), "", page.Next) {
			for _, p := range page.Projects {
				seen[p.ID] = true
			}
			if page.Next == "" {
				break
			}
		}
		if err != nil || len(seen) != projects.MaxPage+1 {
			t.Errorf("%d projects, %v", len(seen), err)
		}
		if page, err := c.List(t.Context(), "bob", ""); err != nil || len(page.Projects) != projects.MaxPage/2 || page.Projects[0].OwnerID != "bob" {
			t.Errorf("%d projects of bob, %v", len(page.Projects), err)
		}
	})
}
