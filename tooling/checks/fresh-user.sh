#!/usr/bin/env bash
# What somebody meets who has only Node, Git and apt: a small Debian in a folder, an ordinary user without a home's history, no browser, no
# database, no `ps`. This repository's last commit is installed there, and what needs programs of others is run: the agent's browser tests,
# a file of the screens, the embedded database.
#   tooling/checks/fresh-user.sh FOLDER [COMMAND...]      as root on Debian, with debootstrap; the folder is made once and kept
# It uses the package sources and the registry that this computer is set to.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,6s/^# \?//p' "$0"; exit 2; }
[ "${FRESH_USER_MOUNTS:-}" = own ] || FRESH_USER_MOUNTS=own exec unshare --mount "$0" "$@"

root=$(realpath -m "$1"); shift
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. /etc/os-release
if [ ! -e "$root/home/fresh" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $VERSION_CODENAME" 'Component: main' | sed -n 1p)
  debootstrap --variant=minbase --include=ca-certificates,git "$VERSION_CODENAME" "$root" "$mirror"
  cp -rL /etc/apt/sources.list* "$root/etc/apt/"
  cp -rL /usr/share/keyrings "$root/usr/share/"
  cp -rL --remove-destination /etc/ssl/certs/. "$root/etc/ssl/certs/"
  chroot "$root" useradd --create-home fresh
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# Mounts of this process alone: they go with it.
for folder in proc sys dev; do mount --rbind "/$folder" "$root/$folder"; done
npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
cp -L "$(command -v node)" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules"
cp -rL "$npm" "$root/usr/local/lib/node_modules/"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
chroot "$root" apt-get update -q
rm -rf "$root/home/fresh/longarm"
git clone -q --no-local "$repository" "$root/home/fresh/longarm"
chroot "$root" chown -R fresh: /home/fresh

default='vitest run --project node apps/agent/src/agent.browser.test.ts apps/agent/src/media/broadcast.browser.test.ts &&
  vitest run --project screens e2e/scripted/errors.test.ts && vitest run --project data packages/database/src/embedded-server.test.ts'
registry=$(npm config get registry)
chroot --userspec=fresh:fresh "$root" env -i HOME=/home/fresh USER=fresh LANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin \
  "npm_config_registry=$registry" NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
  bash -c "cd ~/longarm && node tooling/bootstrap.mjs && export PATH=\"\$PWD/node_modules/.bin:\$PATH\" && ${*:-$default}"
