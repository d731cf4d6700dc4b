package studio

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/sidecar/site"
)

// uploads a file by the form of the page, with these fields beside it.
func (o *opened) upload(name string, file []byte, fields map[string]string) (*http.Response, string) {
	o.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field, value := range fields {
		if err := form.WriteField(field, value); err != nil {
			o.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		o.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "http://x"+site.StudioPath+o.at("/upload"), &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	w := httptest.NewRecorder()
	if err := o.Serve(w, r, site.Studio{KeyID: "key_1", UserID: "alice"}); err != nil {
		o.t.Fatal(err)
	}
	return w.Result(), w.Body.String()
}

func TestUploadsAreCheckedBeforeTheyAreStored(t *testing.T) {
	var stored []string
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			emptyGame(w, r)
			return
		}
		data, _ := io.ReadAll(r.Body)
		name := r.URL.Query().Get("path")
		stored = append(stored, name+" "+r.Header.Get("If-Match")+r.Header.Get("If-None-Match"))
		if kind, ok := kindOf(data); !ok || !kind.named(name) {
			t.Errorf("%s is stored as %.20q", name, data)
		}
		if name == "assets/taken.png" {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		_ = json.NewEncoder(w).Encode(contract.Saved{Head: 2, SHA256: "x"})
	})
	files := samples(t, 9, 7)
	for _, c := range []struct {
		name   string
		file   []byte
		fields map[string]string
		want   int
		says   string
	}{
		{"My Héro.PNG", files[".png"], nil, http.StatusSeeOther, "/console/studio/" + o.sidecar.projects[0] + "?done=uploaded&file=assets%2Fmy-h-ro.png#code"},
		{`C:\x\boom.wav`, files[".wav"], map[string]string{"path": "sounds/boom.wav", "sha256": "abc"}, http.StatusSeeOther, "sounds%2Fboom.wav"},
		{"taken.png", files[".png"], nil, http.StatusPreconditionFailed, "There is such a file already"},
		{"x.png", []byte("<svg>"), nil, http.StatusUnsupportedMediaType, "Only PNG"},
		{"x.png", files[".jpg"], nil, http.StatusUnprocessableEntity, "must end with .jpg or .jpeg"},
		{"x.png", files[".png"][:50], nil, http.StatusUnprocessableEntity, "can&#39;t be read as one"},
		{"x.png", files[".png"], map[string]string{"path": "../x.png"}, http.StatusUnprocessableEntity, "name of a file"},
		{"x.wav", append(wav("fmt ", "data"), make([]byte, contract.MaxEdit)...), nil, http.StatusRequestEntityTooLarge, "1 MiB"},
		{"x.wav", make([]byte, maxForm+1), nil, http.StatusRequestEntityTooLarge, "1 MiB"},
	} {
		res, page := o.upload(c.name, c.file, c.fields)
		if res.StatusCode != c.want || !strings.Contains(page+res.Header.Get("Location"), c.says) {
			t.Errorf("%s: %d %s %s", c.name, res.StatusCode, res.Header.Get("Location"), page)
		}
	}
	if want := []string{"assets/my-h-ro.png *", `sounds/boom.wav "abc"`, "assets/taken.png *"}; !slices.Equal(stored, want) {
		t.Errorf("stored: %q", stored)
	}
	if res, page := o.send(o.at("/upload"), map[string][]string{"path": {"a.png"}}); res.StatusCode != http.StatusBadRequest || !strings.Contains(page, "did not arrive") {
		t.Errorf("no file: %d %s", res.StatusCode, page)
	}
}

func TestOneFileIsTakenBackAlone(t *testing.T) {
	put := ""
	o := openStudio(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != contract.PathFile:
			emptyGame(w, r)
		case r.Method == http.MethodPut && r.Header.Get("If-Match") == `"old"`:
			w.WriteHeader(http.StatusPreconditionFailed)
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			put = r.URL.Query().Get("path") + " " + r.Header.Get("If-Match") + " " + string(data)
			_ = json.NewEncoder(w).Encode(contract.Saved{Head: 9})
		default:
			_, _ = io.WriteString(w, "\x00of r"+r.URL.Query().Get("rev"))
		}
	})
	form := map[string][]string{"path": {"a.png"}, "sha256": {"sum"}, "rev": {"3"}}
	if res, _ := o.send(o.at("/file"), form); res.StatusCode != http.StatusSeeOther || put != "a.png \"sum\" \x00of r3" {
		t.Errorf("%d, saved %q", res.StatusCode, put)
	}
	form["sha256"] = []string{"old"}
	if res, page := o.send(o.at("/file"), form); res.StatusCode != http.StatusPreconditionFailed || !strings.Contains(page, "changed meanwhile") {
		t.Errorf("%d %s", res.StatusCode, page)
	}
	page := projectPage{Workspace: contract.Workspace{Files: []contract.WorkspaceFile{{Path: "a", SHA256: "x"}, {Path: "m", SHA256: "x", Made: true}}}}
	for file, same := range map[*openFile]bool{{Path: "a", SHA256: "x"}: true, {Path: "a", SHA256: "y"}: false, {Path: "m", SHA256: "y"}: true, {Path: "gone", SHA256: "y"}: false} {
		if page.Same(*file) != same {
			t.Errorf("%+v is the same: %v", file, !same)
		}
	}
}

func TestAnUploadWhoseNameHasNoPlainLettersKeepsItsEnd(t *testing.T) {
	for sent, want := range map[string]string{
		"ドラゴン.png": "assets/upload.png", "Grüner Drache.PNG": "assets/gr-ner-drache.png", `C:\me\..\a.wav`: "assets/a.wav", "../../b.ogg": "assets/b.ogg",
	} {
		if got := nameOfUpload("", &multipart.FileHeader{Filename: sent}); got != want {
			t.Errorf("%s becomes %s, want %s", sent, got, want)
		}
	}
}
