package gen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/art"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/look"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/engine/gen/studio"
	"github.com/svc-games/svc/engine/gen/synth"
)

// assetsFile says which pictures and sounds of the game a model made, and of
// which words: a later job pays for none of them again.
const assetsFile = ".svc/assets.json"

// stock is what models made of a project's pictures and sounds, in this job
// and before.
type stock struct {
	models *studio.Studio     // nil when no model makes any
	style  look.Style         // the project's; its Art shapes what is asked
	made   map[string]stocked // by model and words
	used   map[string]string  // asset's name to the key of what the game has of it
	given  map[string][]byte  // pictures of users, by role
}

type stocked struct {
	name string // of the file in the assets folder
	data []byte // nil: the model made nothing of use
}

// assetsRecord is the form of assetsFile.
type assetsRecord struct {
	Version int                    `json:"v"`
	Files   map[string]assetRecord `json:"files"` // by the asset's name
}

type assetRecord struct {
	File string `json:"file"`
	Key  string `json:"key"`    // of model and words
	Sum  string `json:"sha256"` // of the file
}

// stockFor opens the project's stock, for settings that want pictures or sounds
// of models. It says what there is no model for.
func (g *embedded) stockFor(ctx context.Context, req Request, d *decision) (s *stock, warnings []string, err error) {
	images, sounds := on(req.Settings.AIImages), on(req.Settings.AIAudio)
	s = &stock{made: map[string]stocked{}, used: map[string]string{}}
	if s.given, err = d.pictures(req); err != nil {
		return nil, nil, err
	}
	data, err := readOptional(req.Workspace, styleFile)
	if err != nil {
		return nil, nil, err
	}
	if style, err := look.ParseStyle(data); err == nil {
		s.style = style
	}
	if !images && !sounds || d.game != nil || req.Settings.ChatMode == api.ChatPlan {
		return s, nil, nil
	}
	const noImages = "the pictures are painted by the generator."
	const noSounds = "the sounds are synthesised by the generator."
	say := func(wanted bool, why, instead string) {
		if wanted {
			warnings = append(warnings, why+instead)
		}
	}
	if g.studio == nil {
		say(images, "No image model is configured: ", noImages)
		say(sounds, "No audio model is configured: ", noSounds)
		return s, warnings, nil
	}
	models, err := studio.Open(ctx, g.studio)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		say(images, "The image model could not be reached: ", noImages)
		say(sounds, "The audio model could not be reached: ", noSounds)
		return s, warnings, nil
	}
	say(images && models.Images == "", "No image model is configured: ", noImages)
	say(sounds && models.Sounds == "", "No audio model is configured: ", noSounds)
	s.models = models
	return s, warnings, s.load(req.Workspace)
}

// load reads what earlier jobs left. A file that is no longer what it was is
// left out.
func (s *stock) load(root *os.Root) error {
	data, err := readOptional(root, assetsFile)
	if err != nil || data == nil {
		return err
	}
	var record assetsRecord
	if json.Unmarshal(data, &record) != nil || record.Version != 1 {
		return nil // all are made anew
	}
	for _, r := range record.Files {
		if !fs.ValidPath(r.File) || strings.Contains(r.File, "/") {
			continue
		}
		file, err := readOptional(root, path.Join(Deliverable, compile.AssetsFolder, r.File))
		if err != nil {
			return err
		}
		if file != nil && checksum(file) == r.Sum {
			s.made[r.Key] = stocked{r.File, file}
		}
	}
	return nil
}

// save records what of the game models made.
func (s *stock) save(w *delivery) error {
	record := assetsRecord{Version: 1, Files: map[string]assetRecord{}}
	for name, key := range s.used {
		m := s.made[key]
		record.Files[name] = assetRecord{File: m.name, Key: key, Sum: checksum(m.data)}
	}
	if len(record.Files) == 0 {
		return w.remove(assetsFile)
	}
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", assetsFile, err)
	}
	return w.put(assetsFile, append(data, '\n'))
}

// checksum of a file.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// key names what a model is asked for.
func key(model string, o studio.Order) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d %d %d", model, o.Prompt, o.Kind, o.W, o.H))
	return hex.EncodeToString(sum[:])
}

