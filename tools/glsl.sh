#!/bin/sh
# Every program that a part of the suite makes, in both families (with buffer textures and without), through the reference compiler
# and the SPIR-V validator: tools/glsl.sh FOLDER SUITE..., the command that runs the suite. What is refused stays in FOLDER. Texts
# that the device's own compiler refused are no programs: specs of messages make them, and trials of what a text may mean.
set -eu

folder=$1
shift
specs='brook calls check fft group histogram lengths matmul matvec predication private_array random reduce_kernel struct top_k
    translator transpose type vout'
rm -rf "$folder"
mkdir -p "$folder"
# Whether the specs pass is what `make test` says.
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
