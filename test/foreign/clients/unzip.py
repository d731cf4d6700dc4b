"""Reads a ZIP with the standard library, and prints the name and the SHA-256 of each file in it."""

import hashlib
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    for name in archive.namelist():
        print(name, hashlib.sha256(archive.read(name)).hexdigest())
