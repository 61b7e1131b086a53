#!/bin/sh
# Installs the packages that targets of the Makefile need: tools/deps.sh GROUP... (groups of the table below). On
# Debian and distributions based on it, prints the missing packages and installs them with apt. On other distributions, prints the
# missing packages and the command that installs them. If nothing is missing, does nothing and needs no network.
set -eu

# A group, then the name of a package on Debian and Ubuntu, Fedora, Arch and openSUSE. "rock:" marks a package of
# LuaRocks, "program:" a program for which we know no package of that distribution, "-" an optional library for which we know none.
names='
build   build-essential     gcc,make            base-devel       gcc,make
build   pkg-config          pkgconf-pkg-config  pkgconf          pkgconf-pkg-config
build   lua5.4              lua                 lua54            lua54
build   liblua5.4-dev       lua-devel           lua54            lua54-devel
build   libegl-dev          libglvnd-devel      libglvnd         libglvnd-devel
build   libopengl-dev       libglvnd-opengl     libglvnd         libglvnd-devel
build   libglew-dev         glew-devel          glew             glew-devel
build   libpng-dev          libpng-devel        libpng           libpng16-devel
build   zlib1g-dev          zlib-devel          zlib             zlib-devel
build   libegl1             mesa-libEGL         mesa             Mesa-libEGL1
build   libgl1-mesa-dri     mesa-dri-drivers    mesa             Mesa-dri
libraries libjpeg-dev       libjpeg-turbo-devel libjpeg-turbo    libjpeg8-devel
libraries libsndfile1-dev   libsndfile-devel    libsndfile       libsndfile-devel
libraries libmeshoptimizer-dev -                -                -
prompt  lua-argparse        rock:argparse       rock:argparse    rock:argparse
prompt  lua-penlight        rock:penlight       rock:penlight    rock:penlight
prompt  lua-readline        rock:readline       rock:readline    rock:readline
test    lua-busted          rock:busted         rock:busted      rock:busted
test    lua-filesystem      rock:luafilesystem  rock:luafilesystem rock:luafilesystem
test    libcmocka-dev       libcmocka-devel     cmocka           libcmocka-devel
live    libwebsockets-dev   libwebsockets-devel libwebsockets    libwebsockets-devel
browser chromium            chromium            chromium         chromium
mpi     libopenmpi-dev      openmpi-devel       openmpi          openmpi-devel
mpi     openmpi-bin         openmpi             openmpi          openmpi
drivers mesa-vulkan-drivers mesa-vulkan-drivers vulkan-swrast    libvulkan_lvp
check   clang-format        clang-tools-extra   clang            clang-tools
check   cppcheck            cppcheck            cppcheck         cppcheck
check   lua-check           rock:luacheck       rock:luacheck    rock:luacheck
check   glslang-tools       glslang             glslang          glslang-devel
check   spirv-tools         spirv-tools         spirv-tools      spirv-tools
fuzz    clang               clang               clang            clang
fuzz    libclang-rt-dev     compiler-rt         compiler-rt      clang
docs    cmark-gfm           program:cmark-gfm   program:cmark-gfm program:cmark-gfm
rock    luarocks            luarocks            luarocks         lua54-luarocks
bare    debootstrap         debootstrap         debootstrap      debootstrap
'

# The distribution, from its ID and the IDs that it is based on.
release=${OS_RELEASE:-/etc/os-release}
field() { sed -n "s/^$1=//p" "$release" 2>/dev/null | tr -d "\"'"; }
column=
for word in $(field ID) $(field ID_LIKE); do
    case $word in
    debian | ubuntu) column=2 install='apt-get update && apt-get install --no-install-recommends' ;;
    fedora | rhel | centos) column=3 install='dnf install' ;;
    arch) column=4 install='pacman -S --needed' ;;
    suse | opensuse*) column=5 install='zypper install' ;;
    esac
    [ -z "$column" ] || break
