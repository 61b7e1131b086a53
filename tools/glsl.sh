#!/bin/sh
# Compiles every program that a part of the suite generates with the reference compiler, and validates the SPIR-V:
# tools/glsl.sh DIRECTORY SUITE..., where SUITE... is the command that runs the suite. Runs it for both families,
# with and without buffer textures. Also compiles the shaders of the rasterizer. Programs that are rejected stay in
# DIRECTORY. Programs that the device's own compiler rejected are ignored: specs of error messages generate them on
# purpose.
set -eu

folder=$1
shift
specs='brook calls check fft group histogram lengths matmul matvec predication private_array random reduce_kernel struct top_k
    translator transpose type vout'
rm -rf "$folder"
mkdir -p "$folder"
# `make test` reports whether the specs pass, so their result is ignored here.
RILL_DUMP=$folder "$@" cpu gpu -- $specs >"$folder/suite.log" 2>&1 || true

# The passes of the rasterizer, as src/gpu/raster/raster.c defines them.
for pass in $(grep -o '\] = "[A-Z_]*"' src/gpu/raster/raster.c | cut -d '"' -f 2); do
    for stage in vert frag; do
        { printf '#version 430\n#define %s\n' "$pass" && cat "shaders/raster.$stage"; } >"$folder/raster-$pass.$stage"
    done
done

one='for text; do
    binary=$text.spv
    if glslangValidator -G100 --target-env opengl -o "$binary" "$text" >"$text.log" 2>&1 &&
        spirv-val --target-env opengl4.5 "$binary" >>"$text.log" 2>&1; then
        rm -f "$text" "$text.log"
    else
        echo "$text: $(grep -m 1 -i error "$text.log")"
    fi
    rm -f "$binary"
done'
list() { find "$folder" \( -name '*.comp' -o -name '*.vert' -o -name '*.frag' \) -print0; }
count=$(list | tr -cd '\0' | wc -c)
list | xargs -0 -n 20 -P "$(nproc)" sh -c "$one" glsl || true
refused=$(list | tr -cd '\0' | wc -c)
echo "glsl: $count programs, $refused refused"
[ "$refused" -eq 0 ] && [ "$count" -gt 500 ]
