$section(count)
// How many addresses each box has, as an int, the largest where there are more, and as a float.
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
// The addresses of all boxes, x fastest. `ends`: how many there are up to each box's last.
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
// 1 where a run begins, and where one ends. `p` is what is asked for, `q` what becomes of it. Address `e` goes on where the one before it, `f`, ended,
// along x in a row of a box, and in memory.
#define NOWHERE (-2147483647 - 1)
#define FOLLOWS(e, f) (p[e]$x != first[box[e]]$x && q[f]$q_x > NOWHERE && q[e]$q_x == q[f]$q_x + 1$for(d, q_rest){ && q[e]$d.at == q[f]$d.at})
kernel void runs(int box[], int count, $point first$brackets, $point p$brackets, $q_point q$q_brackets, out int starts<>, out int stops<>) {
    int e = indexof(starts).x, before = max(e - 1, 0), next = min(e + 1, count - 1);
    bool found = q[e]$q_x > NOWHERE;
    starts = found && !FOLLOWS(e, before) ? 1 : 0;
    stops = found && (next == e || !FOLLOWS(next, e)) ? 1 : 0;
}