done
system=$(field PRETTY_NAME)

groups=$(echo "$names" | awk 'NF { if (!seen[$1]++) printf "%s%s", n++ ? " " : "", $1 }')
for group in "$@"; do
    case " $groups " in
    *" $group "*) ;;
    *)
        echo "deps: no group '$group'; there are: $groups" >&2
        exit 2
        ;;
    esac
done
packages=$(echo "$names" | awk -v groups=" $* " -v column="${column:-2}" '
    NF && index(groups, " " $1 " ") { n = split($column, each, ","); for (i = 1; i <= n; i++) if (each[i] != "-" && !seen[each[i]]++) print each[i] }')

# Succeeds if a package is installed, according to the package manager.
if [ "$column" = 2 ]; then
    installed=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' $packages 2>/dev/null || true)
fi
has_package() {
    case $column in
    2) echo "$installed" | grep -qx "$1=installed" ;;
    3 | 5) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;;
    4) pacman -T "$1" >/dev/null 2>&1 ;;
    esac
}

# Succeeds if the module of a rock can be loaded.
has_rock() {
    case $1 in
    penlight) module=pl ;;
    luafilesystem) module=lfs ;;
    *) module=$1 ;;
    esac
    for lua in lua5.4 lua54 lua-5.4 lua; do
        ! command -v "$lua" >/dev/null || { "$lua" -e "require '$module'" >/dev/null 2>&1 && return; }
    done
    return 1
}

missing= rocks= programs=
for package in $packages; do
    case $package in
    rock:*) has_rock "${package#rock:}" || rocks="$rocks ${package#rock:}" ;;
    program:*) command -v "${package#program:}" >/dev/null || programs="$programs ${package#program:}" ;;
    *) has_package "$package" || missing="$missing $package" ;;
    esac
done

# Rocks need LuaRocks.
if [ -n "$rocks" ] && ! command -v luarocks >/dev/null; then
    luarocks=$(echo "$names" | awk -v column="$column" '$1 == "rock" { print $column }')
    echo "$missing " | grep -q " $luarocks " || missing="$missing $luarocks"
fi

say() { echo "deps: $*" >&2; }

if [ -z "$column" ]; then
    # The packages of an unknown distribution cannot be checked. Checks a few programs instead.
    missing=
    for program in gcc pkg-config lua5.4; do
        command -v "$program" >/dev/null || missing="$missing $program"
    done
    [ -n "$missing" ] || exit 0
    say "${system:-this system} is not a known distribution, and these programs are missing:$missing"
    say "install the equivalents of these Debian packages:" $packages
    exit 1
elif [ -z "$missing$rocks$programs" ]; then
    exit 0
elif [ "$column" != 2 ]; then
    say "missing on ${system:-this system}; as root, run:"
    [ -z "$missing" ] || say "    $install$missing"
    for rock in $rocks; do
        say "    luarocks --lua-version 5.4 install $rock"
    done
    [ -z "$programs" ] || say "and, from another source:$programs"
    exit 1
fi

fail() {
    say "$1"
    say "as root, run: $install$missing"
    exit 1
}

command -v apt-get >/dev/null || fail "missing packages, and apt-get is not available:$missing"
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif ! command -v sudo >/dev/null; then
    fail "missing packages, and installing them needs root or sudo:$missing"
elif [ -t 0 ] || sudo -n true 2>/dev/null; then
    as_root=sudo
else
    fail "missing packages, and sudo needs a password, but there is no terminal:$missing"
fi

echo "deps: missing packages for $(echo "$*" | sed 's/ /, /g'):$missing"
echo "deps: installing these packages with ${as_root:+$as_root }apt-get"
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" </dev/null; }
# If the update of the package lists fails, the installation may still succeed from the cache. Its exit status
# decides.
apt update || true
apt install --no-install-recommends $missing || fail "apt-get could not install:$missing"
