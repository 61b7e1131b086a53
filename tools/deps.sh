#!/bin/sh
# Installs what is missing with apt: tools/deps.sh GROUP... of build, prompt, test, check, docs, rock. Does nothing, and needs no network,
# when all of it is there.
set -eu

packages=
for group in "$@"; do
    case $group in
    # gcc and libc; the interpreter and its headers; EGL, OpenGL, GLEW and libpng; and Mesa, the device of machines without a GPU
    build) packages="$packages build-essential pkg-config lua5.4 liblua5.4-dev libegl-dev libopengl-dev libglew-dev libpng-dev
        libegl1 libgl1-mesa-dri" ;;
    # the command and its prompt
    prompt) packages="$packages lua-argparse lua-penlight lua-readline" ;;
    test) packages="$packages lua-busted lua-filesystem" ;;
    check) packages="$packages clang-format cppcheck lua-check" ;;
    docs) packages="$packages cmark-gfm" ;;
    rock) packages="$packages luarocks" ;;
    *)
        echo "deps: no group '$group'; there are: build prompt test check docs rock" >&2
        exit 2
        ;;
    esac
done

missing=
if command -v dpkg-query >/dev/null; then
    installed=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' $packages 2>/dev/null || true)
    for package in $packages; do
        case "
$installed
" in
        *"
$package=installed
"*) ;;
        *) missing="$missing $package" ;;
        esac
    done
else
    for command in gcc pkg-config lua5.4; do
        command -v "$command" >/dev/null || missing="$missing $command"
    done
    [ -z "$missing" ] || {
        echo "deps: this is no Debian, and these commands are missing:$missing" >&2
        echo "deps: install what Debian calls" $packages >&2
        exit 1
    }
fi
[ -n "$missing" ] || exit 0

fail() {
    echo "deps: $1" >&2
    echo "deps: as root, run: apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
}

command -v apt-get >/dev/null || fail "missing packages, and there is no apt-get here:$missing"
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif ! command -v sudo >/dev/null; then
    fail "missing packages, and neither root nor sudo to install them:$missing"
elif [ -t 0 ] || sudo -n true 2>/dev/null; then
    as_root=sudo
else
    fail "missing packages, and sudo wants a password that nobody is here to type:$missing"
fi

echo "deps: installing$missing"
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" </dev/null; }
# Without fresh lists the install may still succeed from the cache, so it decides.
apt update || true
apt install --no-install-recommends $missing || fail "apt-get could not install:$missing"
