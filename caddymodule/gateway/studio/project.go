package studio

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// projectPage is a project with all that is done there.
type projectPage struct {
	Project   api.Project
	Preview   string // where its game is shown, "" for nowhere
	Engine    engineState
	Workspace contract.Workspace
	Revisions []contract.Revision // newest first
	Jobs      []sidecar.Job       // newest first
	Models    []api.Model
	File      *openFile
	Plan      *plan
	Origin    *origin // what it is to be a copy of, nil for nothing
	Brief     brief   // as it was typed
	Once      string  // name of the brief; "" for a new one
	Nonce     string  // of the editor's styles, "" without the editor
	Error     string
	Done      string
}

// engineState is how far the project's engine is.
type engineState struct {
	Ready    bool   `json:"ready"`
	ReadOnly bool   `json:"readOnly"` // it has no files to edit
	Message  string `json:"message,omitempty"`
	Retry    int    `json:"retryAfterSeconds,omitempty"`
}

// openFile is the file that the editor shows.
type openFile struct {
	Path   string
	Text   string
	SHA256 string // "" for one that is not there yet
	Rev    int    // 0 for the present
	Binary bool
	Bytes  int64
	Fixed  bool // it can't be saved
	Locked bool // jobs leave it as it is
	New    bool
	Line   int // that is looked for, 0 for none
	// Theirs is the text that was saved meanwhile, for a file that is in conflict.
	Theirs   *string
	Problems []contract.Problem // that the game has since the file was saved
}

// Game reports whether there is something to play.
func (p projectPage) Game() bool {
	return p.Has("index.html")
}

// Checking reports whether a version is being played.
func (p projectPage) Checking() bool { return p.Workspace.Check != nil && p.Workspace.Check.Running }

// Head is the newest revision.
func (p projectPage) Head() int { return p.Workspace.Head }

// At returns the address of a part of the project's page.
func (p projectPage) At(rest string) string { return "/console/studio/" + p.Project.ID + rest }

// FileAt returns the address of a file in the editor.
func (p projectPage) FileAt(name string) string {
	return p.At("?file=" + url.QueryEscape(name) + "#code")
}

// LineAt returns the address of a line of a file in the editor.
func (p projectPage) LineAt(name string, line int) string {
	return p.At("?" + url.Values{"file": {name}, "line": {strconv.Itoa(line)}}.Encode() + "#code")
}

// Present returns the sum of a file as it is, "" for one that is not there.
func (p projectPage) Present(name string) string {
	for _, f := range p.Workspace.Files {
		if f.Path == name {
			return f.SHA256
		}
	}
	return ""
}

// Same reports whether a file is as it was then, or can't be taken back by itself.
func (p projectPage) Same(file openFile) bool {
	made := slices.ContainsFunc(p.Workspace.Files, func(f contract.WorkspaceFile) bool { return f.Path == file.Path && f.Made })
	return made || p.Present(file.Path) == file.SHA256
}

// Raw returns the address of a file's content at a version, 0 for the present.
func (p projectPage) Raw(name string, rev int) string {
	return p.At("/file?" + fileQuery(name, rev).Encode())
}

// Image reports whether a file is shown as a picture.
func (f openFile) Image() bool { return pictures[strings.ToLower(path.Ext(f.Path))] != "" }

// Sound reports whether a file is played.
func (f openFile) Sound() bool { return sounds[strings.ToLower(path.Ext(f.Path))] != "" }

func (s *Studio) show(x *exchange) error {
	page, err := s.load(x)
	if err != nil {
		return err
	}
	query := x.r.URL.Query()
	page.Done, page.Brief.Prompt = done[query.Get("done")], clip(query.Get("prompt"), maxExample)
	page.Error, page.Once = unsentBriefs[query.Get("unsent")], query.Get("once")
	if err := s.loadOrigin(x, &page); err != nil {
		return err
	}
	if name := query.Get("file"); name != "" && page.Engine.Ready {
		rev, _ := strconv.Atoi(query.Get("rev")) // what is no number is the present
		if page.File, err = s.open(x.r.Context(), x, page, name, max(rev, 0)); err != nil {
			page.Error = asError(err).Message
		} else {
			page.File.Line, _ = strconv.Atoi(query.Get("line")) // what is no number is none
		}
	}
	return s.showProject(x, http.StatusOK, page)
}

