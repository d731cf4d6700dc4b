#!/usr/bin/env python3
"""The preparatory commit: what is a method of a type that stays in api and needs what leaves it
becomes a function; functions of tests that are called like the packages to come get other names.
Idempotent; what it looks for may be anywhere, so that files of later branches are changed too."""
import re, subprocess, sys
from gosrc import outside_strings, go_files, read, write

def change(files, *pairs, wanted=True):
    n = 0
    for f in files:
        src = read(f)
        out = src
        for old, new in pairs:
            out = outside_strings(out, lambda s: re.sub(old, new, s))
        if out != src:
            n += 1
            write(f, out)
    if wanted and not n:
        print("prep: nothing to change in %s" % " ".join(files[:3]), file=sys.stderr)

api = go_files("api/*.go", deep=False)
change(api,
    (r"func \((r) BoardRules\) check\(\)", r"func checkBoard(\1 BoardRules)"), (r"\brules\.check\(\)", "checkBoard(rules)"),
    (r"func \((w) RewardRule\) Check\(\)", r"func CheckReward(\1 RewardRule)"), (r"\bw\.Check\(\)", "CheckReward(w)"),
    (r"// Check says what is wrong with a reward", "// CheckReward says what is wrong with a reward"),
    (r"func \((c) ExperimentChange\) Check\(\)", r"func CheckExperiment(\1 ExperimentChange)"), (r"\bchange\.Check\(\)", "CheckExperiment(change)"),
    (r"// Check says what is wrong with a change", "// CheckExperiment says what is wrong with a change"),
    (r"func \((c) ExperimentChange\) checkPercents\(\)", r"func checkPercents(\1 ExperimentChange)"), (r"\bc\.checkPercents\(\)", "checkPercents(c)"),
    (r"func \((req) GenerateRequest\) parts\(\)", r"func parts(\1 GenerateRequest)"), (r"\breq\.parts\(\)", "parts(req)"),
    (r"func \((v) View\) Table\((\w+) string\)", r"func TableOf(\1 View, \2 string)"),
    (r"// Table returns a table by name, the first one", "// TableOf returns a table of a view by name, the first one"))

# Who calls them. The types aren't known here: those of Check by the places, those of Table by their form.
for f, old, new in (
    ("cmd/svc/commands/experiments.go", r"\bwanted\.Check\(\)", "api.CheckExperiment(wanted)"),
    ("sidecar/analytics/experiments.go", r"\bchange\.Check\(\)", "api.CheckExperiment(change)"),
    ("sidecar/console/board.go", r"\bw\.Check\(\)", "api.CheckReward(w)"),
):
    change([f], (old, new))

def receiver(src, end):
    """Where the expression begins that ends before end."""
    i, depth = end, 0
    while i > 0:
        c = src[i - 1]
        if c in ")}]":
            depth += 1
        elif c in "({[":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and not (c.isalnum() or c in "_."):
            break
        i -= 1
    return i

for f in go_files("*.go"):
    src = read(f)
    if '"github.com/svc-games/svc/api"' not in src and not f.startswith("test/e2e/"):
        continue
    out, at = src, 0
    while True:
        m = re.compile(r'\.Table\(("\w*"|[\w.]+)\)').search(out, at)
        if not m:
            break
        at = m.end()
        i = receiver(out, m.start())
        what = out[i:m.start()]
        if what in ("analytics", "o") or not what:
            continue
        out = out[:i] + "api.TableOf(%s, %s)" % (what, m.group(1)) + out[m.end():]
    if out != src:
        write(f, out)
        print("prep: Table -> TableOf in", f)

def tests(folder):
    return go_files(folder + "/*_test.go", deep=False)
change(["caddymodule/gateway/console.go"], (r"\banswers http\.Handler", "source http.Handler"), (r"(?<![\w.])answers\.ServeHTTP\(", "source.ServeHTTP("),
    (r"// Serve has answers, a site", "// Serve has source, a site"))
change(["caddymodule/gateway/quota_test.go"], (r"(?<![\w.])answers( :=|\()", r"answersWith\1"))
change([f for f in tests("caddymodule/gateway") if not f.endswith("/quota_test.go")], (r"(?<![\w.])answers\(", "answerOf("), (r"// answers has a client", "// answerOf has a client"))
change(tests("engine/gen"), (r"(?<![\w.])requests\(\)", "eachRequest()"), (r"// requests returns one request", "// eachRequest returns one request"))
change(tests("sidecar/webhooks"), (r"(?<![\w.])answers\(", "verdicts("), (r"// answers (?=has|asks|runs)", "// verdicts "))
