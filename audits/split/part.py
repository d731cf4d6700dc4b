import re, sys
text = open(sys.argv[1]).read()
for part in re.split(r"(?m)^(?=diff --git )", text):
    if "\n+++ b/%s\n" % sys.argv[2] in part:
        sys.stdout.write(part)