// done are what a page says after a change, named in its address.
var done = map[string]string{
	"saved": "Saved.", "later": "Saved: it joins the game when the job has ended.", "deleted": "Deleted.", "restored": "The game is as it was then; what came between stays among the versions.",
	"mended": "What could be mended without a model is mended: the versions say what.",
	"kept":   "The version is kept, however many follow.", "let": "The version goes when there is no room for it, and links to it with it.",
	"ending": "The job ends when its step is done.", "scene": "A scene is begun: src/scene.js says how the game shows it.",
	"locked": "Jobs leave the file as it is.", "unlocked": "Jobs may change the file.",
	"stopped": "The job is being stopped.", "sent": "Sent.", "moved": "The waiting jobs are in their new order.",
	"uploaded": "Uploaded.", "uploadedLater": "Uploaded: it joins the game when the job has ended.", "copied": "This is a copy: what is changed here changes nothing there.",
}

// onceForm is what the name of a brief looks like, as rand.Text and the page make it.
var onceForm = regexp.MustCompile(`^[A-Za-z0-9]{26,64}$`)

func (s *Studio) showProject(x *exchange, status int, page projectPage) error {
	page.Preview = x.who.Preview
	s.loadPlan(x.r.Context(), x, &page)
	if !onceForm.MatchString(page.Once) {
		page.Once = rand.Text()
	}
	if page.File != nil && !page.File.Binary && s.pages.hasEditor() {
		page.Nonce = rand.Text()
		allowStyles(x.Header(), page.Nonce)
	}
	if page.File != nil && page.File.Sound() {
		allow(x.Header(), "; media-src 'self'")
	}
	s.render(x, status, "project", frame{User: x.who.UserID, Title: page.Project.Name, Wide: true, Data: page})
	return nil
}

// allowStyles lets the page's policy take the styles that the editor makes, which bear a
// nonce. Nothing else of the policy changes.
func allowStyles(h http.Header, nonce string) {
	const own = "style-src 'self'"
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), own, own+" 'nonce-"+nonce+"'", 1))
}

// load gathers what the page of a project shows. An engine that is not ready is no
// error: the page says so.
func (s *Studio) load(x *exchange) (projectPage, error) {
	var page projectPage
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return page, err
	}
	ctx := x.r.Context()
	project, err := s.Sidecar.Project(ctx, x.project())
	if errors.Is(err, sidecar.ErrUnknownProject) {
		return page, unknownProject()
	}
	if err != nil {
		return page, err
	}
	page.Project = project.Project
	if err := s.loadJobs(ctx, &page); err != nil {
		return page, err
	}
	if models, refused := s.Models.List(ctx); refused == nil {
		page.Models = models
	}
	s.loadFiles(ctx, x, &page)
	return page, nil
}

func (s *Studio) loadJobs(ctx context.Context, page *projectPage) error {
	list, err := s.Sidecar.ProjectJobs(ctx, page.Project.ID, "")
	page.Jobs = list.Jobs
	return err
}

// loadFiles asks the engine for the game's files and history.
func (s *Studio) loadFiles(ctx context.Context, x *exchange, page *projectPage) {
	var err error
	page.Workspace, err = askFor[contract.Workspace](ctx, s, x.owner(), call{method: http.MethodGet, path: contract.PathWorkspace})
	if err == nil {
		var list contract.Revisions
		list, err = askFor[contract.Revisions](ctx, s, x.owner(), call{method: http.MethodGet, path: contract.PathRevisions})
		page.Revisions = list.Revisions
	}
	page.Engine = stateOf(err)
	page.Workspace.Files = slices.DeleteFunc(page.Workspace.Files, func(f contract.WorkspaceFile) bool { return !api.CleanPath(f.Path) })
}

