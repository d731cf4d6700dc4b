package fleet

import (
	"time"

	"github.com/svc-games/svc/engine-proxy/lifecycle"
)

// Settings are those of the Options that may change while engines run; zero
// fields mean the defaults.
type Settings struct {
	IdleTTL     time.Duration
	MaxEngines  int
	MaxPerOwner int
	Retain      time.Duration
}

// Apply changes the settings. Failures are forgotten: what kept an engine from
// starting may have been mended together with the configuration.
func (p *Proxy) Apply(s Settings) error {
	opts := p.opts
	opts.IdleTTL, opts.MaxEngines, opts.MaxPerOwner, opts.Retain = s.IdleTTL, s.MaxEngines, s.MaxPerOwner, s.Retain
	if err := opts.complete(); err != nil {
		return err
	}
	rules := opts.rules()
	p.mu.Lock()
	p.rules = &rules
	p.mu.Unlock()
	p.retain.Store(int64(opts.Retain))
	p.admission.Resize(opts.MaxEngines, opts.MaxPerOwner)
	for _, a := range p.all() {
		a.post(func() {
			a.step(func(m *lifecycle.Machine, now time.Time) {
				m.SetRules(&rules)
				m.Reset(now)
			})
		})
	}
	return nil
}
