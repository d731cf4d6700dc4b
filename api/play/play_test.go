package play

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/svc-games/svc/api/answers"
)

const (
	game   = "0123456789abcdef01234567"
	stream = "0123456789abcdef0123456789abcdef"
)

// batch returns a body with the events, and with members that stand for others.
func batch(events string, members ...string) []byte {
	return []byte(fmt.Sprintf(`{"v":1,"g":%q,"s":%q,"e":[%s]%s}`, game, stream, events, strings.Join(append([]string{""}, members...), ",")))
}

func TestBatchIsReadWithItsEventsInOrder(t *testing.T) {
	b, err := ParseBatch(batch(`[1,0,"session_start",{}],[4,1830,"jump",{"height":3.5,"high":true}],[5,1900,"score"  ,null]`,
		`"k":"pk-x","o":2000,"age":7,"act":1500,"c":{"d":"touch","l":"en","w":480,"h":720},"x":{"speed":"fast"}`,
		`"defs":{"jump":{"height":"number"}},"fun":{"run":["start","score","end"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Events) != 3 || b.Events[1].Seq != 4 || b.Events[1].At != 1830 || string(b.Events[1].Props) != `{"height":3.5,"high":true}` {
		t.Errorf("events are %+v", b.Events)
	}
	if string(b.Events[2].Props) != "{}" || b.Sent != 2000 || b.Variants["speed"] != "fast" || !b.Definitions["jump"].Fits(b.Events[1].Props) {
		t.Errorf("got %+v", b)
	}
}

func TestTimesOfABatchAreBoundedAndWhatIsLateStaysSo(t *testing.T) {
	b, err := ParseBatch(batch(`[1,9223372036854775807,"a",{}]`, `"o":9223372036854775807,"age":9223372036854775807,"act":9223372036854775807`))
	if err != nil || b.Sent != MaxStream+MaxAge || b.Age != MaxAge+1 {
		t.Errorf("got %+v, %v", b, err)
	}
}

func TestMalformedBatchIsRefused(t *testing.T) {
	for name, body := range map[string][]byte{
		"empty":              nil,
		"no object":          []byte(`[]`),
		"other version":      []byte(`{"v":2}`),
		"two values":         append(batch(`[1,0,"a",{}]`), '{', '}'),
		"not UTF-8":          batch("[1,0,\"\xff\",{}]"),
		"no events":          batch(""),
		"three parts":        batch(`[1,0,"a"]`),
		"five parts":         batch(`[1,0,"a",{},1]`),
		"sequence of halves": batch(`[1.5,0,"a",{}]`),
		"sequence of zero":   batch(`[0,0,"a",{}]`),
		"sequence repeated":  batch(`[2,0,"a",{}],[2,0,"a",{}]`),
		"sequence reversed":  batch(`[2,0,"a",{}],[1,0,"a",{}]`),
		"sequence too high":  batch(`[1048577,0,"a",{}]`),
		"time before":        batch(`[1,-1,"a",{}]`),
		"negative age":       batch(`[1,0,"a",{}]`, `"age":-1`),
		"huge age":           batch(`[1,0,"a",{}]`, `"age":1e99`),
		"stream of another":  []byte(`{"v":1,"g":"` + game + `","s":"x","e":[[1,0,"a",{}]]}`),
		"game of another":    []byte(`{"v":1,"g":"x","s":"` + stream + `","e":[[1,0,"a",{}]]}`),
		"player in capitals": batch(`[1,0,"a",{}]`, `"p":"`+strings.ToUpper(stream)+`"`),
		"build of another":   batch(`[1,0,"a",{}]`, `"b":"job_"`),
		"many events":        batch(strings.TrimSuffix(strings.Repeat(`[1,0,"a",{}],`, MaxEvents+1), ",")),
	} {
		_, err := ParseBatch(body)
		var refused *answers.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("%s: got %v, want a 400", name, err)
		}
	}
}

func TestWhatIsDeclaredOutOfBoundsIsLeftOutAndTheEventsAreKept(t *testing.T) {
	b, err := ParseBatch(batch(`[1,0,"a",{}]`, `"defs":{"a":{"b":"text"},"b":{"c":"number"}}`, `"fun":{"a":["<b>"],"b":["start"]}`,
		`"x":{"a":"`+text(41)+`","b":"c"}`, `"c":{"d":"`+text(41)+`"}`))
	if err != nil || len(b.Events) != 1 {
		t.Fatalf("got %+v, %v", b, err)
	}
	if len(b.Definitions) != 1 || len(b.Funnels) != 1 || len(b.Variants) != 1 || b.Client.Device != "" {
		t.Errorf("got %+v", b)
	}
	many := make(map[string]Texts)
	for i := range MaxDefinitions + 5 {
		many[fmt.Sprintf("d%03d", i)] = nil
	}
	atMost(many, MaxDefinitions)
	if _, there := many["d099"]; len(many) != MaxDefinitions || !there {
		t.Errorf("%d are left", len(many))
	}
}

func TestEventOutOfBoundsIsCountedByItsCauseAndTheRestIsKept(t *testing.T) {
	for row, want := range map[string]Cause{
		`"jump",{}`:                                "",
		`"jump",{"a":"` + text(MaxText) + `"}`:     "",
		`"jump",{"a":"` + text(MaxText+1) + `"}`:   CauseProps,
		`"jump",{"a":"` + text(2000) + `"}`:        CauseSize,
		`"jump",{"a":{}}`:                          CauseProps,
		`"jump",{"a":null}`:                        CauseProps,
		`"jump",{"a":1e999}`:                       CauseProps,
		`"jump",{"a":1e308}`:                       "",
		`"jump",{"a":"\u0000"}`:                    CauseProps,
		`"jump",{"":1}`:                            CauseProps,
		`"jump",{"` + text(MaxName+1) + `":1}`:     CauseProps,
		`"jump",[]`:                                CauseProps,
		`"jump",{` + manyMembers(MaxProps) + `}`:   "",
		`"jump",{` + manyMembers(MaxProps+1) + `}`: CauseProps,
		`"Jump",{}`:                                CauseName,
		`"",{}`:                                    CauseName,
		`"<b>",{}`:                                 CauseName,
		`"` + text(MaxName) + `",{}`:               "",
		`"` + text(MaxName+1) + `",{}`:             CauseName,
	} {
		b, err := ParseBatch(batch(`[1,0,"start",{}],[2,0,` + row + `]`))
		if err != nil || b.Events[0].Refused != "" || b.Events[1].Refused != want {
			t.Errorf("%.60s: got %v and %+v, want %q", row, err, b.Events, want)
		}
	}
}

func TestWhatIsFreeBringsNothingOfTheGamesOwn(t *testing.T) {
	b, err := ParseBatch(batch(`[1,0,"session_start",{"width":480,"height":720.5,"level":7}],[2,0,"heartbeat",{"level":7}],[3,0,"session_end",{"seconds":"7"}],
		[4,0,"exposure",{"k":"speed","v":"2","level":true}],[5,0,"start",{"level":7}]`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{"height":720.5,"width":480}`, `{}`, `{}`, `{"k":"speed","v":"2"}`, `{"level":7}`} {
		if e := b.Events[i]; e.Refused != "" || string(e.Props) != want || Essential(e.Name) != (i < 4) {
			t.Errorf("%s has %s, %q, want %s", e.Name, e.Props, e.Refused, want)
		}
	}
}

func text(n int) string { return strings.Repeat("a", n) }

func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":1`, i)
	}
	return strings.Join(members, ",")
}

