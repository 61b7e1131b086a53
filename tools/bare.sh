#!/usr/bin/env bash
# Runs the two commands of the README, `make demo` and `make test`, on a fresh Debian: bare.sh RELEASE. Needs root, debootstrap and a network.
#
# debootstrap installs the release with git and make, which a user needs to begin. The result is kept in DIRECTORY/RELEASE.base. Each run
# copies it to DIRECTORY/RELEASE, clones the last commit into the copy, adds the uncommitted changes of tracked files, and runs the commands in
# it with chroot. The copy remains until the next run. The output of a command is also in DIRECTORY/RELEASE.demo or RELEASE.test.
#
# Mounts and processes belong to namespaces of their own, which end with this script however it ends.
#
# Environment variables:
#   BARE    the directory of the trees; default: build/bare
#   MIRROR  a mirror of Debian; default: the one from which apt of this machine installs
set -euo pipefail

fail() {
    echo "bare: $1" >&2
    exit 2
}

release=${1:-}
case $release in
12) codename=bookworm ;;
13) codename=trixie ;;
*) fail "no release '$release'; there are: 12 13 (make bare DEBIAN=12)" ;;
esac
[ "$(id -u)" -eq 0 ] || fail "mounting and chroot need root: sudo make bare DEBIAN=$release"
if [ -z "${BARE_ISOLATED:-}" ]; then
    BARE_ISOLATED=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

cd "$(dirname "$0")/.."
directory=${BARE:-build/bare}
mkdir -p "$directory"
directory=$(realpath "$directory")
base=$directory/$release.base tree=$directory/$release
exec 9>"$tree.lock"
flock -n 9 || fail "'$tree' is in use by another run"

# Prints the mirrors of Debian in apt's sources, without the archives of security updates.
mirrors() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2>/dev/null | sed -n 's/^Debian|Debian|//p' | sort -u
}

if [ ! -d "$base" ]; then
    [ -n "${MIRROR:-}" ] || MIRROR=$(mirrors | head -1)
    if [ -z "$MIRROR" ]; then
        apt-get -q update || true
        MIRROR=$(mirrors | head -1)
    fi
    [ -n "$MIRROR" ] || fail "apt of this machine has no mirror of Debian; set MIRROR to the address of one"
    echo "bare: installing Debian $release into $base"
    rm -rf "$base.part"
    debootstrap --variant=minbase --include=git,make "$codename" "$base.part" "$MIRROR" >"$base.log" ||
        fail "debootstrap failed; its output is in $base.log"
    mv "$base.part" "$base"
fi

echo "bare: copying the base to $tree"
rm -rf "$tree"
cp -a "$base" "$tree"

# The network of this machine: names, certificates, and apt's settings about downloads.
for file in /etc/resolv.conf /etc/hosts /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/ssl/certs /usr/local/share/ca-certificates; do
    if [ -e "$file" ]; then
        mkdir -p "$tree$(dirname "$file")"
        cp -aLT "$file" "$tree$file"
    fi
done
if command -v apt-config >/dev/null; then
    apt-config dump | grep -E '^Acquire::(http|https|Check|Retries|Force|Allow)' >"$tree/etc/apt/apt.conf.d/99network" || true
fi

git clone -q "$PWD" "$tree/root/rill"
if ! git diff --quiet HEAD; then
    git diff --binary HEAD | git -C "$tree/root/rill" apply
    echo "bare: the last commit, and these uncommitted changes:"
    git diff --stat HEAD
fi

mount -t proc proc "$tree/proc"
mount --rbind /dev "$tree/dev"

# Runs a command in the tree as a user who has just logged in. Appends its exit status and its time to `report`.
report="Debian $(cat "$tree/etc/debian_version"):" failed=0
inside() {
    local begin=$SECONDS status=0 words=$1
    env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
        chroot "$tree" sh -c "cd /root/rill && $words" </dev/null 2>&1 | tee "$tree.${words#* }" || status=$?
    report="$report
    $words: $((SECONDS - begin)) s"
    if [ "$status" -ne 0 ]; then
        report="$report, FAILED (exit status $status)" failed=1
    fi
}
inside "make demo"
inside "make test"

echo
echo "$report, $(grep -E '^[0-9]+ passed, [0-9]+ failed' "$tree.test" | tail -1)"
exit "$failed"
