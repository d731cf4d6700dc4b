package requests

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

func TestSettingsOfAGameAreReadStrictly(t *testing.T) {
	change, err := ParsePlayChange([]byte(`{"origins":["https://Example.com/","http://a.example:80","http://[::1]:3000"],"tikPerMonth":2.5,"askConsent":false}`))
	if err != nil || !slices.Equal(*change.Origins, []string{"https://example.com", "http://a.example", "http://[::1]:3000"}) ||
		*change.TIKPerMonth != 2.5*api.MicroPerTIK || *change.AskConsent {
		t.Errorf("read %+v, %v", change, err)
	}
	if change, err := ParsePlayChange([]byte(`{}`)); err != nil || change != (api.PlayChange{}) {
		t.Errorf("of nothing: %+v, %v", change, err)
	}
	for _, body := range []string{
		`{"origins":"https://example.com"}`, `{"origins":["example.com"]}`, `{"origins":["https://example.com/x"]}`, `{"origins":["https://a@example.com"]}`,
		`{"origins":["null"]}`, `{"origins":["*"]}`, `{"origins":["https://*.example.com"]}`, `{"origins":["https://a.example; script-src *"]}`, `{"origins":["https://a.example?x"]}`,
		`{"origins":["https://a.example#"]}`, `{"origins":["ftp://a.example"]}`, `{"tikPerMonth":-1}`, `{"tikPerMonth":0.0000001}`, `{"askConsent":"yes"}`, `{"Origins":[]}`, `[]`,
	} {
		var refused *answers.Error
		if _, err := ParsePlayChange([]byte(body)); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestKeyGoesOnForWholeDays(t *testing.T) {
	for body, days := range map[string]int{``: 30, `{}`: 30, `{"keepDays":0}`: 0, `{"keepDays":90}`: 90} {
		if keep, err := ParseRotateRequest([]byte(body)); err != nil || keep != time.Duration(days)*24*time.Hour {
			t.Errorf("%q: %v, %v", body, keep, err)
		}
	}
	for _, body := range []string{`{"keepDays":-1}`, `{"keepDays":91}`, `{"keepDays":1.5}`, `{"keepDays":"1"}`, `x`} {
		if _, err := ParseRotateRequest([]byte(body)); err == nil {
			t.Errorf("%q is taken", body)
		}
	}
}

func TestChangeOfAnExperimentIsReadStrictly(t *testing.T) {
	for _, body := range []string{
		`{"id":"speed","values":["1","2"]}`, `{"id":"speed","state":"draft","values":["1","2"],"percents":[50,50]}`, `{"id":"a","state":"running"}`,
		`{"id":"a","state":"winner","winner":"2"}`, `{"id":"a","state":"removed"}`,
	} {
		if _, err := ParseExperimentChange([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{
		`{}`, `{"id":"1x","values":["1","2"]}`, `{"id":"a","values":["1"]}`, `{"id":"a","values":["1","1"]}`, `{"id":"a","values":["1","2","3","4","5","6"]}`,
		`{"id":"a","values":["1","2"],"percents":[60,50]}`, `{"id":"a","values":["1","2"],"percents":[100]}`, `{"id":"a","values":["1","2"],"percents":[0,10]}`,
		`{"id":"a","state":"running","values":["1","2"]}`, `{"id":"a","state":"winner"}`, `{"id":"a","state":"stopped","winner":"1"}`, `{"id":"a","state":"paused"}`,
		`{"id":"a","values":["1","\u0001"]}`,
	} {
		var refused *answers.Error
		if _, err := ParseExperimentChange([]byte(body)); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRulesOfABoardAreReadStrictly(t *testing.T) {
	rules, err := ParseBoardRules([]byte(`{"better":"lower","perSecond":0.5,"rewards":[{"id":"a","name":"A","kind":"runs","least":3,"often":"daily"},{"id":"b","name":"B","kind":"win"}]}`))
	if err != nil || rules.Better != api.BetterLower || *rules.PerSecond != 0.5 || rules.Least != nil || len(rules.Rewards) != 2 || rules.Rewards[1].Often != api.OftenOnce {
		t.Errorf("read %+v, %v", rules, err)
	}
	if rules, err := ParseBoardRules([]byte(`{}`)); err != nil || rules.Better != api.BetterHigher || rules.Rewards == nil {
		t.Errorf("of nothing: %+v, %v", rules, err)
	}
	for _, body := range []string{
		`{"better":"best"}`, `{"least":"3"}`, `{"most":1e16}`, `{"rewards":[{"id":"A","name":"A","kind":"win"}]}`, `{"rewards":[{"id":"a","kind":"win"}]}`,
		`{"rewards":[{"id":"a","name":"A","kind":"tik"}]}`, `{"rewards":[{"id":"a","name":"A","kind":"runs"}]}`, `{"rewards":[{"id":"a","name":"A","kind":"days","least":1001}]}`,
		`{"rewards":[{"id":"a","name":"A","kind":"win"},{"id":"a","name":"B","kind":"win"}]}`,
	} {
		var refused *answers.Error
		if _, err := ParseBoardRules([]byte(body)); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}
