"""Reading and changing Go as text."""
import fnmatch, os, re, subprocess

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])+\'', re.S)

def read(f):
    with open(f, encoding="utf-8") as o:
        return o.read()

def write(f, text):
    os.makedirs(os.path.dirname(f) or ".", exist_ok=True)
    with open(f, "w", encoding="utf-8") as o:
        o.write(text)

def outside_strings(src, change, comments=True):
    out, last = [], 0
    for m in TOKEN.finditer(src):
        out.append(change(src[last:m.start()]))
        t = m.group(0)
        out.append(change(t) if comments and t.startswith(("//", "/*")) else t)
        last = m.end()
    out.append(change(src[last:]))
    return "".join(out)

def bare(src):
    """The code alone: comments and strings are blank, lines stay where they are."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), src)

def go_files(pattern, deep=True):
    out = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return sorted(f for f in out.split("\0") if f.endswith(".go") and fnmatch.fnmatch(f, pattern) and os.path.isfile(f)
                  and (deep or os.path.dirname(f) == os.path.dirname(pattern)))
