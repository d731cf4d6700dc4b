#!/usr/bin/env python3
"""Moves what the service alone needs of package api to api/answers, api/requests and api/mint,
and has the whole repository name it there. Run at the root; what it leaves is for gofmt."""
import os, re, subprocess, sys

MOD = "github.com/svc-games/svc/api"
TO = {
    "answers": """Error BadRequest EngineStarting Unavailable EncodedJob EncodeJob Deprecation Deprecations SetDeprecation
        ConcurrencyRetry DayEnd MonthEnd LimitRetryAfter""".split(),
    "requests": """ParseGenerateRequest ParseProjectRequest ParsePublishRequest ParseDays ParseBoardRules ParsePlayChange ParseOrigin
        ParseRotateRequest ParseExperimentChange ParseViewQuery ParseWebhookRequest WithoutWebhook ParseReplayRequest ParseJobStatus
        CheckProjectID CheckReward CheckExperiment TableOf""".split(),
    "mint": """KeyLength KeyHash NewKey NewPlayKey NewStreamToken ParseStreamToken ParseKey ValidPlayKey MaskKey MaskKeys
        NewProjectID NewJobID NewSessionID NewKeyID NewInstanceID""".split(),
}
WHERE = {name: pkg for pkg, names in TO.items() for name in names}

# Top-level declarations of package api, by file: which file of which package they go to.
UNEXPORTED = {
    "answers": "errorBody matchesTemplate deprecationTable".split(),
    "requests": """members maxMembers decodeObject decodeArray text bytesText oneOf boolean value caseVariant malformed place member
        parts parseContextBlock parseSkill parseSkillFile parseSettings skillKeyPattern score checkBoard rewardID parameterName
        checkPercents maxValues maxValue maxOrigin validCursor parseHook checkHookURL maxHookURL""".split(),
    "mint": """keyPrefix keyRandom tokenPrefix playPrefix playRandom keyChecksum base62 newKey wellFormed checksum isBase62
        secretPrefixes minKeyLike prefix character isAlphanumeric newULID mustRead""".split(),
}
HOME = dict(WHERE)
for pkg, names in UNEXPORTED.items():
    for name in names:
        HOME[name] = pkg
FILE = {  # of the old file and the package: the new one
    ("errors.go", "answers"): "errors.go", ("encode.go", "answers"): "encode.go", ("deprecation.go", "answers"): "deprecation.go",
    ("limits.go", "answers"): "limits.go", ("apikey.go", "mint"): "keys.go", ("ids.go", "mint"): "ids.go", ("ids.go", "requests"): "project.go",
    ("project.go", "requests"): "project.go", ("strict.go", "requests"): "strict.go", ("generate.go", "requests"): "generate.go",
    ("analytics.go", "requests"): "views.go", ("views.go", "requests"): "views.go", ("board.go", "requests"): "board.go",
    ("games.go", "requests"): "games.go", ("webhooks.go", "requests"): "webhooks.go", ("job.go", "requests"): "job.go",
}
TESTS = {  # test functions, and what they need, that go along: (package, file)
    "generate_test.go": "requests", "strict_test.go": "requests", "malformed_test.go": "requests", "games_test.go": "requests",
    "maskkeys_test.go": "mint", "deprecation_test.go": "answers",
}

def decls(src):
    """Splits a file into its head and top-level declarations with their comments: [(names, text)]."""
    lines = src.split("\n")
    i, head, out = 0, [], []
    # head: package clause and imports
    while i < len(lines):
        head.append(lines[i])
        if lines[i].startswith("import ("):
            while lines[i] != ")":
                i += 1
                head.append(lines[i])
            i += 1
            break
        if lines[i].startswith("import "):
            i += 1
            break
        if lines[i].startswith("package ") and not any(l.startswith("import") for l in lines):
            i += 1
            break
        i += 1
    buf = []
    while i < len(lines):
        line = lines[i]
        if re.match(r"(func|type|var|const)\b", line):
            block = buf + [line]
            buf = []
            opener = line.rstrip()
            if opener.endswith("{") or opener.endswith("(") and not re.match(r"func .*\)$", opener):
                close = "}" if opener.endswith("{") else ")"
                while not lines[i].startswith(close):
                    i += 1
                    block.append(lines[i])
            i += 1
            out.append((names_of(block), "\n".join(block).strip("\n")))
            continue
        if line.startswith("//"):
            buf.append(line)
        elif buf and line == "":
            buf.append(line)
        i += 1
    return "\n".join(head), out