// stateOf says how far an engine is by what became of a call.
func stateOf(err error) engineState {
	if err == nil {
		return engineState{Ready: true}
	}
	refused := asError(err)
	if refused.Status == http.StatusNotFound {
		return engineState{ReadOnly: true, Message: "This project's engine lets no files be edited. Prompts, games and downloads work."}
	}
	return engineState{Message: refused.Message, Retry: seconds(refused.RetryAfter)}
}

func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// state answers with what changes on the page of a project.
func (s *Studio) state(x *exchange) error {
	page, err := s.load(x)
	if err != nil {
		return err
	}
	return writeJSON(x, http.StatusOK, struct {
		Engine    engineState         `json:"engine"`
		Workspace contract.Workspace  `json:"workspace"`
		Revisions []contract.Revision `json:"revisions"`
		Jobs      []sidecar.Job       `json:"jobs"`
	}{page.Engine, page.Workspace, page.Revisions, page.Jobs})
}

// maxShown bounds the text that the editor shows, in bytes.
const maxShown = contract.MaxEdit

// open reads a file for the editor.
func (s *Studio) open(ctx context.Context, x *exchange, page projectPage, name string, rev int) (*openFile, error) {
	if !api.CleanPath(name) {
		return nil, badName()
	}
	a, err := s.ask(ctx, x.owner(), call{method: http.MethodGet, path: contract.PathFile, query: fileQuery(name, rev)})
	if err != nil {
		return nil, err
	}
	if a.status == http.StatusNotFound && rev == 0 {
		return &openFile{Path: name, New: true}, nil
	}
	if err := a.refused(); err != nil {
		return nil, err
	}
	f := &openFile{Path: name, SHA256: strings.Trim(a.header.Get("ETag"), `"`), Rev: rev, Bytes: int64(len(a.body))}
	f.Binary = len(a.body) > maxShown || !utf8.Valid(a.body) || slices.Contains(a.body, 0)
	f.Fixed = rev > 0
	for _, w := range page.Workspace.Files {
		if w.Path == name {
			f.Fixed, f.Locked = f.Fixed || w.Made, w.Locked
		}
	}
	if !f.Binary {
		f.Text = string(a.body)
	}
	return f, nil
}

func badName() error {
	return &answers.Error{Status: http.StatusUnprocessableEntity, Message: "This can't be the name of a file of the game."}
}

func fileQuery(name string, rev int) url.Values {
	query := url.Values{"path": {name}}
	if rev > 0 {
		query.Set("rev", strconv.Itoa(rev))
	}
	return query
}

// allow adds a rule to the page's policy.
func allow(h http.Header, rule string) {
	h.Set("Content-Security-Policy", h.Get("Content-Security-Policy")+rule)
}

// folders returns the files by folder, for the tree.
func folders(files []contract.WorkspaceFile) []folder {
	byName := map[string][]contract.WorkspaceFile{}
	for _, f := range files {
		dir := path.Dir(f.Path)
		byName[dir] = append(byName[dir], f)
	}
	var out []folder
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, folder{Name: strings.TrimPrefix(name, "."), Files: byName[name]})
	}
	return out
}

// folder is one folder of the tree.
type folder struct {
	Name  string // "" for the game's own
	Files []contract.WorkspaceFile
}

// Folders returns the tree.
func (p projectPage) Folders() []folder { return folders(p.Workspace.Files) }

// longFolder is the number of files above which a folder is shown closed.
const longFolder = 12

// Open reports whether a folder is shown open.
func (p projectPage) Open(f folder) bool {
	return len(f.Files) <= longFolder || slices.ContainsFunc(f.Files, func(w contract.WorkspaceFile) bool { return p.Shows(w.Path) })
}

// Shows reports whether the editor shows a file.
func (p projectPage) Shows(name string) bool { return p.File != nil && p.File.Path == name }
