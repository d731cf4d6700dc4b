package embedded

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/caddymodule"
	"github.com/svc-games/svc/sidecar/ledger"
	"github.com/svc-games/svc/sidecar/service"
)

// prices returns the price list, nil for the default. A configuration reads its
// file once: it comes back into force when the one after it does not start, and
// the file may be another by then.
func (s *Sidecar) prices() (map[string]api.TIK, error) {
	if s.PricesFile == "" {
		return s.Prices, nil
	}
	if s.fromFile != nil {
		return s.fromFile, nil
	}
	list, err := ledger.ReadPrices(s.PricesFile)
	if err == nil {
		err = ledger.CheckPrices(list, ledger.DefaultUnits())
	}
	if err != nil {
		return nil, err
	}
	s.fromFile = list
	return list, nil
}

// ReloadSidecar implements caddymodule.SidecarReloader: the price list holds for what is
// charged from now on. The policy is not changed by a reload but by its source.
func (s *Sidecar) ReloadSidecar(opened *caddymodule.OpenedSidecar) error {
	if !reflect.DeepEqual(opened.Fixed, s.fixed()) {
		return errors.New("the options policy, decision_log, max_projects, max_queued and webhook_networks take effect at a start: restart the service, or leave them as they were")
	}
	list, err := s.prices()
	if err != nil {
		return err
	}
	if list == nil {
		list = ledger.DefaultPrices()
	}
	if err := opened.Service.(*service.Service).SetPrices(list); err != nil {
		return fmt.Errorf("changing prices: %w", err)
	}
	return nil
}
