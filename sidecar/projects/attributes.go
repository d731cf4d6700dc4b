package projects

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of a project's attributes. The schema bounds all of them together.
const (
	MaxAttributes     = 32
	MaxAttributeValue = 512   // characters
	maxAttributesText = 65536 // of the JSON text, as in the schema
)

// What the audit log calls a change of attributes, and one of those of an admin.
const (
	ActionAttributes      = "project.attributes"
	ActionAdminAttributes = "project.admin_attributes"
)

// attributeName is what an attribute may be called.
var attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// AttributeChange sets attributes of a project. They are facts of the policy:
// its rules say what they mean.
type AttributeChange struct {
	// Actor is who asks, as the audit log names it.
	Actor     string
	ProjectID string
	// OwnerID must own the project; "" for an admin, who need not.
	OwnerID string
	// Admin says that the attributes are those which no owner can set: OwnerID is "".
	Admin bool
	// Set has the new values; nil removes an attribute. Others stay.
	Set map[string]*string
	// Seen has the values that attributes must still have, nil for those that must
	// not exist. Attributes that it does not name may have any value.
	Seen map[string]*string
}

// ErrAttributeChanged: an attribute has another value than was Seen.
var ErrAttributeChanged = errors.New("the attribute was changed meanwhile")

// Details is a project with what the policy knows of it.
type Details struct {
	api.Project
	OwnerID    string            `json:"ownerId"`
	Attributes map[string]string `json:"attributes"`
	// AdminAttributes are those that no owner can set; nil without any.
	AdminAttributes map[string]string `json:"adminAttributes,omitempty"`
}

// SetAttributes changes attributes in one transaction with the audit log, and
// invalidates cached decisions. It returns sidecar.ErrUnknownProject for a project
// that does not exist or has another owner, ErrAttributeChanged where a value is
// not the one that was Seen, and an *answers.Error for an invalid change.
func (c *Catalog) SetAttributes(ctx context.Context, change AttributeChange) (Details, error) {
	if err := change.check(); err != nil {
		return Details{}, err
	}
	var d Details
	err := c.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("SELECT id FROM projects WHERE id = ?", change.ProjectID); err != nil {
			return err
		}
		var err error
		if d, err = readDetails(&tx.Reader, change.ProjectID); err != nil {
			return err
		}
		if change.OwnerID != "" && d.OwnerID != change.OwnerID {
			return sidecar.ErrUnknownProject
		}
		return c.setAttributes(tx, change, &d)
	})
	if err != nil {
		return Details{}, fmt.Errorf("setting attributes of project %s: %w", change.ProjectID, err)
	}
	c.changed()
	return d, nil
}

// setAttributes makes the change in d and in the store.
func (c *Catalog) setAttributes(tx *store.Tx, change AttributeChange, d *Details) error {
	attributes, column, action := &d.Attributes, "attributes", ActionAttributes
	if change.Admin {
		attributes, column, action = &d.AdminAttributes, "admin_attributes", ActionAdminAttributes
	}
	if !change.seen(*attributes) {
		return ErrAttributeChanged
	}
	before := maps.Clone(*attributes)
	change.apply(*attributes)
	text, err := encodeAttributes(*attributes)
	if err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE projects SET "+column+" = ? WHERE id = ?", text, change.ProjectID); err != nil {
		return err
	}
	if _, err := tx.NextSeq(store.LogAttributes); err != nil {
		return err
	}
	return tx.Audit(c.now(), store.AuditEntry{
		Actor: change.Actor, Action: action, Subject: change.ProjectID, Detail: map[string]any{"from": before, "to": *attributes},
	})
}

func (change AttributeChange) check() error {
	if change.Admin && change.OwnerID != "" {
		return errors.New("an owner sets no attribute that is an admin's")
	}
	if len(change.Set) == 0 {
		return answers.BadRequest("There is no attribute to set.")
	}
	for name, value := range change.Set {
		switch {
		case !attributeName.MatchString(name):
			return answers.BadRequest("The attribute name %q is not acceptable: want 1 to 64 letters, digits or _.-, beginning with a letter.", name)
		case value == nil:
		case utf8.RuneCountInString(*value) > MaxAttributeValue:
			return answers.BadRequest("The attribute %s has more than %d characters.", name, MaxAttributeValue)
		case !utf8.ValidString(*value) || bytes.ContainsFunc([]byte(*value), unicode.IsControl):
			return answers.BadRequest("The attribute %s has control characters or is not UTF-8.", name)
		}
	}
	return nil
}

