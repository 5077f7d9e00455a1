#!/bin/sh
# Writes behind the tag of each image that we did not build the digest it has in its registry today, in Dockerfile and
# compose.yaml: `make pin-images`. Needs a docker that reaches the registry. Run it again to take newer ones.
set -eu
cd "$(dirname "$0")"

# All digests first: when one cannot be had, nothing is written.
images=$(sed -nE 's/^(FROM|    image:) ([a-z0-9./-]+:[A-Za-z0-9._-]+).*$/\2/p' Dockerfile compose.yaml | sort -u)
edits=""
for image in $images; do
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
    printf '%s' "$digest" | grep -qE '^sha256:[0-9a-f]{64}$' || { echo "$image: not a digest: $digest" >&2; exit 1; }
    edits="$edits;s|(^FROM \|^    image: )$image(@sha256:[0-9a-f]+)?|\\1$image@$digest|"
    echo "$image@$digest"
done
sed -i -E "${edits#;}" Dockerfile compose.yaml
