package gen

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path"
	"strings"

	"github.com/svc-games/svc/engine/gen/playtest"
	"github.com/svc-games/svc/engine/swap"
)

// Undo is a request to take a project back to an earlier revision.
type Undo struct {
	Steps int    // how many changes are undone; every one of them at most
	Redo  bool   // what was undone is done again, in place of that
	Rest  string // what is asked beside it
}

// objects of "undo": what was changed last.
const (
	lastChange   = `(?:(?:it|that|this|(?:all )?(?:the|my|your|that|this) (?:(?:last|latest|previous|recent) )?(?:change|changes|edit|one|step|update)|last change|what you (?:just )?did)(?: again)?)`
	earlierOne   = `(?:the |my |its )?(?:previous|last|earlier|former|old|older|prior) (?:version|state|one|game|revision)`
	letzte       = `(?:das|es|dies|dies?e änderung|die letzte änderung|die letzten? änderung(?:en)?|den letzten schritt)`
	vorige       = `(?:die |der |zur |den )?(?:letzten?|vorherigen?|vorigen?|alten?|früheren?) (?:version|stand|fassung)`
	último       = `(?:(?:eso|esto|lo último|el último cambio|los últimos cambios|ese cambio|este cambio|el cambio))`
	anterior     = `(?:a )?(?:la |el )?(?:versión anterior|version anterior|estado anterior|última versión|versión previa|versión vieja)`
	dernière     = `(?:ça|cela|ceci|tout ça|(?:la|ta|ma) dernière modification|(?:le|ton|mon) dernier changement|ce changement|cette modification|les derniers changements)`
	précédente   = `(?:à )?(?:la |l')?(?:version précédente|version d'avant|ancienne version|dernière version|état précédent|version antérieure)`
	lastDone     = `(?:what you (?:just |last )?(?:did|changed|made|added)|(?:the|that|this|your|my|all the) (?:last|latest|newest|recent) (?:changes?|edits?|one|step|update|addition|idea))`
	zuletzt      = `(?:(?:die|diese|deine) (?:letzten?|jüngsten?|neuesten?|vorigen?)? ?änderung(?:en)?|das letzte|(?:die|deine) letzte idee|was du (?:gerade |eben |zuletzt |grade? )?(?:gemacht|geändert|getan|eingebaut) hast)`
	loReciente   = `(?:lo que (?:acabas de (?:hacer|cambiar|poner|añadir)|hiciste|cambiaste|pusiste|has (?:hecho|cambiado|puesto))|lo último(?: que \pL+)?|el último cambio|los últimos cambios|ese cambio|tu última idea)`
	dernièrement = `(?:ce que tu (?:viens de (?:faire|changer|modifier|mettre|rajouter)|as (?:fait|changé|modifié|mis))|(?:la|ta) dernière modification|(?:le|ton) dernier changement|les dernières modifications|ta dernière idée)`
	formerOne    = `(?:the )?(?:(?:earlier|former|old|older|previous|last) (?:one|version|game|state)|(?:one|version|game) before(?: that| this)?)`
	better       = `(?:(?:much|way|a lot|viel|mucho|bien|beaucoup) )?(?:better|nicer|best|more|besser|schöner|lieber|mejor|más|mieux|plus)`
	afterRequest = `|,? (?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t|stp|svp|again|wieder|now|jetzt|ahora|maintenant)`
)

