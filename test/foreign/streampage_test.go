package foreign

import "strings"

// cell is one of the page's table: a client, and what happens to its stream.
type cell struct{ client, happens string }

// cellsOf reads the table of a page.
func cellsOf(page string) map[cell]string {
	cells := map[cell]string{}
	var head []string
	for line := range strings.Lines(page) {
		row := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case !strings.HasPrefix(line, "| "):
		case head == nil:
			head = row
		default:
			for i := range min(len(row), len(head)) {
				cells[cell{row[0], head[i]}] = row[i]
			}
		}
	}
	return cells
}

func tableOf(cells map[cell]string) string {
	head, line, rows := "| client |", "|---|", ""
	for _, c := range streamCases {
		head, line = head+" "+c.name+" |", line+"---|"
	}
	for _, tool := range streamTools {
		rows += "| " + tool.name + " |"
		for _, c := range streamCases {
			rows += " " + cells[cell{tool.name, c.name}] + " |"
		}
		rows += "\n"
	}
	return head + "\n" + line + "\n" + rows
}
