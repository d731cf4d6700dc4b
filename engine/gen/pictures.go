package gen

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/studio"
)

var (
	dataURL     = regexp.MustCompile(`^data:image/[a-z0-9.+-]+(?:;[a-z0-9=-]+)*,`)
	pictureName = regexp.MustCompile(`(?i)\.(?:png|jpe?g|svg|webp|gif)$`)

	// logoPattern and ownPattern name a picture that came with a request.
	logoPattern = regexp.MustCompile(`(?i)(?:^|[^\pL])logo(?:s|tipo)?(?:$|[^\pL])`)
	ownPattern  = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:(?:attached|enclosed|uploaded|my|our|this|the) (?:own )?(?:picture|image|photo|drawing|icon)|(?:angehängte|beigefügte|mein|unser|diese|da|de)[nsmr]* (?:angehängte[ns]? )?(?:bild|foto|zeichnung)` +
		`|(?:la|mi|nuestra|esta|este|el) (?:imagen|foto|dibujo)|(?:la |ma |mon |notre |cette |le |l')(?:image|photo|dessin))(?:$|[^\pL])`)
	takesAway = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:remove|delete|drop|without|no|entferne?|ohne|kein|weg|quita|elimina|sin|enlève|supprime|sans|retire)(?:$|[^\pL])`)

	// pictured are the roles that a picture can have instead of the logo's.
	pictured = []struct {
		role  string
		named *regexp.Regexp
	}{
		{"hero", regexp.MustCompile(`(?i)(?:^|[^\pL])(?:hero|player|character|held(?:en)?|spielfigur|h[eé]roe|personaje|jugador|h[eé]ros|personnage|joueur)(?:$|[^\pL])`)},
		{"pickup", regexp.MustCompile(`(?i)(?:^|[^\pL])(?:pickups?|coins?|collect\pL*|münzen?|sammel\pL*|monedas?|recog\pL*|pièces?|ramass\pL*)(?:$|[^\pL])`)},
		{"hazard", regexp.MustCompile(`(?i)(?:^|[^\pL])(?:enem(?:y|ies)|obstacles?|gegner|hindernisse?|enemigos?|obstáculos?|ennemis?)(?:$|[^\pL])`)},
	}
)

// isPicture reports whether a context block is a picture and no text.
func isPicture(c api.ContextBlock) bool {
	return dataURL.MatchString(strings.TrimSpace(c.Content)) || pictureName.MatchString(c.Name) && !strings.ContainsAny(strings.TrimSpace(c.Content), " <")
}

// pictureWish is what a clause of a request wants of a picture.
type pictureWish struct{ words, role string }

// cutPictures takes those clauses out of a request that are about pictures of one's own.
func cutPictures(req Request) (rest string, wishes []pictureWish) {
	sent := slices.ContainsFunc(req.Context, isPicture)
	var others []string
	for _, c := range clausesOf(req.Prompt) {
		if !logoPattern.MatchString(c.text) && !(sent && ownPattern.MatchString(c.text)) {
			others = append(others, c.text)
			continue
		}
		w := pictureWish{c.text, "logo"}
		for _, p := range pictured {
			if p.named.MatchString(c.text) {
				w.role = p.role
				break
			}
		}
		wishes = append(wishes, w)
	}
	if len(wishes) == 0 {
		return req.Prompt, nil
	}
	return strings.Join(others, ". "), wishes
}

// givePictures gives a game the pictures that its request came with.
func (d *decision) givePictures(req Request, wishes []pictureWish) {
	if d.isNew && d.current != nil { // the logo is the project's, not the game's
		d.setPicture("logo", d.current.Pictures["logo"])
	}
	if !d.isNew && d.current != nil && d.game == nil {
		d.dropFormer(*d.current)
	}
	for _, w := range wishes {
		did, err := d.givePicture(req, w)
		if err != nil {
			d.unmet = append(d.unmet, clippedWish(w.words)+": "+err.Error())
			continue
		}
		d.unmet = slices.DeleteFunc(d.unmet, func(u string) bool { return logoPattern.MatchString(u) })
		d.open = slices.DeleteFunc(d.open, func(u string) bool { return logoPattern.MatchString(u) })
		d.did, d.noChange = append(d.did, did), false
	}
	switch {
	case len(wishes) == 0 || d.isNew:
	case d.noChange:
		d.summary = "Nothing was changed: " + strings.Join(d.unmet, "; ") + "."
	default:
		d.summary = "Changed: " + strings.Join(d.did, "; ") + "."
	}
}

// dropFormer takes the pictures of figures away that became others.
func (d *decision) dropFormer(was spec.Spec) {
	for role, noun := range map[string][2]string{
		"hero": {was.Cast.Hero.Noun, d.spec.Cast.Hero.Noun}, "hazard": {was.Cast.Hazard.Noun, d.spec.Cast.Hazard.Noun}, "pickup": {was.Cast.Pickup.Noun, d.spec.Cast.Pickup.Noun},
	} {
		if noun[0] != noun[1] {
			d.setPicture(role, "")
		}
	}
}

func (d *decision) setPicture(role, sum string) {
	if d.spec.Pictures[role] == sum {
		return
	}
	pictures := maps.Clone(d.spec.Pictures)
	if pictures == nil {
		pictures = map[string]string{}
	}
	if pictures[role] = sum; sum == "" {
		delete(pictures, role)
	}
	d.spec.Pictures = pictures
}

// givePicture carries one wish out. Its error is for the user.
func (d *decision) givePicture(req Request, w pictureWish) (did string, err error) {
	switch removed := takesAway.MatchString(w.words); {
	case d.game != nil:
		return "", errors.New("the sources of this game were written for it, and a picture would replace some")
	case removed && d.spec.Pictures[w.role] == "":
		return "", errors.New("there is none")
	case removed:
		d.setPicture(w.role, "")
		return "the picture of the " + w.role + ": removed", nil
	}
	i := slices.IndexFunc(req.Context, isPicture)
	if i < 0 {
		return "", errors.New("no picture came with the request; send it in context, with a data: URL of a PNG or JPEG as content")
	}
	if named := slices.IndexFunc(req.Context, func(c api.ContextBlock) bool {
		return isPicture(c) && c.Name != "" && strings.Contains(strings.ToLower(w.words), strings.ToLower(strings.TrimSuffix(c.Name, path.Ext(c.Name))))
	}); named >= 0 {
		i = named
	}
	block := req.Context[i]
	file, err := decodePicture(block.Content)
	if err == nil {
		file, err = studio.Emblem(file)
	}
	if err != nil {
		return "", fmt.Errorf("%q in context: %w", brief.Clip(block.Name, 40), err)
	}
	sum := checksum(file)
	if d.spec.Pictures[w.role] == sum {
		return "", errors.New("it is there already")
	}
	d.setPicture(w.role, sum)
	if d.given == nil {
		d.given = map[string][]byte{}
	}
	d.given[w.role] = file
	if w.role == "logo" {
		return "the logo is on the title screen", nil
	}
	return "the picture of the " + w.role + ": as sent", nil
}

// decodePicture returns the file that a context block holds.
func decodePicture(content string) ([]byte, error) {
	content = strings.TrimSpace(content)
	if head := dataURL.FindString(content); head != "" {
		if !strings.HasSuffix(head, ";base64,") {
			return nil, errors.New("it is not in base64")
		}
		content = content[len(head):]
	}
	content = strings.TrimRight(strings.Join(strings.Fields(content), ""), "=")
	file, err := base64.RawStdEncoding.DecodeString(content)
	if err != nil {
		return nil, errors.New("it is not in base64")
	}
	return file, nil
}

// pictures returns the files of a spec's pictures: of this job, or as they are in the
// game. One that someone changed is fitted as it came; an authored game keeps its own.
func (d *decision) pictures(req Request) (map[string][]byte, error) {
	out := map[string][]byte{}
	if d.game != nil {
		return out, nil
	}
	for role, sum := range d.spec.Pictures {
		file := d.given[role]
		if file == nil {
			var err error
			if file, err = readOptional(req.Workspace, path.Join(Deliverable, compile.AssetsFolder, role+".png")); err != nil {
				return nil, err
			}
		}
		if file == nil { // someone took it away
			d.setPicture(role, "")
			continue
		}
		if checksum(file) != sum {
			fitted, err := studio.Emblem(file)
			if err != nil {
				d.setPicture(role, "")
				d.unmet = append(d.unmet, fmt.Sprintf("the picture of the %s: the file in the project can't be used: %v", role, err))
				continue
			}
			file = fitted
			d.setPicture(role, checksum(file))
		}
		out[role] = file
	}
	return out, nil
}