def names_of(block):
    code = [l for l in block if not l.startswith("//")]
    first = next(l for l in code if l.strip())
    m = re.match(r"func \((?:\w+ )?\*?(\w+)[^)]*\) (\w+)", first)
    if m:
        return [m.group(1)]  # with its type
    m = re.match(r"(?:func|type|var|const) (\w+)", first)
    if m:
        return [m.group(1)]
    return re.findall(r"^\t(\w+)", "\n".join(code), re.M)

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])+\'', re.S)

def outside_strings(src, change, comments=True):
    out, last = [], 0
    for m in TOKEN.finditer(src):
        out.append(change(src[last:m.start()]))
        t = m.group(0)
        out.append(change(t) if comments and t.startswith(("//", "/*")) else t)
        last = m.end()
    out.append(change(src[last:]))
    return "".join(out)

def with_imports(src, add):
    """Adds packages of ours to the imports, in their place, and takes away what no code names."""
    m = re.search(r"^import \(\n(.*?)^\)\n", src, re.S | re.M)
    if not m:
        one = re.search(r'^import ("[^"]+")\n', src, re.M)
        if one:
            src = src.replace(one.group(0), "import (\n\t%s\n)\n" % one.group(1), 1)
        else:
            p = re.search(r"^package \w+\n", src, re.M)
            src = src[:p.end()] + "\nimport (\n)\n" + src[p.end():]
        m = re.search(r"^import \(\n(.*?)^\)\n", src, re.S | re.M)
    groups = [[l for l in g.split("\n") if l.strip()] for g in m.group(1).split("\n\n")]
    groups = [g for g in groups if g]
    ours = next((g for g in groups if any('"github.com/svc-games/svc' in l for l in g)), None)
    if ours is None:
        ours = []
        groups.append(ours)
    for path in add:
        line = '\t"%s"' % path
        if line not in ours:
            ours.append(line)
    body = src[:m.start()] + src[m.end():]
    code = outside_strings(body, lambda s: s, comments=False)
    code = TOKEN.sub(lambda t: "" , body)
    if not re.search(r"(?<![\w.])api\.", code):
        ours[:] = [l for l in ours if l.strip() != '"%s"' % MOD]
    ours.sort(key=lambda l: re.search(r'"([^"]+)"', l).group(1))
    text = "\n\n".join("\n".join(g) for g in groups if g)
    return src[:m.start()] + ("import (\n" + text + "\n)\n" if text else "") + src[m.end():]

def rewrite_users():
    files = subprocess.run(["git", "grep", "-lF", '"%s"' % MOD, "--", "*.go"], capture_output=True, text=True, check=True).stdout.split()
    ref = re.compile(r"(?<![\w.])api\.(%s)\b" % "|".join(sorted(WHERE, key=len, reverse=True)))
    for name in files:
        src = open(name).read()
        used = set()
        def sub(m):
            used.add(WHERE[m.group(1)])
            return WHERE[m.group(1)] + "." + m.group(1)
        out = outside_strings(src, lambda s: ref.sub(sub, s))
        if out != src:
            code = TOKEN.sub("", out)
            add = [MOD + "/" + p for p in TO if re.search(r"(?<![\w.])%s\.[A-Z]" % p, code) and p in used]
            open(name, "w").write(with_imports(out, add))

# Standard packages by the name that code has of them.
STD = {p.split("/")[-1]: p for p in """bytes context encoding/hex encoding/json errors fmt go/ast go/parser go/token path/filepath hash/crc32 hash/fnv io io/fs maps math math/big net/http
    net/http/httptest net/url os path reflect regexp runtime slices strconv strings testing time unicode unicode/utf8 crypto/sha256""".split()}
OTHERS = {"ulid": "github.com/oklog/ulid/v2", "openapi3": "github.com/getkin/kin-openapi/openapi3"}

def needed(code, pkg):
    bare = TOKEN.sub("", code)
    uses = lambda n: re.search(r"(?<![\w.])%s\.[A-Za-z]" % n, bare)
    std = [p for n, p in STD.items() if uses(n)]
    if uses("rand"):
        std.append("crypto/rand")
    ext = [p for n, p in OTHERS.items() if uses(n)]
    ours = [MOD] if uses("api") else []
    ours += [MOD + "/" + p for p in TO if p != pkg and uses(p)]
    groups = [sorted(std), sorted(ext), sorted(ours)]
    groups = ["\n".join('\t"%s"' % p for p in g) for g in groups if g]
    return "import (\n" + "\n\n".join(groups) + "\n)\n\n" if groups else ""