var undoWords = imperative(afterRequest,
	`(?:undo|revert|roll ?back)(?: `+lastChange+`)?`, `(?:reverse|take back) `+lastChange, `(?:roll|take|put|change|turn) (?:it|that|this) back`, `(?:go|change|switch|get|step) back`,
	`(?:go|get|roll|switch)(?: it)? back (?:one|a) (?:version|step|revision)`, `(?:(?:go|take it) )?(?:one|a) (?:version|step|revision) back`,
	`(?:(?:go|get|roll|revert|switch|change|return)(?: it)? )?(?:back )?to `+earlierOne, `(?:restore|bring back|give me back|load|use) `+earlierOne, earlierOne+` back`, `(?:the )?(?:previous|old|former|earlier) version`,
	`(?:(?:make|put|leave|do) (?:it|everything|all) )?(?:back |exactly |just )*(?:as|like|how) (?:it was |they were |it used to be )?(?:before|previously|earlier)`, `(?:back to )?(?:how|what|the way) it was(?: before)?`,
	`(?:mache?|nimm|stelle?)(?:'s| `+letzte+`)?(?: bitte)?(?: wieder)? (?:rückgängig|zurück)`, `(?:`+letzte+` )?(?:bitte )?(?:wieder )?rückgängig(?: machen)?`, `(?:geh|gehe|zurück) ?(?:wieder )?(?:einen schritt )?zurück`, `(?:einen schritt )?zurück`,
	`(?:(?:mache?(?:'s| es| alles| das)?|lass es|so|alles|wieder|genau) )*wie (?:es )?(?:vorher|zuvor|davor|eben)(?: war)?`, `(?:(?:geh|gehe|nimm|stelle?|wieder) )?(?:zurück )?`+vorige+`(?: (?:wieder )?(?:her|zurück|herstellen|wiederherstellen))?`,
	`des(?:haz|hacer)(?: `+último+`)?`, `(?:deshazlo|reviértelo|revierte|revertir|anula|anúlalo)(?: `+último+`)?`, `(?:(?:déjalo|ponlo|hazlo|todo|otra vez|deja todo) )*como (?:era |estaba )?antes`, `como estaba`,
	`(?:vuelve|volver|regresa|ve|ir)(?: hacia)? (?:para )?atrás`, `atrás`, `(?:(?:vuelve|volver|regresa|restaura|restaurar|recupera) )?`+anterior,
	`(?:annule[rz]?|défai[st]|défaire|reviens sur)(?:[- ](?:le|la|tout|`+dernière+`))?`, `(?:(?:remets|fais|laisse|mets|refais)(?:[- ](?:le|la|tout|ça))? )?(?:tout )?comme (?:c'était )?avant`, `comme c'était`,
	`(?:reviens|retourne|revenir|retour|retourner)(?: d'une étape)?(?: en arrière)?`, `(?:(?:reviens|retourne|revenir|retour|rétabli[st]|restaure[rz]?|remets) )?`+précédente)

