// Words of keys: equal keys have equal words. 0 and -0 are equal, and NaN is equal to NaN.
uint float_word(float x) {
    uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu;
    return size == 0u ? 0u : size > 0x7f800000u ? 0xffffffffu : bits;
}
uvec2 double_words(double x) {
    uvec2 bits = unpackDouble2x32(x);
    uint size = bits.y & 0x7fffffffu;
    bool nan = size > 0x7ff00000u || size == 0x7ff00000u && bits.x != 0u;
    return size == 0u && bits.x == 0u ? uvec2(0u) : nan ? uvec2(0xffffffffu) : bits;
}
// A bijection of words: the last step of MurmurHash3 (A. Appleby).
uint mixed(uint h) {
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}
$section(codes)
// r is the index of a row of keys among all keys in the ranges of the columns, or -1 if it is outside.
kernel void codes($for(c, columns){$c.type $c.name<>, $c.unit least_$c.name, uint most_$c.name, uint step_$c.name, }out int r<>) {
    uint code = 0u;
    bool inside = true;
    $for(c, columns){{
        $c.unit d = $c.unit($c.name) - least_$c.name;
        $if(double){inside = inside && d >= 0.0lf && d <= double(most_$c.name) && d == floor(d);}$else{inside = inside && d <= most_$c.name;}
        code += (inside ? uint(d) : 0u) * step_$c.name;
    }}
    r = inside ? int(code) : -1;
}
$section(pick)
kernel void pick(int code<>, int rows[], int missing, out int r<>) {
    int row = code < 0 ? -1 : rows[code];
    r = row < 0 ? missing : row;
}
$section(hash)
kernel void hash($for(c, columns){$c.type $c.name<>, }$for(w, compared){out uint of_$w.name<>, }out uint h<>) {
    $for(w, words){uint $w.name = $w.code;
    }
    h = mixed(w1);
    $for(w, others){h = mixed(h * 31u + $w.name);
    }
    $for(w, compared){of_$w.name = $w.name;
    }
}
$section(repeated)
// r is 1 if a row with the same hash before this one has the same words.
kernel void repeated(uint h[], $for(w, compared){uint of_$w.name[], }out int r<>) {
    int i = indexof(r).x;
    r = 0;
    for (int k = i - 1; k >= 0 && r == 0 && h[k] == h[i]; k--) {
        r = true$for(w, compared){ && of_$w.name[k] == of_$w.name[i]} ? 1 : 0;
    }
}
$section(ranges)
// The range of the rows that are equal to the key of which `at` is the index among the distinct keys.
kernel void ranges(int at<>, int starts[], int count, int n, out int first<>, out int rows<>) {
    int k = max(at, 0);
    int start = starts[k], end = k + 1 < count ? starts[k + 1] : n;
    first = at < 0 ? 0 : start;
    rows = at < 0 ? 0 : end - start;
}
$section(heads)
// r is 1 if a row differs from the one before it.
kernel void heads($for(c, columns){neighbor $c.type $c.name<>, }out int r<>) {
    r = indexof(r).x == 0$for(w, words){ || $w.before != $w.code} ? 1 : 0;
}
$section(place)
// Writes the index of the first hash with the same leading bits.
kernel void place(neighbor uint h<>, int shift, inout int first[]) {
    int i = indexof(h).x;
    if (i == 0 || h[-1] >> shift != h[0] >> shift) first[int(h[0] >> shift)] = i;
}
$section(find)
kernel void find($for(c, columns){$c.type $c.name<>, }uint hashes[], $for(w, compared){uint of_$w.name[], }int rows[],
    int first[], int shift, int count, int missing, out int r<>) {
    $for(w, words){uint $w.name = $w.code;
    }
    uint h = mixed(w1);
    $for(w, others){h = mixed(h * 31u + $w.name);
    }
    int i = first[int(h >> shift)];
    r = missing;
    bool more = i >= 0;
    while (more) {
        uint other = hashes[i];
        bool same = other == h$for(w, compared){ && of_$w.name[i] == $w.name};
        if (same) r = rows[i];
        i++;
        more = !same && other <= h && i < count;
    }
}
$section(mark)
// Writes the index of each row that has pairs to its first pair.
kernel void mark(int end<>, int count<>, inout int marks[]) {
    if (count > 0) marks[end - count] = indexof(end).x;
}
$section(pairs)
kernel void pairs(int row<>, int ends[], int counts[], int count[], int first[], int order[], out int found<>) {
    int k = indexof(row).x - (ends[row] - counts[row]);
    found = count[row] == 0 ? -1 : order[first[row] + k];
}
