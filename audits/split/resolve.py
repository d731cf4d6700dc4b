"""Says which names of the four packages are named and not declared there. Text only."""
import os, re, sys
from gosrc import bare, go_files, read
MOD = "github.com/svc-games/svc/api"
bad = 0
where = {"api": "api", "answers": "api/answers", "requests": "api/requests", "mint": "api/mint"}
declared = {}
for p, d in where.items():
    names = set()
    for f in go_files(d + "/*.go", deep=False):
        if f.endswith("_test.go"): continue
        code = bare(read(f))
        names |= set(re.findall(r"^(?:func|type|var|const) ([A-Z]\w*)", code, re.M))
        for g in re.findall(r"^(?:var|const|type) \((.*?)^\)", code, re.S | re.M):
            names |= set(re.findall(r"^\t([A-Z]\w*)", g, re.M))
    declared[p] = names
for f in go_files("*.go"):
    src = read(f); code = bare(src)
    for p, d in where.items():
        if not re.search(r'^\s*(?:import )?"%s"$' % re.escape("github.com/svc-games/svc/" + d), src, re.M): continue
        for n in sorted(set(re.findall(r"(?<![\w.])%s\.([A-Z]\w*)" % p, code)) - declared[p]):
            bad = 1; print("%s: %s.%s is not declared" % (f, p, n))
# within the packages: unqualified names
for p, d in where.items():
    own = set()
    texts = {f: bare(read(f)) for f in go_files(d + "/*.go", deep=False)}
    for code in texts.values():
        own |= set(re.findall(r"^(?:func|type|var|const) (\w+)", code, re.M)) | set(re.findall(r"^\t+(\w+)\b", code, re.M)) | set(re.findall(r"\b(\w+)(?:, \w+)* (?:string|\[\]|:=|\w)", code))
    for q, names in declared.items():
        if q == p: continue
        for f, code in texts.items():
            for n in sorted(set(re.findall(r"(?<![\w.])([A-Z]\w*)\b(?!:\s)", code)) & names - declared[p] ):
                print("%s: names %s of %s bare (look)" % (f, n, q))
sys.exit(bad)
