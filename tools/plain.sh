#!/bin/sh
# Fills a directory that serves as PATH on a machine without optional libraries and programs: plain.sh DIRECTORY. The directory gets links to
# all other programs of PATH, and a pkg-config that does not find the optional libraries. The Makefile leaves out libmeshoptimizer, which
# pkg-config does not know.
set -eu

libraries='libjpeg sndfile libwebsockets mpi-c ompi-c mpich'
programs='mpi* orte* prte* chromium* ffmpeg glslang* spirv-* luarocks* cmark* clang* cppcheck luacheck python*'

rm -rf "$1"
mkdir -p "$1"
echo "$PATH" | tr : '\n' | while IFS= read -r folder; do
    # Earlier directories of PATH have precedence: ln does not replace their links, and fails.
    find "$folder/" -maxdepth 1 ! -type d -exec ln -s -t "$1" {} + 2>/dev/null || true
done
real=$(command -v pkg-config)
cd "$1"
# shellcheck disable=SC2086 # patterns of the names in this directory
rm -f pkg-config $programs

cat >pkg-config <<END
#!/bin/sh
for word in "\$@"; do
    case " $libraries " in *" \$word "*) exit 1 ;; esac
done
exec $real "\$@"
END
chmod +x pkg-config
echo "plain: without $libraries; $programs"