// undoPreferred says that an earlier state was better, and undoRemoved that the last change
// is to go.
var (
	undoPreferred = imperative(afterRequest,
		`i (?:liked|like|prefer|preferred|miss|want) (?:it )?(?:better |more )?(?:`+formerOne+`|(?:how|the way|what|as) it (?:was|used to be)|before)(?: before| earlier| previously)?(?: `+better+`| back)?`, `i (?:liked|preferred) (?:it|that|this) (?:before|earlier|the way it was)(?: `+better+`)?`,
		`(?:it|this|the game) was `+better+` (?:before|earlier|the way it was)`, formerOne+` was (?:the )?`+better, `before(?: it| that)? was `+better,
		`(?:(?:es|das|das spiel) )?(?:war|gefiel mir|gefiel uns|fand ich) (?:es |das )?(?:vorher|früher|davor|zuvor|vorhin) `+better, `(?:vorher|früher|davor|zuvor|vorhin)(?: (?:war|gefiel|fand|mochte)(?:'s| \pL+){0,3})? `+better, `ich (?:fand|mochte) (?:es|das) (?:vorher|früher|davor|vorhin) `+better, `(?:die |das )?(?:alte|vorige|vorherige|frühere) (?:version|fassung|spiel) (?:war|gefiel mir) `+better, `das (?:davor|vorige|vorherige) (?:war|gefiel mir) `+better,
		`antes (?:(?:era|estaba|iba|me gustaba|molaba|quedaba)(?: \pL+)? )?`+better, `(?:era|estaba|iba|me gustaba|quedaba) `+better+` antes`, `(?:prefiero|prefería|me gustaba más) (?:c[oó]mo (?:era|estaba)(?: antes)?|la (?:versión )?(?:anterior|de antes|vieja)|lo de antes|antes)`,
		`(?:je préf[eéè]r\pL+|j'aimais) (?:mieux |plus )?(?:(?:comme c'était )?avant|la (?:version )?(?:d'avant|précédente)|l'ancienne(?: version)?)`, `c'était `+better+` avant`, `avant,? c'était `+better)
	undoRemoved = imperative(afterRequest,
		lastDone+` was (?:a mistake|wrong|bad|worse|no good)`, `(?:vuelve a )?(?:dejarlo|ponerlo|déjalo|ponlo) como estaba(?: antes)?`, `(?:remets|laisse|refais)(?:[- ](?:le|tout|ça))? comme c'était (?:avant|tout à l'heure)`, `(?:scrap|drop|discard|cancel|delete|remove|reject|take (?:back|out)|throw (?:out|away)|forget|get rid of|lose) `+lastDone, `take `+lastDone+` (?:out|back)(?: again)?`, `put (?:it|everything|all|things) back(?: (?:where|how|as|the way) .*)?`, `(?:leave it |do it |make it |put it back )?(?:the way|how|like) (?:you|we|i) had it(?: before)?`,
		`(?:nimm|mache?|verwirf|lösche?|entferne?|streiche?|vergiss) (?:bitte )?`+zuletzt+`(?: bitte)?(?: wieder)?(?: (?:raus|weg|zurück|rückgängig|heraus))?`, zuletzt+` (?:bitte )?(?:wieder )?(?:raus|weg|zurück|verwerfen|zurücknehmen|löschen|entfernen)`,
		`(?:lass |mache? )?(?:es |das )?(?:wieder )?(?:so )?wie (?:du|wir|ich) (?:es|das) (?:vorher )?hatte[snt]*`, `(?:déjalo|ponlo|hazlo) (?:otra vez )?como lo (?:tenías|tenía|teníamos|habías hecho)`, `(?:remets|laisse|refais)(?:[- ](?:le|tout|ça))? comme (?:tu l'avais|c'était|on l'avait)(?: fait)?`,
		`(?:quita|borra|anula|elimina|descarta|deshaz|cancela|olvida) `+loReciente, `(?:enlève|retire|annule|supprime|efface|oublie|vire|laisse tomber) `+dernièrement)
)

var undoAll = imperative(afterRequest,
	`i (?:liked|preferred) (?:it|that) (?:`+better+` )?(?:at|in) the (?:start|beginning)(?: `+better+`)?`, `(?:so )?wie (?:es|das spiel) (?:ganz )?am anfang war`, `(?:ganz )?am anfang (?:war|gefiel|fand)(?: \pL+){1,2} `+better,
	`(?:(?:prefiero|déjalo|ponlo|prefería) )?c[oó]mo (?:era|estaba) al principio`, `al principio (?:era|estaba|me gustaba) `+better, `(?:(?:je préf[eéè]r\pL+|remets(?:[- ](?:le|tout))?|c'était) )?(?:comme c'était )?`+`(?:`+better+` )?au (?:tout )?(?:début|départ)`,
	`(?:undo|revert|reset|take back) (?:everything|all(?: (?:of )?(?:it|the|my|your)?(?: ?changes)?)?)`, `(?:(?:go|revert|return|restore|change)(?: it)? )?(?:back )?(?:to )?the (?:very )?(?:first|original) (?:version|game|one|state)`,
	`(?:mache? )?alles (?:wieder )?rückgängig(?: machen)?`, `(?:zurück )?(?:zur|zum) (?:ersten|ursprünglichen) (?:version|spiel|stand)`,
	`deshaz(?:lo)? todo`, `(?:vuelve|volver|regresa) (?:a la primera versión|a la versión original|al principio)`,
	`annule[rz]? tout`, `(?:reviens|retourne|revenir) à la (?:première version|version originale|version initiale)`)