// fetch returns what models make of a spec's pictures and sounds. What is there
// already, and what could not be made before, is not asked for again.
func (s *stock) fetch(ctx context.Context, rep Reporter, sp spec.Spec) (map[string]stocked, error) {
	s.used = map[string]string{}
	if s.models == nil {
		return nil, nil
	}
	keys, wanted := map[string]string{}, []studio.Order(nil)
	add := func(model string, orders []studio.Order) {
		for _, o := range orders {
			k := key(model, o)
			keys[o.Name] = k
			if _, there := s.made[k]; !there {
				wanted = append(wanted, o)
			}
		}
	}
	if sp.Art == spec.Procedural && s.models.Images != "" {
		add(s.models.Images, studio.Pictures(sp, s.style.ArtOf(sp.Look.Mood)))
	}
	if sp.Sound && s.models.Sounds != "" {
		add(s.models.Sounds, studio.Sounds(sp))
	}
	if len(wanted) > 0 {
		if err := s.order(ctx, rep, wanted, keys); err != nil {
			return nil, err
		}
	}
	out := map[string]stocked{}
	for name, k := range keys {
		if m := s.made[k]; m.data != nil {
			out[name], s.used[name] = m, k
		}
	}
	return out, nil
}

// order has models make what is wanted, and warns of what they could not.
func (s *stock) order(ctx context.Context, rep Reporter, wanted []studio.Order, keys map[string]string) error {
	var names []string
	for _, o := range wanted {
		names = append(names, o.Name)
	}
	done := call(rep, "generate_assets", map[string]any{"names": names})
	results, err := s.models.Make(ctx, wanted)
	if err != nil {
		done(false, "It was interrupted.")
		return err
	}
	var missing []string
	for i, m := range results {
		o := wanted[i]
		s.made[keys[o.Name]] = stocked{o.Name + m.Ext, m.Data}
		if m.Err != nil {
			missing = append(missing, o.Name)
		}
	}
	done(len(missing) == 0, fmt.Sprintf("%d of %d were made", len(wanted)-len(missing), len(wanted)))
	if len(missing) > 0 {
		warn(rep, "degraded", fmt.Sprintf("The models made nothing of use for %s: the generator made it itself.", strings.Join(missing, ", ")))
	}
	return nil
}

// makeAssets returns the pictures and sounds that a spec asks for: of models
// where there are any, else the generator's own. Figures without a picture are
// painted by the game itself.
func makeAssets(ctx context.Context, rep Reporter, s spec.Spec, stock *stock) (compile.Files, error) {
	rep.Progress(api.StageAssets, 12, "Making pictures and sounds.")
	modelled, err := stock.fetch(ctx, rep, s)
	if err != nil {
		return nil, err
	}
	assets := compile.Files{}
	add := func(name, kind, source, file string, data []byte) {
		assets[file] = data
		announce(rep, name, kind, source, map[string]any{"path": path.Join(Deliverable, compile.AssetsFolder, file)})
	}
	source := "placeholder"
	if s.Art == spec.Procedural {
		source = sourceProcedural
		if m, ok := modelled["background"]; ok {
			add("background", "image", sourceModel, m.name, m.data)
		} else {
			background, err := art.Background(s)
			if err != nil {
				return nil, fmt.Errorf("painting the background: %w", err)
			}
			add("background", "image", source, "background.png", background)
		}
	}
	for _, a := range []struct {
		role  string
		actor spec.Actor
	}{{"hero", s.Cast.Hero}, {"hazard", s.Cast.Hazard}, {"pickup", s.Cast.Pickup}} {
		if picture := stock.given[a.role]; picture != nil {
			add(a.role, "image", "context", a.role+".png", picture)
		} else if m, ok := modelled[a.role]; ok {
			add(a.role, "image", sourceModel, m.name, m.data)
		} else {
			announce(rep, a.role, "image", source, map[string]any{"noun": a.actor.Noun})
		}
	}
	if logo := stock.given["logo"]; logo != nil {
		add("logo", "image", "context", "logo.png", logo)
	}
	if !s.Sound {
		return assets, nil
	}
	sounds := synth.Sounds(s)
	for _, name := range slices.Sorted(maps.Keys(sounds)) {
		if m, ok := modelled[name]; ok {
			add(name, "audio", sourceModel, m.name, m.data)
		} else {
			add(name, "audio", sourceProcedural, name+".wav", sounds[name])
		}
	}
	return assets, nil
}

// Who made an asset, as its event says.
const (
	sourceModel      = "model"
	sourceProcedural = "procedural"
)

// announce reports an asset that was made.
func announce(rep Reporter, name, kind, source string, more map[string]any) {
	members := map[string]any{"name": name, "kind": kind, "source": source}
	for k, v := range more {
		members[k] = v
	}
	rep.Event(api.EventAssetCreated, members)
}
