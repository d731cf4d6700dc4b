# Unpacks a ZIP with a program, and prints the name and the SHA-256 of each file in it.
# Usage: sh -eu unzip.sh unzip|bsdtar FILE
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
case $1 in
unzip) unzip -q "$2" -d "$dir" ;;
bsdtar) bsdtar -x -f "$2" -C "$dir" ;;
esac
cd "$dir"
find . -type f | while read -r name; do
	echo "${name#./} $(sha256sum <"$name" | cut -d ' ' -f 1)"
done
