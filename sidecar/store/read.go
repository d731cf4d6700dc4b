package store

import "context"

// Read is Store.View for a function that returns what it reads.
func Read[T any](ctx context.Context, s *Store, read func(*Reader) (T, error)) (T, error) {
	var value T
	err := s.View(ctx, func(r *Reader) error {
		var err error
		value, err = read(r)
		return err
	})
	return value, err
}

// All returns what row reads of each row of a query's result: an empty slice, not
// nil, where there are none.
func All[T any](r *Reader, row func(Scan) (T, error), query string, args ...any) ([]T, error) {
	list := []T{}
	err := r.Each(func(scan Scan) error {
		value, err := row(scan)
		list = append(list, value)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Column reads a row of one column.
func Column[T any](scan Scan) (T, error) {
	var value T
	err := scan(&value)
	return value, err
}
