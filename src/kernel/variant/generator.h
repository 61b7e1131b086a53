/* What the files that write a source share. */
#ifndef RILL_KERNEL_VARIANT_GENERATOR_H
#define RILL_KERNEL_VARIANT_GENERATOR_H

#include "kernel/variant/access.h"

typedef struct Generator {
    const KernelText *text;
    const Function *f;
    const VariantKey *key;
    const Layout *layout;
    StrBuf *out;
} Generator;

/* Appends a text (base/template.h), with the parts repeated for each dimension of the launch:
 *
 *     $N $T       the name of parameter i, its GLSL type
 *     $B $S       the number of its first element, as it is read and stored
 *     $n          how many elements there are
 *     $z $m $h    the size of the launch along a dimension, and what to divide by it: a multiplier and a shift
 *     $p $q $r    the same of pages, in steps */
void generator_addf(const Generator *g, int i, const char *format, ...) ERROR_PRINTF(3, 4);

/* Bytes of argument i that one step covers; whether it is read as whole texels. */
int generator_step_bytes(const Generator *g, int i);
bool generator_flat_load(const Generator *g, int i);
/* Whether main() copies the uniforms by rill_copy() before it walks: each use in the loop would read them again, as compilers do not know what its
 * stores write. On llvmpipe that costs some eight instructions a word: a stencil of two fields takes a tenth less time so, and compiles faster. */
bool generator_copies(const Generator *g);
/* Whether a fault word may be written. */
bool generator_faults(const Generator *g);

/* What argument i's access functions are written with; and the loads of rows of neighbours. */
AccessText generator_access(const Generator *g, int i);
void generator_strip_loads(Generator *g);

/* generate_element.c: element k of a step, from its loads to its stores; those of flat stores are words, which are declared before a step
 * and stored behind it, for argument i from `at` on, an expression. And its parts, and whether main stores argument i. */
void generate_element(Generator *g, int k);
void generate_declare_words(Generator *g);
void generate_store_words(Generator *g, int i, const char *at);
/* The words of element k that argument i is stored as: `value`, an expression. */
void generate_words(Generator *g, int i, int k, const char *value);
void generate_loads(Generator *g, int k);
void generate_call(Generator *g);
void generate_store(Generator *g, int i);
bool generate_stored(const Generator *g, int i);

/* generate_interleaved.c: all elements of a step, several side by side; false, and nothing is written, where that brings nothing. */
bool generate_interleaved(Generator *g);

/* generate_pages.c: a step of a launch over pages, one part of a page; and what all steps need, read before them. */
void generate_pages(Generator *g);
void generate_page_globals(Generator *g);
void generate_page_words(Generator *g);
/* The same for a group kernel, whose invocation rill_n it is: where it stands, and whether it is inside. */
void generate_page_group(Generator *g);

/* shared_addresses.c: writes the body, gathers that want the same places changed, and notes of which; false where there are none. */
bool shared_addresses(const Generator *g, StrBuf *out, bool used[MAX_PARAMS]);

/* generate_main.c: main() and what it calls. */
void generate_main(Generator *g);
void generate_group_queries(Generator *g);

#endif
