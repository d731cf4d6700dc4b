"""Says, of the files that were changed since a commit, which import one of the four packages and don't name it,
name one and don't import it, or call something else like one that they import. Ends with 1 if there is any."""
import os, re, subprocess, sys
from gosrc import bare, read

MOD = "github.com/svc-games/svc/api"
names = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", sys.argv[1], "HEAD", "--", "*.go"], capture_output=True, text=True, check=True).stdout.split()
bad = 0
for f in names:
    src = read(f)
    code = bare(src)
    package = re.search(r"^package (\w+)", code, re.M).group(1)
    for p, path in (("api", MOD), ("answers", MOD + "/answers"), ("requests", MOD + "/requests"), ("mint", MOD + "/mint")):
        imported = re.search(r'^(?:import )?\s*"%s"$' % re.escape(path), src, re.M)
        named = re.search(r"(?<![\w.])%s\.[A-Z]" % p, code)
        other = [n for n, l in enumerate(code.split("\n"), 1) if re.search(r"(?<![\w.])%s\b(?!\.[A-Z]|:\s)(?!\s+[\w\[\]*.]+\s*$)" % p, l)] if imported else []
        for wrong, what in ((imported and not named, "imports and doesn't name"), (named and not imported and package != p and p != "api", "names and doesn't import"),
                            (other and p != "api", "calls something else, lines %s," % other)):
            if wrong:
                bad = 1
                print("%s: %s %s" % (f, what, p))
    of_std = re.search(r"^import \(\n(.*?)^\)", src, re.S | re.M)
    for path in re.findall(r'^\s*"([^"]+)"$', of_std.group(1) if of_std else "", re.M):
        last = [x for x in path.split("/") if not re.match(r"v\d+$", x)][-1]
        last = {"engine-proxy": "engineproxy"}.get(last, last)
        if os.path.dirname(f).startswith("api") and not re.search(r"(?<![\w.])%s\." % re.escape(last), code):
            bad = 1
            print("%s: imports %s and doesn't name it" % (f, path))
sys.exit(bad)
