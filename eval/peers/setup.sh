#!/usr/bin/env bash
# Installs the peers that the bench and the evaluation compare with into a folder of their own.
# usage: eval/peers/setup.sh [FOLDER]      (default .peers; then TOKENJUICE_PEERS=FOLDER make bench)
set -euo pipefail
folder=${1:-.peers}
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || npm init -y >/dev/null
# npm's `node` package brings a Node of its own: the peer hangs on Node 20.
npm install --no-audit --no-fund --silent tokenjuice@0.8.5 node@24
[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check tokenjuice-py==0.7.4 headroom-ai
node_modules/.bin/node --version
