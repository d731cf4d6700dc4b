package playtest

import "fmt"

// Bounds of an album.
const (
	maxShots  = 24
	maxPixels = 4 << 20 // bytes of all pictures
)

// Album keeps the newest scenes of the trials of one author. Another's are not in it.
type Album struct {
	kept  []keptScene
	taken int
}

type keptScene struct {
	id     string
	scene  Scene
	before *Scene // of the same trial
}

// Add takes the scenes of a trial in and returns their ids.
func (a *Album) Add(scenes []Scene) (ids []string) {
	for i, s := range scenes {
		a.taken++
		k := keptScene{id: fmt.Sprintf("shot-%d", a.taken), scene: s}
		if i > 0 {
			k.before = &scenes[i-1]
		}
		a.kept = append(a.kept, k)
		ids = append(ids, k.id)
	}
	bytes := 0
	for i := len(a.kept) - 1; i >= 0; i-- {
		bytes += len(a.kept[i].scene.JPEG)
		if len(a.kept)-i > maxShots || bytes > maxPixels {
			a.kept = append([]keptScene(nil), a.kept[i+1:]...)
			break
		}
	}
	return ids
}

// Shot returns a scene as a picture and in words.
func (a *Album) Shot(id string) (jpeg []byte, words string, err error) {
	for _, k := range a.kept {
		if k.id == id {
			return k.scene.JPEG, k.scene.Geometry(k.before), nil
		}
	}
	if len(a.kept) == 0 {
		return nil, "", fmt.Errorf("there is no shot yet: play makes some")
	}
	return nil, "", fmt.Errorf("there is no shot %s; there are %s to %s", quoted(id, 40), a.kept[0].id, a.kept[len(a.kept)-1].id)
}
