package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// CellText writes a cell as CSV has it; what is not known yet is empty.
func CellText(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(cell)
}

// WriteCSV writes the table with the names of its columns.
func (t ViewTable) WriteCSV(w io.Writer) error {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	out := csv.NewWriter(w)
	if err := out.Write(names); err != nil {
		return err
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return t.WriteCSVRows(w)
}

// WriteCSVRows writes the table's rows alone. A text is written such that a spreadsheet
// doesn't take it for a formula.
func (t ViewTable) WriteCSVRows(w io.Writer) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for _, row := range t.Rows {
		for i, cell := range row {
			line[i] = CellText(cell)
			if _, isText := cell.(string); isText && line[i] != "" && strings.ContainsRune("=+-@\t\r", rune(line[i][0])) {
				line[i] = "'" + line[i]
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteNDJSON writes each row as a JSON object on a line of its own.
func (t ViewTable) WriteNDJSON(w io.Writer) error {
	var line bytes.Buffer
	for _, row := range t.Rows {
		line.Reset()
		for i, cell := range row {
			name, err := json.Marshal(t.Columns[i].Name)
			if err != nil {
				return err
			}
			value, err := json.Marshal(cell)
			if err != nil {
				return err
			}
			line.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
			line.Write(name)
			line.WriteByte(':')
			line.Write(value)
		}
		line.WriteString("}\n")
		if _, err := w.Write(line.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
