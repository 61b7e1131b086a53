/* State and functions that the files of the code generator share. */
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

/* Appends a text (base/template.h), with the repeated parts once for each dimension of the launch:
 *
 *     $N $T       the name of parameter i and its GLSL type
 *     $B $S       the index of its first element when read and when stored
 *     $n          the number of elements
 *     $z $m $h    the size of the launch along a dimension, and the multiplier and shift that divide by it
 *     $p $q $r    the size of a page along a dimension (x in steps), and the multiplier and shift that divide by it */
void generator_addf(const Generator *g, int i, const char *format, ...) ERROR_PRINTF(3, 4);

/* Returns the number of bytes of argument i that one step reads or writes. */
int generator_step_bytes(const Generator *g, int i);
/* Returns whether argument i is read as whole texels. */
bool generator_flat_load(const Generator *g, int i);
/* Returns whether main() copies the uniforms with rill_copy() first, because it or the kernel's body has
 * a loop. Otherwise each use in the loop reads them again, since compilers do not know what the loop's
 * stores write. On llvmpipe that costs about 25 instructions per word: copying saves a tenth of the time
 * of a stencil of two fields, and a sixth of the time of a loop with several gathers. */
bool generator_copies(const Generator *g);
/* Returns whether the program may write a fault word. */
bool generator_faults(const Generator *g);

/* Returns the AccessText of argument i. */
AccessText generator_access(const Generator *g, int i);
/* Writes the loads of the texels of row `line` of a strip: see access_strip_loads. The texels of windows are only
 * assigned; generator_window_loads, called for all rows before, loads them. */
void generator_strip_loads(Generator *g, int line);
void generator_window_loads(Generator *g, int line);

/* Writes the computation of element k of a step, from its loads to its stores (generate_element.c).
 * If an argument is written in whole words (variant_flat_store), the words are only assigned to
 * variables, which generate_store_words stores. */
void generate_element(Generator *g, int k);
/* Writes the declarations of these variables, before a step. */
void generate_declare_words(Generator *g);
/* Writes the stores of these variables for argument i, after a step. `at` is an expression for the
 * first index. */
void generate_store_words(Generator *g, int i, const char *at);
/* Writes assignments to the words of element k of argument i. `value` is an expression. */
void generate_words(Generator *g, int i, int k, const char *value);
/* Writes the loads of the inputs of element k. */
void generate_loads(Generator *g, int k);
/* Writes the call of the kernel's function. */
void generate_call(Generator *g);
/* Writes the store of one element of argument i. */
void generate_store(Generator *g, int i);
/* Returns whether main() stores argument i. */
bool generate_stored(const Generator *g, int i);

/* Writes all elements of a step with several elements interleaved (generate_interleaved.c). Returns
 * false and writes nothing if that has no advantage. */
bool generate_interleaved(Generator *g);

/* Writes rill_mask, the index of the mask of a page (-1: none), whose index is the element `entry` of the page list, and
 * clears the variable `inside` if element rill_s of the page is not in the mask. */
void generate_mask_test(Generator *g, const char *entry, const char *inside);
/* rill_bits: the number of elements of the page's mask before a step of one element. */
extern const char generate_mask_count[];
/* Writes a step of a launch over pages, which covers a part of a page (generate_pages.c). */
void generate_pages(Generator *g);
/* Writes the global variables of launches over pages. */
void generate_page_globals(Generator *g);
/* Writes the statements of main() that read, before its steps, the words which all steps use. */
void generate_page_words(Generator *g);
/* Writes these statements for a group kernel, whose invocation has the number rill_n: they compute
 * its position and whether it has an element. */
void generate_page_group(Generator *g);

/* Writes the body with shared address computations: gathers that access the same point of several
 * containers use one address (shared_addresses.c). Sets `used` for the gathers concerned. Returns
 * false if there are none. */
bool shared_addresses(const Generator *g, StrBuf *out, bool used[MAX_PARAMS]);

/* Writes main() and the functions that it calls (generate_main.c). */
void generate_main(Generator *g);
/* Writes groupid() and localid(). */
void generate_group_queries(Generator *g);

#endif
