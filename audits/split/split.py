#!/usr/bin/env python3
"""Moves what the service alone needs of package api to api/answers, api/requests and api/mint,
and has the whole repository name it there. Run at the root, after prep.py; what it leaves is for gofmt.
What this list doesn't know of package api goes where what it calls went (settle)."""
import os, re, subprocess, sys
from gosrc import TOKEN, bare, go_files, outside_strings, read, write

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
UNEXPORTED = {
    "answers": "errorBody matchesTemplate deprecationTable".split(),
    "requests": """members maxMembers decodeObject decodeArray text bytesText oneOf boolean value caseVariant malformed place member
        parts parseContextBlock parseSkill parseSkillFile parseSettings skillKeyPattern score checkBoard rewardID parameterName
        checkPercents maxValues maxValue maxOrigin validCursor parseHook checkHookURL maxHookURL""".split(),
    "mint": """keyPrefix keyRandom tokenPrefix playPrefix playRandom keyChecksum base62 newKey wellFormed checksum isBase62
        secretPrefixes minKeyLike prefix character isAlphanumeric newULID mustRead""".split(),
}
HOME = {name: pkg for table in (TO, UNEXPORTED) for pkg, names in table.items() for name in names}
STAY = set(read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "stay.txt")).split())

FILE = {  # of the old file and the package: the new one, where its name is another
    ("apikey.go", "mint"): "mint.go", ("ids.go", "mint"): "mint.go", ("ids.go", "requests"): "project.go", ("analytics.go", "requests"): "views.go",
}
TESTS = {  # files of tests that go along as a whole
    "generate_test.go": "requests", "strict_test.go": "requests", "malformed_test.go": "requests", "games_test.go": "requests",
    "maskkeys_test.go": "mint", "deprecation_test.go": "answers",
}
MIXED = {  # test functions that go to a file of another package; the others of their file stay
    "api_test.go": {
        "mint/mint_test.go": "TestNewKeyIsRecognisedAndMasked TestJunkKeyIsRefusedWithoutALookUp FuzzParseKeyAcceptsOnlyItsOwnChecksum "
        "TestKeyOfAGameAndOfAUserAreNeverTakenForOneAnother TestIDsHaveTheirForm",
        "answers/errors_test.go": "TestFixedErrorBodiesHaveTheDocumentedMembersOnly TestErrorCauseStaysOutOfTheBody TestLimitRetryAfterIsTheNextUTCBoundary",
    },
    "openapi_test.go": {"answers/errors_test.go": "TestErrorBodiesHaveExactlyTheDocumentedMembers",
                        "requests/document_test.go": "TestEveryDocumentedRequestMemberIsRead"},
    "views_test.go": {"requests/views_test.go": "TestQueryOfAViewIsReadAsItIsWritten"},
    "bench_test.go": {"mint/bench_test.go": "BenchmarkIDs BenchmarkParseKey"},
}
STAYING_TESTS = {  # that name what goes, until they are changed by hand
    "TestDocumentAndCodeHaveTheSameBounds", "TestDocumentAndCodeAgreeOnEveryIDOneByteFromAGoodOne", "TestDocumentAndWireTypesHaveTheSameMembers",
    "TestEventIsFlatAndReadsBack",
}
DOC = {
    "answers/errors.go": """// Package answers holds what the service answers with besides the wire types of package api:
// refusals, when to try again, and the headers of what is on its way out. Clients need none
// of it.
""",
    "requests/strict.go": """// Package requests reads what clients send, strictly: its errors are *answers.Error with
// status 400 that name what is wrong.
""",
    "mint/mint.go": """// Package mint makes the ids, keys and tokens that the service gives out, and tells its own
// from junk. What is stored of a secret is its hash; what is shown, its masked form.
""",
}
said = []  # what is to be looked at by hand

def say(*words):
    said.append(" ".join(words))

# --- declarations of package api

def decls(src):
    """Splits a file into its head and top-level declarations with their comments: [(names, text)]."""
    lines = src.split("\n")
    i, head, out = 0, [], []
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
            block, buf = buf + [line], []
            opener = line.rstrip()
            if opener.endswith("{") or opener.endswith("(") and not re.match(r"func .*\)$", opener):
                close = "}" if opener.endswith("{") else ")"
                while not lines[i].startswith(close):
                    i += 1
                    block.append(lines[i])
            i += 1
            out.append((names_of(block), "\n".join(block).strip("\n")))
            continue
        if line.startswith("//") or buf and line == "":
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

