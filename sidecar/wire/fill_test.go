package wire_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// fill gives every field, at any depth, a value of its own that is not zero.
func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.UnixMilli(int64(1_000_000_000_000 + *n)).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // it stays on purpose
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString("text <&> \u2028 " + string(rune('A'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n) + 1<<40)
	case reflect.Uint64:
		v.SetUint(uint64(*n) + 1<<40)
	default:
		panic("no value for " + v.Type().String())
	}
}

// roundTrip encodes a value and decodes it again, as it travels.
func roundTrip(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := reflect.New(reflect.TypeOf(v).Elem())
	if err := json.Unmarshal(raw, out.Interface()); err != nil {
		t.Fatal(err)
	}
	return out.Elem().Interface()
}

// flat lists a value's fields by their path, pointers followed.
func flat(v any) map[string]any {
	out := make(map[string]any)
	flatten("", reflect.ValueOf(v), out)
	return out
}

func flatten(path string, v reflect.Value, out map[string]any) {
	if at, ok := v.Interface().(time.Time); ok {
		out[path] = at.UnixNano()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			out[path] = nil
			return
		}
		flatten(path, v.Elem(), out)
	case reflect.Struct:
		for i := range v.NumField() {
			flatten(path+"."+v.Type().Field(i).Name, v.Field(i), out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			flatten(fmt.Sprintf("%s[%d]", path, i), v.Index(i), out)
		}
	default:
		out[path] = v.Interface()
	}
}
