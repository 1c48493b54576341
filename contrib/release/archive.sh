#!/bin/sh
# archive.sh BINARY NAME: makes NAME.tar.gz with the command, its manual pages and completions, the models and the licences, and NAME.tar.gz.sha256.
set -eu
binary=$1
name=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
case $binary in */*) ;; *) binary=./$binary ;; esac
rm -rf "$name"
mkdir -p "$name/bin" "$name/share/man/man1" "$name/share/bash-completion/completions" \
    "$name/share/zsh/site-functions" "$name/share/fish/vendor_completions.d" "$name/share/fencepost"
cp "$binary" "$name/bin/fencepost"
"$binary" completions bash > "$name/share/bash-completion/completions/fencepost"
"$binary" completions zsh > "$name/share/zsh/site-functions/_fencepost"
"$binary" completions fish > "$name/share/fish/vendor_completions.d/fencepost.fish"
"$binary" man > "$name/share/man/man1/fencepost.1"
for command in check litmus why fences weaken run merge serve lsp list; do
    "$binary" man "$command" > "$name/share/man/man1/fencepost-$command.1"
done
cp -R "$root/models" "$root/examples" "$name/share/fencepost/"
cp "$root/README.md" "$root/CHANGELOG.md" "$root/SOUNDNESS.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$name/"
# The same files make the same archive, whoever packs them and when.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" -cf - "$name" | gzip -n > "$name.tar.gz"
rm -rf "$name"
sha256sum "$name.tar.gz" > "$name.tar.gz.sha256"