def names_in(text):
    """What a declaration names: what begins with a capital, and calls or literals of what doesn't."""
    code = bare(text)
    return set(re.findall(r"(?<![\w.])([A-Z]\w*)\b(?!:\s)", code)) | set(re.findall(r"(?<![\w.])([a-z]\w*)(?=[({\[])", code)) | \
        set(re.findall(r"(?<![\w.])([a-z]\w*Pattern|max[A-Z]\w*)\b", code))

def settle(parsed):
    """Finds a home for what neither list knows: where what it names went, or who alone names it."""
    code = [(f, names, text) for f, (_, ds) in parsed.items() if not f.endswith("_test.go") for names, text in ds]
    known = lambda names: any(n in HOME or n in STAY for n in names)
    changed = True
    while changed:
        changed = False
        for f, names, text in code:
            if known(names):
                continue
            named = {HOME[n] for n in names_in(text) if n in HOME and n not in names}
            if named:
                # what reads goes where the reading is, whatever else it needs
                home = "requests" if "requests" in named or re.match(r"(Parse|Check|[a-z])", names[0]) else sorted(named)[0]
                for n in names:
                    HOME[n] = home
                say("%s: %s is new and goes to %s" % (f, " ".join(names), home))
                changed = True
    for f, names, text in code:  # helpers that only what goes names
        if known(names) or names[0][0].isupper():
            continue
        users = {HOME.get(o[0]) for _, o, t in code if o != names and any(re.search(r"(?<![\w.])%s\b" % n, bare(t)) for n in names)}
        if len(users) == 1 and None not in users:
            home = users.pop()
            for n in names:
                HOME[n] = home
            say("%s: helper %s is new and goes to %s" % (f, " ".join(names), home))
    for f, names, text in code:
        if names[0] not in HOME and names[0] in STAY:
            gone = sorted(n for n in names_in(text) if n in HOME and n[0].isupper())
            if gone:
                say("%s: %s stays and names %s" % (f, names[0], " ".join(gone)))

# --- imports

STD = {p.split("/")[-1]: p for p in """bytes cmp context encoding/base64 encoding/hex encoding/json errors fmt go/ast go/parser go/token html path/filepath
    hash/crc32 hash/fnv io io/fs iter maps math math/big net/http net/http/httptest net/netip net/url os path reflect regexp runtime slices sort strconv
    strings sync testing time unicode unicode/utf8 crypto/sha256 crypto/subtle crypto/hmac""".split()}
OTHERS = {"ulid": "github.com/oklog/ulid/v2", "openapi3": "github.com/getkin/kin-openapi/openapi3", "norm": "golang.org/x/text/unicode/norm"}

def needed(code, pkg, heads=""):
    """The imports of a file of package api or one below it. Heads are those of the files that the code was in."""
    of_heads = {re.sub(r"^v\d+$", "", p.split("/")[-1]) or p.split("/")[-2]: p for p in re.findall(r'"([^"]+)"', heads)}
    code = bare(code)
    uses = lambda n: re.search(r"(?<![\w.])%s\.[A-Za-z]" % n, code)
    found = {n: p for n, p in {**STD, **OTHERS, **of_heads}.items() if n not in ("api", "rand", *TO) and uses(n)}
    if uses("rand"):
        found["rand"] = of_heads.get("rand", "crypto/rand")
    std = [p for p in found.values() if "." not in p.split("/")[0]]
    ours = [p for p in found.values() if p.startswith("github.com/svc-games/svc/")]
    ext = [p for p in found.values() if p not in std and p not in ours]
    ours += [MOD] if uses("api") else []
    ours += [MOD + "/" + p for p in TO if p != pkg and uses(p)]
    groups = ["\n".join('\t"%s"' % p for p in sorted(g)) for g in (std, ext, ours) if g]
    return "import (\n" + "\n\n".join(groups) + "\n)\n\n" if groups else ""

