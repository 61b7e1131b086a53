float rill_random_normal()
{
    rill_draw(2u);
    uvec2 w = rill_block.xy;
    rill_block = rill_block.zwxy;
    return pair(w).x;
}

float rill_random_exponential()
{
    return -natural_log(unit(rill_word()));
}