func TestFormerBatchIsSplitIntoItsSessions(t *testing.T) {
	got, err := ParseFormer([]byte(`{"gameId":"`+game+`","events":[{"name":"a","props":{},"session":"s","at":1000},
		{"name":"b","props":{"x":1},"session":"t","at":5},{"name":"c","props":{},"session":"s","at":3000},{"name":"Ä","session":"s","at":2000}]}`), "pk-x")
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	s, other := got[0], got[1]
	if !s.Former || s.Key != "pk-x" || s.Stream == other.Stream || len(s.Events) != 3 || s.Events[1].At != 2000 || s.Events[2].At != 2000 || s.Sent != 2000 {
		t.Errorf("got %+v", s)
	}
	if s.Events[2].Refused != CauseName || string(other.Events[0].Props) != `{"x":1}` {
		t.Errorf("got %+v", got)
	}
}

func TestFormerBatchOfManySessionsIsRefused(t *testing.T) {
	of := func(sessions int) []byte {
		events := make([]string, sessions)
		for i := range events {
			events[i] = fmt.Sprintf(`{"name":"a","session":"s%d","at":%d}`, i, i)
		}
		return []byte(`{"gameId":"` + game + `","events":[` + strings.Join(events, ",") + `]}`)
	}
	if got, err := ParseFormer(of(MaxSessions), "pk-x"); err != nil || len(got) != MaxSessions {
		t.Errorf("got %d, %v", len(got), err)
	}
	var refused *answers.Error
	if got, err := ParseFormer(of(MaxSessions+1), "pk-x"); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
		t.Errorf("got %d, %v, want a 400", len(got), err)
	}
}

func FuzzBatchIsReadOrRefused(f *testing.F) {
	f.Add(batch(`[1,0,"session_start",{}],[4,1830,"jump",{"height":3.5}]`, `"defs":{"jump":{"height":"number"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := ParseBatch(body)
		if err != nil {
			var refused *answers.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got %v", err)
			}
			return
		}
		for i, e := range b.Events {
			if i > 0 && e.Seq <= b.Events[i-1].Seq || e.Refused == "" && len(e.Props) > MaxEventSize {
				t.Fatalf("accepted %+v", b.Events)
			}
		}
	})
}