def with_imports(src, add):
    """Adds packages of ours to the imports, in their place, and takes away package api if no code names it."""
    m = re.search(r"^import \(\n(.*?)^\)\n", src, re.S | re.M)
    alone = not m
    if alone:
        one = re.search(r'^import ("[^"]+")\n', src, re.M)
        src = src.replace(one.group(0), "import (\n\t%s\n)\n" % one.group(1), 1)
        m = re.search(r"^import \(\n(.*?)^\)\n", src, re.S | re.M)
    groups = [g for g in ([l for l in g.split("\n") if l.strip()] for g in m.group(1).split("\n\n")) if g]
    ours = next((g for g in groups if any('"github.com/svc-games/svc' in l for l in g)), None)
    if ours is None:
        ours = []
        groups.append(ours)
    for path in add:
        line = '\t"%s"' % path
        if line not in ours:
            ours.append(line)
    if not re.search(r"(?<![\w.])api\.", bare(src[:m.start()] + src[m.end():])):
        ours[:] = [l for l in ours if l.strip() != '"%s"' % MOD]
    ours.sort(key=lambda l: re.search(r'"([^"]+)"', l).group(1))
    text = "\n\n".join("\n".join(g) for g in groups if g)
    if alone and "\n" not in text:
        return src[:m.start()] + "import " + text.strip() + "\n" + src[m.end():]
    return src[:m.start()] + ("import (\n" + text + "\n)\n" if text else "") + src[m.end():]

# --- who uses package api

CHECKS = [  # what asked for the 400 and only looked whether there is one
    (r"\bapi\.CheckProjectID\(((?:[^()]|\([^()]*\))*)\) != nil", r"!api.ValidProjectID(\1)"),
    (r"\bapi\.CheckProjectID\(((?:[^()]|\([^()]*\))*)\) == nil", r"api.ValidProjectID(\1)"),
    (r"\bif err := api\.CheckProjectID\(((?:[^()]|\([^()]*\))*)\); err != nil \{(\s+)return asError\(err\)\n",
     r"if !api.ValidProjectID(\1) {\2return requests.BadProjectID(\1)\n"),
    (r"\bif err := api\.CheckProjectID\(((?:[^()]|\([^()]*\))*)\); err != nil \{(\s+)return err\n",
     r"if !api.ValidProjectID(\1) {\2return requests.BadProjectID(\1)\n"),
]
OTHER_NAME = {"answers": "replies", "requests": "asks", "mint": "minting"}

def of_api(f):
    """Files of package api itself, which names what it has without the package."""
    return os.path.dirname(f) == "api"

def rewrite_users():
    exported = sorted((n for n in HOME if n[0].isupper()), key=len, reverse=True)
    ref = re.compile(r"(?<![\w./\"-])api\.(%s)\b" % "|".join(exported))
    took = {}  # of a folder and package: packages that one of its files came to import
    for f in go_files("*.go"):
        src = read(f)
        if of_api(f) or "api." not in src:
            continue
        imports = '"%s"' % MOD in src
        out = src
        if imports:
            for old, new in CHECKS:
                out = re.sub(old, new, out)
        used = set(re.findall(r"\brequests\.BadProjectID", out)) and {"requests"} or set()
        used |= {HOME[name] for name in ref.findall(bare(out))}
        before = out
        out = out.replace("readers of package api\n", "readers of package requests\n")
        out = outside_strings(out, lambda s: ref.sub(lambda m: HOME[m.group(1)] + "." + m.group(1), s))
        if out == src:
            continue
        if not imports:
            if TOKEN.sub("", out) != TOKEN.sub("", src):
                say("%s names api.… and doesn't import it" % f)
                continue
            write(f, out)  # comments alone
            continue
        for p in used:
            out = without_shadow(f, before, out, p, took)
        write(f, with_imports(out, [MOD + "/" + p for p in TO if p in used]))
    for f in go_files("*.go"):  # types that a test knows by their text
        src = read(f)
        out = re.sub(r'"\*?api\.(%s)"' % "|".join(exported), lambda m: m.group(0).replace("api.", HOME[m.group(1)] + "."), src)
        if out != src:
            write(f, out)
    return took

def local(p):
    """A name of this file, not the package nor a member of a struct or of a literal."""
    return re.compile(r"(?<![\w.])%s\b(?!\.[A-Z])(?!:\s)(?!\s+[\w\[\]*.]+(?: `[^`]*`)?[ \t]*$)" % p, re.M)

