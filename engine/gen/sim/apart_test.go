package sim

import (
	"context"
	"errors"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// simulate is the argument that makes this program a simulation.
const simulate = "simulate"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == simulate {
		maxCompile = 2
		Main()
	}
	debug.SetGCPercent(300) // as in the engine
	os.Exit(m.Run())
}

func apart(t *testing.T) Judge {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Apart([]string{self, simulate})
}

// dialGame is a game whose mechanic runs code with each new run.
func dialGame(t *testing.T, code string) (spec.Spec, compile.Files) {
	t.Helper()
	s := spec.Spec{Mechanic: "dial", Format: spec.Short, Play: catalog.Usual("dial", spec.Short)}
	files := compile.Files{"src/core/field.js": compile.Field(s)}
	for _, folder := range []string{"core", "mechanics"} {
		names, err := kit.Dir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, there := files["src/"+name]; !there {
				if files["src/"+name], err = kit.Source(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	const begin = "export function create(seed, cfg) {"
	mechanic := string(files["src/mechanics/dial.js"])
	if !strings.Contains(mechanic, begin) {
		t.Fatalf("the mechanic has no %q", begin)
	}
	files["src/mechanics/dial.js"] = []byte(strings.Replace(mechanic, begin, begin+code, 1))
	return s, files
}

func TestVerdictOfAnotherProcessIsTheSame(t *testing.T) {
	s, files := dialGame(t, "")
	here, err := Here{}.Simulate(t.Context(), s, files, []uint32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	there, err := apart(t).Simulate(t.Context(), s, files, []uint32{1, 2})
	if err != nil || !here.OK() || !reflect.DeepEqual(here, there) {
		t.Errorf("%+v and %+v (%v)", here, there, err)
	}
}

func TestHostileMechanicEndsWithItsProcess(t *testing.T) {
	judge := apart(t)
	for name, code := range map[string]string{
		"repeats a text":        "const hog = 'x'.repeat(4e9);",
		"pads a text":           "const hog = 'x'.padStart(4e9);",
		"doubles a text":        "let hog = 'x'; while (true) hog += hog;",
		"multiplies a text":     "const hog = 'x'.repeat(1e5); 'y'.repeat(1e6).replace(/y/g, hog);",
		"buffer":                "const hog = new Float64Array(2e9).fill(1);",
		"buffer in pieces":      "const hog = []; while (true) hog.push(new Uint8Array(1e8).fill(1));",
		"long array":            "const hog = Array.from({ length: 4e9 });",
		"array of arguments":    "Math.max.apply(null, { length: 4e9 });",
		"deep recursion":        "const hog = (n) => hog(n + 1) + 1; hog(0);",
		"search without an end": "const hog = []; hog.length = 4e9; hog.indexOf(1);",
		"number without an end": "const hog = 1n << 4000000000n;",
		"loop without an end":   "while (true) { /* on */ }",
	} {
		t.Run(name, func(t *testing.T) {
			s, files := dialGame(t, code)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := judge.Simulate(ctx, s, files, []uint32{1})
			if err == nil {
				t.Fatal("it was given a verdict")
			}
			if deadline, _ := ctx.Deadline(); time.Since(deadline) > 20*time.Second {
				t.Errorf("it took %v longer than it had", time.Since(deadline))
			}
			var memory runtime.MemStats
			if runtime.ReadMemStats(&memory); memory.HeapSys > maxHeap {
				t.Errorf("this process came to hold %d MB", memory.HeapSys>>20)
			}
		})
	}
}

// endless takes the compiler twice the time for each level: what follows
// "extends" may be a bound or a condition, and both are tried.
func endless(levels int) string {
	return "type A = B extends " + strings.Repeat("(infer T extends ", levels) + "C" + strings.Repeat(" ? 1 : 2)", levels) + " ? 1 : 2;\n"
}

func TestHostileSourceEndsWithItsCompilersProcess(t *testing.T) {
	judge := apart(t)
	for name, file := range map[string]struct{ name, content string }{
		"takes for ever":   {"src/a.ts", endless(60)},
		"is nested":        {"src/a.js", "x = " + strings.Repeat("[", 1<<19)},
		"is nested data":   {"src/a.json", strings.Repeat("[", 1<<19)},
		"is nested blocks": {"src/a.js", strings.Repeat("{", 1<<19)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems, err := judge.Compile(t.Context(), compile.Files{file.name: []byte(file.content)}, "")
			if err == nil && len(problems) == 0 {
				t.Error("nothing is wrong with it")
			}
			if name == "takes for ever" && !errors.Is(err, errKilled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCompilersProcessEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := apart(t).Compile(ctx, compile.Files{"src/a.ts": []byte(endless(60))}, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestCompilerOfAnotherProcessSaysTheSame(t *testing.T) {
	for name, files := range map[string]compile.Files{
		"sound":              {"src/main.js": []byte("import { a } from './a.ts';\nconsole.log(a);\n"), "src/a.ts": []byte("export const a: number = 1;\n")},
		"short of a bracket": {"src/main.js": []byte("console.log((1);\n")},
		"short of a file":    {"src/main.js": []byte("import './a.js';\n")},
		"twice named":        {"src/main.js": []byte("const o = { a: 1, a: 2 };\nconsole.log(o);\n")},
	} {
		here, err := Here{}.Compile(t.Context(), files, "src/main.js")
		if err != nil {
			t.Fatal(err)
		}
		there, err := apart(t).Compile(t.Context(), files, "src/main.js")
		if err != nil || !reflect.DeepEqual(here, there) || (name == "sound") != (len(here) == 0) {
			t.Errorf("%s: %v here, %v there (%v)", name, here, there, err)
		}
	}
}

func TestTooMuchMemoryIsNamed(t *testing.T) {
	s, files := dialGame(t, "Math.max.apply(null, { length: 4e9 });")
	if _, err := apart(t).Simulate(t.Context(), s, files, []uint32{1}); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestSimulationsProcessHasNoEnvironment(t *testing.T) {
	t.Setenv("SVC_TEST_SECRET", "sesame")
	out, err := runApart(t.Context(), []string{"/usr/bin/env"}, nil)
	if err != nil || len(out) > 0 {
		t.Errorf("it has %q (%v)", out, err)
	}
}

func TestSimulationThatCanNotStartSaysSo(t *testing.T) {
	s, files := dialGame(t, "")
	if _, err := Apart([]string{"/nonexistent"}).Simulate(t.Context(), s, files, []uint32{1}); err == nil || !strings.Contains(err.Error(), "starting the simulation") {
		t.Errorf("got %v", err)
	}
}
