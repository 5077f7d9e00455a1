#!/bin/sh
# Appends the current digest from the registry to the tag of each image that is not built here, in the Dockerfiles and
# the files for compose: `make pin-images`. Needs docker with access to the registry. Run it again to update them.
set -eu
cd "$(dirname "$0")"
files="Dockerfile pgbouncer/Dockerfile compose.yaml compose.scale.yaml"

# Fetch all digests first: if one fails, nothing is written.
images=$(sed -nE 's/^(FROM|    image:) ([a-z0-9./-]+:[A-Za-z0-9._-]+).*$/\2/p' $files | sort -u)
edits=""
for image in $images; do
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
    printf '%s' "$digest" | grep -qE '^sha256:[0-9a-f]{64}$' || { echo "$image: not a digest: $digest" >&2; exit 1; }
    edits="$edits;s|(^FROM \|^    image: )$image(@sha256:[0-9a-f]+)?|\\1$image@$digest|"
    echo "$image@$digest"
done
sed -i -E "${edits#;}" $files