var undoMany = imperative(afterRequest,
	`(?:(?:go|change it|put it|make it) )?(?:back )?(?:to )?(?:how|what|the way) it was (?P<n>\w+) (?:changes|versions|steps) ago`,
	`(?:undo|revert|go back|roll back)(?: it| that)? (?:by )?(?P<n>twice|\w+) ?(?:times|steps|versions|revisions|changes)?`, `(?:undo|revert) (?:the |my )?last (?P<n>\w+)(?: changes| steps)?`,
	`(?:mache? )?(?:die )?letzten (?P<n>\pL+|\d+) (?:änderungen|schritte) (?:wieder )?rückgängig(?: machen)?`, `(?P<n>\pL+|\d+) (?:schritte|versionen|mal) zurück`, `(?P<n>zweimal|dreimal) (?:rückgängig|zurück)`,
	`deshaz (?:los )?(?:últimos )?(?P<n>\pL+|\d+)(?: últimos)? (?:cambios|pasos|veces)`, `annule[rz]? les (?P<n>\pL+|\d+) derni(?:ers changements|ères modifications)`)

var redoWords = imperative(afterRequest, `redo(?: `+lastChange+`)?`, `(?:undo|revert|take back) the (?:undo|undoing|revert)`,
	`(?:mache? )?(?:das )?rückgängigmachen (?:wieder )?rückgängig(?: machen)?`, `wiederhole?(?: (?:es|das|die letzte änderung))?`, `rehaz(?:lo)?`, `rehacer`, `refaire`)

// numbers are those of changes that may be undone at once.
var numbers = map[string]int{
	"twice": 2, "two": 2, "zwei": 2, "zweimal": 2, "dos": 2, "deux": 2, "2": 2, "three": 3, "drei": 3, "dreimal": 3, "tres": 3, "trois": 3, "3": 3,
	"four": 4, "vier": 4, "cuatro": 4, "quatre": 4, "4": 4, "five": 5, "fünf": 5, "cinco": 5, "cinq": 5, "5": 5,
}

// ReadUndo returns what of a request asks for an earlier revision, if something does.
func ReadUndo(prompt string) (u Undo, asked bool) {
	var rest []string
	for _, c := range clausesOf(prompt) {
		switch steps := stepsOf(c.text); {
		case !c.opens || c.depends:
			rest = append(rest, c.text)
		case redoWords().MatchString(c.text):
			u.Redo, asked = true, true
		case undoWords().MatchString(c.text), undoPreferred().MatchString(c.text), undoRemoved().MatchString(c.text):
			u.Steps, asked = max(u.Steps, 1), true
		case undoAll().MatchString(c.text):
			u.Steps, asked = math.MaxInt, true
		case steps > 0:
			u.Steps, asked = max(u.Steps, steps), true
		default:
			rest = append(rest, c.text)
		}
	}
	u.Rest = strings.Join(rest, ", ")
	return u, asked
}

// stepsOf returns how many changes a clause undoes that counts them, 0 if it is none.
func stepsOf(clause string) int {
	match := undoMany().FindStringSubmatch(clause)
	for i, name := range undoMany().SubexpNames() {
		if match != nil && name == "n" && match[i] != "" {
			return numbers[strings.ToLower(match[i])]
		}
	}
	return 0
}

// Restore returns what to change in a project so that it holds the files of a revision.
// The pictures of the playtest go, which are of another game.
func Restore(root *os.Root, files map[string][]byte) ([]swap.Change, error) {
	current, err := Project(root)
	if err != nil {
		return nil, err
	}
	d := newDelivery(Request{Workspace: root})
	for _, moment := range playtest.Moments {
		err = errors.Join(err, d.remove(path.Join(Deliverable, shotOf(moment))), d.remove(formerShots+moment+".jpg"))
	}
	for name := range current {
		if _, stays := files[name]; !stays {
			err = errors.Join(err, d.remove(name))
		}
	}
	for name, data := range files {
		if was, there := current[name]; !there || !bytes.Equal(was, data) {
			d.changes = append(d.changes, swap.Change{Name: name, Data: data})
		}
	}
	return d.changes, err
}
