#!/usr/bin/env bash
# Makes three.min.js anew from the npm packages that package-lock.json pins; needs node, npm and a network.
# icf itself is built from the file that is here and needs none of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json entry.js "$work"
(cd "$work" && npm ci --no-audit --no-fund && npm run build)
cp "$work/three.min.js" three.min.js
cp "$work/node_modules/three/LICENSE" LICENSE
