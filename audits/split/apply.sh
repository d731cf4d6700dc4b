#!/bin/sh
# Splits package api on the work tree in which it is run. Needs a clean tree, git, python3 and gofmt.
# Makes two commits. Ends with 1, and says where, if a hunk of the hand edits didn't apply: then the second
# commit isn't made, the conflicts stand in the files (git diff --diff-filter=U), and
#   git add -A && git commit -F /tmp/split/message.txt
# ends it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
[ -z "$(git status --porcelain)" ] || { echo "apply: the tree is not clean" >&2; exit 2; }
[ -f api/strict.go ] || { echo "apply: api is split already, or this is not the root" >&2; exit 2; }

begun=$(git rev-parse HEAD)

format() { # what was changed since $1, deleted files left out
	git add -A
	git diff --cached --name-only --diff-filter=d "$1" -- '*.go' | tr '\n' '\0' | xargs -0r gofmt -w
	git add -A
}

# 1. methods become functions, names of tests give way
python3 "$here/prep.py"
format HEAD
git commit -q -F "$here/prep-message.txt"

# 2. the split, here and in whatever uses it
python3 "$here/split.py"
format HEAD

# 3. what no script can: three-way, of the same edits on land40
git fetch -q "$here/base.bundle" 'refs/heads/h1' || echo "apply: no land40 here, so no three-way" >&2
failed=
cat "$here/decision.md" >>docs/decisions/api.md
git add docs/decisions/api.md
for f in $(sed -n 's|^+++ b/||p' "$here/hand.patch"); do
	python3 "$here/part.py" "$here/hand.patch" "$f" | git apply --3way --index 2>"$here/said" || { failed="$failed $f"; cat "$here/said" >&2; }
done
if [ -n "$failed" ]; then
	echo "apply: by hand:$failed" >&2
	exit 1
fi
format HEAD
# 4.
git commit -q -F "$here/message.txt"
git log --oneline -2
python3 "$here/check.py" "$begun" || { echo "apply: both commits are made; mend these in a third" >&2; exit 1; }
