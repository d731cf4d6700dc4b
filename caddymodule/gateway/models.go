package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// modelsKept is how long the list of models is taken for what it was. An engine
// proxy that was restarted with another one is followed within it.
const modelsKept = 2 * time.Second

// maxModelsNamed bounds how many models a refusal names.
const maxModelsNamed = 20

// Models knows which models settings.model may name. It is safe for concurrent use.
type Models struct {
	Engines engineproxy.Engines
	Now     func() time.Time

	mu   sync.Mutex // guards what follows
	list []api.Model
	at   time.Time
}

// List returns all of them, the generator without a model first.
func (m *Models) List(ctx context.Context) ([]api.Model, *answers.Error) {
	m.mu.Lock()
	list, age := m.list, m.Now().Sub(m.at)
	m.mu.Unlock()
	if list != nil && age >= 0 && age < modelsKept {
		return list, nil
	}
	asked := m.Now()
	found, err := m.Engines.Models(ctx)
	if err != nil {
		return nil, answers.Unavailable("The list of models can't be read right now.", retrySoon, err)
	}
	list = []api.Model{{Name: api.ModelEmbedded, Default: true}}
	for _, model := range found {
		list[0].Default = list[0].Default && !model.Default
		list = append(list, model)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list, m.at = list, asked
	return list, nil
}

// check refuses a submission that names a model which is not there. For the generator
// itself no one needs to be asked.
func (m *Models) check(ctx context.Context, name string) *answers.Error {
	if m == nil || name == api.ModelEmbedded {
		return nil
	}
	list, refused := m.List(ctx)
	if refused != nil {
		return refused
	}
	var names []string
	for _, model := range list {
		if model.Name == name {
			return nil
		}
		names = append(names, model.Name)
	}
	rest := ""
	if more := len(names) - maxModelsNamed; more > 0 {
		names, rest = names[:maxModelsNamed], fmt.Sprintf(" and %d more", more)
	}
	return answers.BadRequest("settings.model must be one of %s%s, not %q.", strings.Join(names, ", "), rest, name)
}

// serve answers GET /v1/models.
func (m *Models) serve(w http.ResponseWriter, r *http.Request) error {
	list, refused := m.List(r.Context())
	if refused != nil {
		return refused
	}
	return writeJSON(w, http.StatusOK, api.ModelList{Success: true, Data: list})
}