def without_shadow(f, before, out, p, took):
    """Gives another name to what is called like the package, in a file that comes to import it."""
    took.setdefault((os.path.dirname(f), p), []).append(f)
    if not re.search(r"(?<![\w.])%s\b" % p, bare(before.replace("requests.BadProjectID", ""))):
        return out
    new = OTHER_NAME[p]
    while re.search(r"\b%s\b" % new, bare(before)):
        new += "Of"
    # In the old file every word p is of this file; those that have become the package are told by their text.
    moved = re.compile(r"(?<![\w.])%s\.(%s)\b" % (p, "|".join([n for n, h in HOME.items() if h == p and n[0].isupper()] + ["BadProjectID"])))
    hidden = outside_strings(out, lambda s: moved.sub(r"\0pkg.\1", s))
    hidden = outside_strings(hidden, lambda s: re.sub(r"(?<![\w.])%s\b(?!:\s)(?!\s+[\w\[\]*.]+(?: `[^`]*`)?[ \t]*$)" % p, new, s, flags=re.M), comments=False)
    if hidden.replace("\0pkg.", p + ".") != out:
        say("%s: what is called %s is now %s" % (f, p, new))
    return hidden.replace("\0pkg.", p + ".")

def package_level(took):
    """Declarations of a package that are called like a package which another of its files imports."""
    for (folder, p), files in sorted(took.items()):
        for f in go_files(folder + "/*.go", deep=False):
            src = read(f)
            code = bare(src)
            if not re.search(r"^(?:func|type|var|const) %s\b|^\t%s\s+(?:=|[\w\[\]*.]+ =)" % (p, p), code, re.M):
                continue
            package = re.search(r"^package (\w+)", code, re.M).group(1)
            same = [o for o in files if re.search(r"^package (\w+)", bare(read(o)), re.M).group(1) == package]
            if not same or re.search(r"^\t%s\s+(?:=|[\w\[\]*.]+ =)" % p, code, re.M) and not re.search(r"^(?:func|type|var|const) %s\b" % p, code, re.M):
                continue
            new = OTHER_NAME[p] + "Of"
            say("%s: declares %s, which %s imports; it is now %s" % (f, p, same[0], new))
            for o in go_files(folder + "/*.go", deep=False):
                text = read(o)
                if re.search(r"^package (\w+)", bare(text), re.M).group(1) != package or MOD + "/" + p + '"' in text:
                    continue
                write(o, outside_strings(text, lambda s: local(p).sub(new, s), comments=False))

# --- the split itself

def qualify(text, pkg, stays, consts):
    """Names what is in another package than pkg by it."""
    def change(s):
        def sub(m):
            name = m.group(1)
            if s[m.end():m.end() + 2] in (": ", ":\t", ":\n") and name not in consts:
                return name  # a member of a literal
            if name in stays:
                return "api." + name
            if HOME.get(name) and HOME[name] != pkg and name[0].isupper():
                return HOME[name] + "." + name
            return name
        return re.sub(r"(?<![\w.\"])([A-Z]\w*)\b", sub, s)
    def mention(m):
        t = m.group(0)
        return re.sub(r"(?<![\w.])\*Error\b", "*answers.Error", t) if pkg != "answers" and t.startswith("//") else t
    return TOKEN.sub(mention, outside_strings(text, change, comments=False))

def of_tests(text):
    """Paths of a test are one folder further up."""
    return re.sub(r'"(\.\./[^"]*|testdata/[^"]*)"', lambda m: '"../%s"' % m.group(1) if os.path.exists("api/" + m.group(1)) else m.group(0), text)

def split():
    files = sorted(f for f in os.listdir("api") if f.endswith(".go"))
    parsed = {f: decls(read("api/" + f)) for f in files}
    settle(parsed)
    took = rewrite_users()
    package_level(took)
    stays, consts = set(), set()
    for f, (_, ds) in parsed.items():
        if not f.endswith("_test.go"):
            for names, text in ds:
                stays |= {n for n in names if n[0].isupper() and n not in HOME}
                if re.search(r"^const\b", text, re.M):
                    consts |= {n for n in names if n[0].isupper() and n not in HOME}
    fields = set()
    for _, (_, ds) in parsed.items():
        for _, text in ds:
            if re.search(r"^type \w+ struct", text, re.M):
                fields |= set(re.findall(r"^\t(\w+)", text, re.M))
    consts -= fields
    new, heads = {}, {}
    put = lambda to, f, text: (new.setdefault(to, []).append(text), heads.setdefault(to, []).append(parsed[f][0]))
    for f, (head, ds) in parsed.items():
        keep = []
        goes = {name: file for file, names in MIXED.get(f, {}).items() for name in names.split()}
        for names, text in ds:
            if f.endswith("_test.go"):
                to = home_of_test(f, names, text, goes, parsed)
            else:
                homes = {HOME.get(n) for n in names}
                if len(homes) != 1:
                    sys.exit("%s: %s go to %s" % (f, names, homes))
                home = homes.pop()
                to = home and home + "/" + FILE.get((f, home), f)
            if to is None:
                keep.append(text)
            else:
                put(to, f, text)
        if len(keep) == len(ds):
            continue
        if not keep:
            os.remove("api/" + f)
            continue
        body = "\n\n".join(keep)
        write("api/" + f, head[:head.index("package api")] + "package api\n\n" + needed(body, "", head) + body + "\n")
    for to, texts in sorted(new.items()):
        pkg = to.split("/")[0]
        body = "\n\n".join(qualify(t, pkg, stays, consts) for t in texts)
        if to.endswith("_test.go"):
            body = of_tests(body)
        if os.path.exists("api/" + to):
            sys.exit("api/%s is already there" % to)
        write("api/" + to, DOC.get(to, "") + "package %s\n\n" % pkg + needed(body, pkg, "\n".join(heads[to])) + body + "\n")

