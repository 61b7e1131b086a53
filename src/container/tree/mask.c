/* Masks for adaptive containers, computed by kernels. */
#include "container/region/region.h"
#include "container/tree/tree.h"

#include "kernel/kernel.h"
#include "kernel/launch/builtin.h"

#include <stdio.h>

/* Checks that a kernel has one output and that its other arguments are streams that are read. Returns the
 * output's index; -1 with error_set. */
static int output_of(const Kernel *kernel)
{
    const Function *f = kernel_function(kernel);
    int output = -1, outputs = 0, inputs = 0, others = 0;
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        outputs += f->params[i].kind == PARAM_OUTPUT;
        output = f->params[i].kind == PARAM_OUTPUT ? i : output;
        inputs += kind->stream && !kind->written;
        others += !kernel_is_baked(kernel, i) && f->params[i].kind != PARAM_OUTPUT && (!kind->stream || kind->written);
    }
    if (f->kind != FUNCTION_KERNEL || outputs != 1 || inputs < 1 || others || f->params[output].type->is_struct ||
        f->params[output].type->components != 1) {
        error_set("kernel '%s': expected one with the container as its only argument, and one output of bool", f->name);
        return -1;
    }
    return output;
}

/* Checks that each input of a kernel can be read from elements of a type. False with error_set. */
static bool check_inputs(const Kernel *kernel, const Type *type)
{
    const Function *f = kernel_function(kernel);
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        if (param->kind != PARAM_OUTPUT && param_kinds[param->kind].stream &&
            !type_converts(type->value, param->type)) {
            return error_set("kernel '%s': argument '%s' has type %s, the container's elements have type %s", f->name,
                             param->name, param->type->name, type->name);
        }
    }
    return true;
}

/* Runs over all nodes of the leaves, also at T-junctions, since each leaf is marked by its own nodes. */
static bool launch(Container *c, Kernel *kernel, const Stream *input, int output, Container *mask, RandomNumbers random,
                   bool check)
{
    Argument args[MAX_PARAMS] = {0};
    const Region *active = container_active(c);
    Region *region = active ? region_unmasked(active) : NULL;
    for (int i = 0; i < kernel_function(kernel)->param_count; i++) {
        args[i].stream = i == output ? container_whole(mask) : input;
    }
    Domain domain = {
        .shape = container_whole(c)->shape, .pages = region ? region_set(region, false) : NULL, .random = random};
    bool done = region && kernel_launch_over(kernel, container_whole(c)->device, args, &domain, check);
    region_release(region);
    return done;
}

/* Creates a mask by a kernel whose inputs are all `input`. */
static Container *make(Container *c, Kernel *kernel, const Stream *input, RandomNumbers random, bool check)
{
    int output = output_of(kernel);
    if (output >= 0 && !check_inputs(kernel, input->type)) {
        return NULL;
    }
    Container *mask = output < 0 ? NULL : tree_mask(c, kernel_function(kernel)->params[output].type);
    if (mask && !launch(c, kernel, input, output, mask, random, check)) {
        container_release(mask);
        mask = NULL;
    }
    return mask;
}

Container *tree_mask_kernel(Container *c, Kernel *kernel, RandomNumbers random, bool check)
{
    return make(c, kernel, container_whole(c), random, check);
}

Container *tree_mask_copy(Container *c, const Stream *elements)
{
    char text[256];
    const char *type = elements->type->value->name;
    snprintf(text, sizeof text, "kernel void mark(%s x<>, out %s r<>) { r = x; }", type, type);
    Kernel *kernel = builtin_kernel(elements->device, text);
    return kernel ? make(c, kernel, elements, (RandomNumbers){0}, false) : NULL;
}
