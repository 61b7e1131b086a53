#!/bin/sh
# Compiles every program that a part of the suite generates with the reference compiler, and validates the SPIR-V:
# tools/glsl.sh DIRECTORY SUITE..., where SUITE... is the command that runs the suite. Runs it for both families,
# with and without buffer textures. Programs that are rejected stay in DIRECTORY. Programs that the device's own
# compiler rejected are ignored: specs of error messages generate them on purpose.
set -eu

folder=$1
shift
specs='brook calls check fft group histogram lengths matmul matvec predication private_array random reduce_kernel struct top_k
    translator transpose type vout'
rm -rf "$folder"
mkdir -p "$folder"
# `make test` reports whether the specs pass, so their result is ignored here.
RILL_DUMP=$folder "$@" cpu gpu -- $specs >"$folder/suite.log" 2>&1 || true

one='for text; do
    binary=${text%.comp}.spv
    if glslangValidator -G100 --target-env opengl -o "$binary" "$text" >"$text.log" 2>&1 &&
        spirv-val --target-env opengl4.5 "$binary" >>"$text.log" 2>&1; then
        rm -f "$text" "$text.log"
    else
        echo "$text: $(grep -m 1 -i error "$text.log")"
    fi
    rm -f "$binary"
done'
count=$(find "$folder" -name '*.comp' | wc -l)
find "$folder" -name '*.comp' -print0 | xargs -0 -n 20 -P "$(nproc)" sh -c "$one" glsl || true
refused=$(find "$folder" -name '*.comp' | wc -l)
echo "glsl: $count programs, $refused refused"
[ "$refused" -eq 0 ] && [ "$count" -gt 500 ]
