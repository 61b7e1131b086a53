/* Access to the elements next to a position of a container whose pages store copies of adjacent
 * elements (a halo). One of the pages is looked up. */
#include "kernel/variant/access.h"

enum { UNMAPPED = -(1 << 30) };

void access_cell(StrBuf *out, const AccessText *text, int rank)
{
    static const char corner[] = "adr_$N($,{i# + (k >> # & 1) * n#$})";
    access_addf(out, text, rank, "int cell_$N($,{int i#, inout int j#$}) {\n");
    access_addf(out, text, rank,
                "$0{    i# = rill_clamp(i#, $Z); int n# = rill_clamp(j#, $Z) - i#;\n    j# = n#$t;\n$}");
    if (text->key->container.replicas == REPLICAS_ALL) {
        strbuf_add(out, "    const int k = 0;\n    return ");
        access_addf(out, text, rank, corner);
        strbuf_add(out, ";\n}\n");
        return;
    }
    /* If the first element's page is unmapped, the page of another corner is searched, in a loop
     * whose end compilers do not know, so that they do not unroll it. */
    access_addf(out, text, rank,
                "    int e = -1, most = $Z > 0 ? %d : 0;\n    for (int k = 0; e < 0 && k < most; k++) {\n        e = ",
                1 << rank);
    access_addf(out, text, rank, corner);
    access_addf(out, text, rank,
                ";\n        e = e < 0 ? e : e$0{ - (k >> # & 1) * j#$};\n    }\n    return e < 0 ? %d : e;\n}\n",
                UNMAPPED);
}
