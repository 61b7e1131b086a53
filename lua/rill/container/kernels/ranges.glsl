$section(count)
// Counts the addresses of each box, as an int (at most 2^31 - 1) and as a float.
kernel void count($point first$brackets, $point last$brackets, out int n<>, out float all<>) {
    int i = indexof(n).x;
    uint count = 1u;
    $for(d, dims){{
        uint side = last[i]$d.at < first[i]$d.at ? 0u : min(uint(last[i]$d.at) - uint(first[i]$d.at), 2147483646u) + 1u;
        count = side == 0u || count == 0u ? 0u
            : count > 2147483647u / side ? 2147483647u : count * side;
    }}
    n = int(count);
    all = float(n);
}

$section(points)
// Writes the addresses of all boxes, x fastest. `ends`: the number of addresses up to the end of each box.
kernel void points(int box[], int ends[], $point first$brackets, $point last$brackets, out $point p<>) {
    $if(vector){int e = indexof(p).x;}$else{int e = indexof(p).y, along = indexof(p).x;}
    int b = box[e], rest = b > 0 ? e - ends[b - 1] : e, side;
    $for(d, dims){
    side = last[b]$d.at - first[b]$d.at + 1;
    int c$d.d = first[b]$d.at + ($d.d < $rank ? rest % side : rest);
    rest = rest / side;
    }
    $if(vector){p = $point($for(d, dims, ", "){c$d.d});}
    $else{p = c1; $for(d, dims){if (along == $d.d - 1) { p = c$d.d; } }}
}

$section(runs)
// Marks where runs begin and end. `p` are the points, `q` their translations. FOLLOWS(e, f): point e continues the run of the previous point f, along x
// in a row of a box, and in memory.
#define UNMAPPED (-2147483647 - 1)
#define FOLLOWS(e, f) (p[e]$x != first[box[e]]$x && q[f]$q_x > UNMAPPED && q[e]$q_x == q[f]$q_x + 1$for(d, q_rest){ && q[e]$d.at == q[f]$d.at})
kernel void runs(int box[], int count, $point first$brackets, $point p$brackets, $q_point q$q_brackets, out int starts<>, out int stops<>) {
    int e = indexof(starts).x, before = max(e - 1, 0), next = min(e + 1, count - 1);
    bool found = q[e]$q_x > UNMAPPED;
    starts = found && !FOLLOWS(e, before) ? 1 : 0;
    stops = found && (next == e || !FOLLOWS(next, e)) ? 1 : 0;
}