def home_of_test(f, names, text, goes, parsed):
    if f in TESTS:
        return TESTS[f] + "/" + f
    if names[0] in goes:
        return goes[names[0]]
    if names[0] in STAY or names[0] in STAYING_TESTS:
        return None
    named = {HOME[n] for n in names_in(text) if n in HOME}
    if not named and names[0][0].islower():  # a helper that only tests which go name
        users = {home_of_test(f, n, t, goes, {}) for n, t in parsed.get(f, ("", []))[1] if n != names and re.search(r"(?<![\w.])%s\b" % names[0], bare(t))}
        if len(users) == 1:
            return users.pop()
    if not named:
        return None
    home = "requests" if "requests" in named else sorted(named)[0]
    say("%s: %s is new and goes to %s" % (f, names[0], home))
    return home + "/" + f

# --- what is no Go

def rewrite_pages():
    """Pages that name what went, or its tests, in code."""
    tests = {}
    for p in TO:
        for f in go_files("api/%s/*.go" % p, deep=False):
            for name in re.findall(r"^func ((?:Test|Fuzz|Benchmark)\w+)", read(f), re.M):
                tests[name] = p
    exported = {n: h for n, h in HOME.items() if n[0].isupper()}
    out = subprocess.run(["git", "ls-files", "*.md", "*.tmpl", "*.yaml", "*.yml", "*.html", "Makefile", "scripts"], capture_output=True, text=True, check=True).stdout
    for f in out.split():
        try:
            src = read(f)
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        text = re.sub(r"(?<![\w./])api\.((?:Test|Fuzz|Benchmark)\w+)", lambda m: "api/%s.%s" % (tests[m.group(1)], m.group(1)) if m.group(1) in tests else m.group(0), src)
        text = re.sub(r"(?<![\w./])api\.([A-Z]\w*)\b(?!\.)", lambda m: exported[m.group(1)] + "." + m.group(1) if m.group(1) in exported else m.group(0), text)
        if text != src:
            write(f, text)

def rooms():
    """Has the test of who may import whom allow the new packages to those that might use api and use them now."""
    f = "test/imports/imports_test.go"
    src = read(f)
    m = re.search(r"^var rooms = .*?^}\n", src, re.S | re.M)
    def entry(e):
        room, listed = e.group(1), e.group(2)
        used = set()
        for g in go_files(room + "/*.go"):
            if not g.endswith("_test.go"):
                used |= set(re.findall(r'^\t(?:\w+ )?"%s((?:/(?:answers|mint|requests))?)"$' % re.escape(MOD), read(g), re.M))
        add = ['"api%s"' % u for u in sorted(used) if u and '"api%s"' % u not in listed]
        if not add:
            return e.group(0)
        if '"api",' not in listed and '"api"' not in listed:
            say("%s: %s comes to import %s" % (f, room, " ".join(add)))
        begin, api, rest = re.match(r'(\s*)((?:"api(?:/\w+)?"(?:, )?)*)(.*)$', listed, re.S).groups()
        all_api = sorted(set(re.findall(r'"[^"]+"', api)) - ({'"api"'} if "" not in used else set()) | set(add))
        now = begin + ", ".join(all_api) + (", " if rest.strip() and api.endswith(", ") else "") + rest
        return e.group(0).replace(listed, now)
    table = re.sub(r'^\t"([^"]+)":\s*\{(.*?)\},$', entry, m.group(0), flags=re.S | re.M)
    write(f, src[:m.start()] + table + src[m.end():])

if __name__ == "__main__":
    split()
    rewrite_pages()
    rooms()
    for line in said:
        print("split:", line)