def qualify(text, pkg, stays):
    """Names what is in another package than pkg by it."""
    def change(s):
        def sub(m):
            name = m.group(1)
            if name in stays:
                return "api." + name
            if HOME.get(name) and HOME[name] != pkg and name[0].isupper():
                return HOME[name] + "." + name
            return name
        return re.sub(r"(?<![\w.\"])([A-Z]\w*)\b(?!: )", sub, s)
    return outside_strings(text, change, comments=False)

DOC = {
    "answers": """// Package answers holds what the service answers with besides the wire types of package api:
// refusals, when to try again, and the headers of what is on its way out. Clients need none
// of it.
""",
    "requests": """// Package requests reads what clients send, strictly: its errors are *answers.Error with
// status 400 that name what is wrong.
""",
    "mint": """// Package mint makes the ids, keys and tokens that the service gives out, and tells its own
// from junk. What is stored of a secret is its hash; what is shown, its masked form.
""",
}

def split():
    files = sorted(f for f in os.listdir("api") if f.endswith(".go"))
    parsed = {f: decls(open("api/" + f).read()) for f in files}
    stays = set()
    for f, (_, ds) in parsed.items():
        if not f.endswith("_test.go"):
            for names, _ in ds:
                stays |= {n for n in names if n[0].isupper() and n not in HOME}
    new = {}
    for f, (head, ds) in parsed.items():
        if f.endswith("_test.go"):
            continue
        keep = []
        for names, text in ds:
            homes = {HOME.get(n) for n in names}
            if len(homes) != 1:
                sys.exit("%s: %s go to %s" % (f, names, homes))
            home = homes.pop()
            if home is None:
                keep.append(text)
            else:
                new.setdefault((home, FILE[(f, home)]), []).append(text)
        if len(keep) == len(ds):
            continue
        if not keep:
            os.remove("api/" + f)
            continue
        docs = head[:head.index("package api")]
        body = "\n\n".join(keep)
        open("api/" + f, "w").write(docs + "package api\n\n" + needed(body, "") + body + "\n")
    for (pkg, f), texts in new.items():
        os.makedirs("api/" + pkg, exist_ok=True)
        body = "\n\n".join(qualify(t, pkg, stays) for t in texts)
        main = {"answers": "errors.go", "requests": "strict.go", "mint": "keys.go"}[pkg]
        open("api/%s/%s" % (pkg, f), "w").write((DOC[pkg] if f == main else "") + "package %s\n\n" % pkg + needed(body, pkg) + body + "\n")
    for f, pkg in TESTS.items():
        src = open("api/" + f).read()
        _, ds = parsed[f]
        body = "\n\n".join(qualify(t, pkg, stays) for _, t in ds)
        os.remove("api/" + f)
        open("api/%s/%s" % (pkg, f), "w").write("package %s\n\n" % pkg + needed(body, pkg) + body + "\n")
    split_mixed(stays)

MIXED = {  # test functions that go to a file of another package; the others of their file stay
    "api_test.go": {
        "mint/keys_test.go": "TestNewKeyIsRecognisedAndMasked TestJunkKeyIsRefusedWithoutALookUp FuzzParseKeyAcceptsOnlyItsOwnChecksum "
        "TestKeyOfAGameAndOfAUserAreNeverTakenForOneAnother TestIDsHaveTheirForm",
        "answers/errors_test.go": "TestFixedErrorBodiesHaveTheDocumentedMembersOnly TestErrorCauseStaysOutOfTheBody TestLimitRetryAfterIsTheNextUTCBoundary",
    },
    "openapi_test.go": {"answers/errors_test.go": "TestErrorBodiesHaveExactlyTheDocumentedMembers",
                        "requests/document_test.go": "TestEveryDocumentedRequestMemberIsRead"},
    "views_test.go": {"requests/views_test.go": "TestQueryOfAViewIsReadAsItIsWritten"},
    "bench_test.go": {"mint/bench_test.go": "BenchmarkIDs BenchmarkParseKey"},
}

def split_mixed(stays):
    new = {}
    for f, goes in MIXED.items():
        _, ds = decls(open("api/" + f).read())
        to = {name: file for file, names in goes.items() for name in names.split()}
        keep = []
        for names, text in ds:
            file = to.get(names[0])
            if file:
                new.setdefault(file, []).append(text)
            else:
                keep.append(text)
        if keep:
            body = "\n\n".join(keep)
            open("api/" + f, "w").write("package api\n\n" + needed(body, "") + body + "\n")
        else:
            os.remove("api/" + f)
    for file, texts in new.items():
        pkg = file.split("/")[0]
        body = "\n\n".join(qualify(t, pkg, stays) for t in texts)
        open("api/" + file, "w").write("package %s\n\n" % pkg + needed(body, pkg) + body + "\n")

if __name__ == "__main__":
    rewrite_users()
    split()
