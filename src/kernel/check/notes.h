/* Finds what is legal in a kernel text but probably not meant. */
#ifndef RILL_KERNEL_CHECK_NOTES_H
#define RILL_KERNEL_CHECK_NOTES_H

#include "kernel/tree/message.h"
#include "kernel/tree/node.h"

/* Adds notes about a typed tree without errors: an assignment to an input or constant of a kernel, which changes a local
 * copy; a quotient of ints that becomes a float; a variable that hides a parameter; a parameter that is not used; an output
 * that is never assigned. */
void pass_notes(Tree *tree, Messages *notes);

#endif
