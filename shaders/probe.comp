// Writes one word of a storage block.
layout(local_size_x = 1) in;
layout(location = 0) uniform uvec4 rill_p[1];
layout(std430, binding = 1) buffer Block { uint words[]; };

void main()
{
    words[rill_p[0].x] = rill_p[0].y;
}