// seen reports whether attributes still have the values that a change was based on.
func (change AttributeChange) seen(now map[string]string) bool {
	for name, want := range change.Seen {
		value, there := now[name]
		if there != (want != nil) || there && value != *want {
			return false
		}
	}
	return true
}

func (change AttributeChange) apply(to map[string]string) {
	for name, value := range change.Set {
		if value == nil {
			delete(to, name)
		} else {
			to[name] = *value
		}
	}
}

func encodeAttributes(attributes map[string]string) (string, error) {
	if len(attributes) > MaxAttributes {
		return "", answers.BadRequest("A project can have at most %d attributes.", MaxAttributes)
	}
	text, err := json.Marshal(attributes)
	if err != nil {
		return "", err
	}
	if utf8.RuneCount(text) > maxAttributesText {
		return "", answers.BadRequest("The project's attributes have more than %d characters in all.", maxAttributesText)
	}
	return string(text), nil
}

// Details returns a project with its attributes, or
// sidecar.ErrUnknownProject.
func (c *Catalog) Details(ctx context.Context, projectID string) (Details, error) {
	d, err := store.Read(ctx, c.store, func(r *store.Reader) (Details, error) { return readDetails(r, projectID) })
	if err != nil {
		return Details{}, fmt.Errorf("reading project %s: %w", projectID, err)
	}
	return d, nil
}

const selectDetails = "SELECT id, owner_id, name, template, description, attributes, admin_attributes, created_at FROM projects "

func readDetails(r *store.Reader, projectID string) (Details, error) {
	d, err := scanDetails(r.Row(selectDetails+"WHERE id = ?", projectID).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return Details{}, sidecar.ErrUnknownProject
	}
	return d, err
}

func scanDetails(scan store.Scan) (Details, error) {
	var d Details
	var attributes, ofAdmin string
	var created int64
	err := scan(&d.ID, &d.OwnerID, &d.Name, &d.Template, &d.Description, &attributes, &ofAdmin, &created)
	if err != nil {
		return Details{}, err
	}
	d.CreatedAt = time.UnixMilli(created).UTC()
	if err := json.Unmarshal([]byte(attributes), &d.Attributes); err != nil {
		return Details{}, fmt.Errorf("reading the attributes of project %s: %w", d.ID, err)
	}
	if err := json.Unmarshal([]byte(ofAdmin), &d.AdminAttributes); err != nil {
		return Details{}, fmt.Errorf("reading the admin's attributes of project %s: %w", d.ID, err)
	}
	return d, nil
}

// DetailsPage is a page of projects, newest first.
type DetailsPage struct {
	Projects []Details `json:"projects"`
	// Next asks for the page after; "" after the last one.
	Next string `json:"next,omitempty"`
}

// List lists the projects of a user, or with "" all, newest first, after ""
// or the Next of an earlier page.
func (c *Catalog) List(ctx context.Context, userID, after string) (DetailsPage, error) {
	before, id, err := parseCursor(after)
	if err != nil {
		return DetailsPage{}, err
	}
	page := DetailsPage{}
	page.Projects, err = store.Read(ctx, c.store, func(r *store.Reader) ([]Details, error) {
		return store.All(r, scanDetails, selectDetails+`WHERE (? = '' OR owner_id = ?) AND (created_at < ? OR created_at = ? AND id < ?)
			ORDER BY created_at DESC, id DESC LIMIT ?`, userID, userID, before, before, id, MaxPage+1)
	})
	if err != nil {
		return DetailsPage{}, fmt.Errorf("listing projects: %w", err)
	}
	if len(page.Projects) > MaxPage {
		page.Projects = page.Projects[:MaxPage]
		page.Next = cursorAt(page.Projects[MaxPage-1].Project)
	}
	return page, nil
}
