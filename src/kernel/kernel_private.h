/* State and functions that the files of the kernel layer share. */
#ifndef RILL_KERNEL_KERNEL_PRIVATE_H
#define RILL_KERNEL_KERNEL_PRIVATE_H

#include "base/lru.h"
#include "gpu/program/program.h"
#include "kernel/kernel.h"
#include "kernel/variant/access.h"

typedef struct Variant {
    VariantKey key; /* its types are retained */
    Layout layout;
    uint64_t device;  /* device_serial: a device may have been closed and its address reused */
    Program *program; /* retained */
} Variant;

/* Tells caches whether a kernel still exists, because entries for a destroyed kernel cannot be
 * found again. It has its own reference count and may outlive the kernel. */
typedef struct KernelLife {
    int references;
    bool over;
} KernelLife;

/* Adds a reference. */
KernelLife *kernel_life_retain(KernelLife *life);
/* Releases a reference. NULL is allowed. */
void kernel_life_release(KernelLife *life);

struct Kernel {
    int references;
    Module *module;
    Function function; /* as launched; owns its parameters */
    Body body;
    char *baked[MAX_PARAMS];
    Kernel *count, *write; /* for a kernel with variable outputs, which has no program itself; otherwise NULL */
    int id;                /* number of the kernel in the fault words */
    uint64_t serial;       /* unique number of the kernel, for caches that outlive kernels */
    KernelLife *life;
    Lru variants; /* of Variant */
    Lru mapped;   /* kernels derived from this one by address_kernel.c, which also sets mapped_destroy */
    void (*mapped_destroy)(void *item);
    bool addressed;              /* the last launch used a derived kernel */
    const AddressUse *addresses; /* of a derived kernel; otherwise NULL */
    bool body_borrowed;          /* the body belongs to the kernel from which this one is derived */
    uint32_t *words;             /* buffer for the uniforms of a launch */
    uint8_t
        pass_order[MAX_PARAMS]; /* result of slice_order for passes of `pass_outputs` outputs; 0: not computed yet */
    int pass_outputs;
};

/* Returns the stream of argument i; NULL for a constant. */
const Stream *kernel_stream(const Kernel *kernel, const Argument *args, int i);
/* Creates a kernel without a function. Returns NULL with error_set on failure. */
Kernel *kernel_blank(Module *module);
/* Returns what the code generator needs to know about the kernel on this device. The result borrows
 * from the kernel. */
KernelText kernel_text(const Kernel *kernel, Device *device);
/* Finds or derives the kernel to launch if arguments have address maps, and stores its arguments in
 * `given` (address_kernel.c). Otherwise returns the kernel itself and leaves `given` unchanged. The
 * result lives as long as the kernel. Returns NULL with error_set on failure. */
Kernel *address_kernel(Kernel *kernel, Device *device, const Argument *args, Argument given[MAX_PARAMS]);
/* Returns the kernel that the last launch used: a derived kernel or the kernel itself. */
Kernel *address_latest(Kernel *kernel);
/* Finds or compiles a variant. Returns NULL with error_set on failure. */
Variant *kernel_variant(Kernel *kernel, Device *device, const VariantKey *key);
/* Completes the error of a program that the device's compiler refuses, although the text is correct. Returns false. */
bool kernel_refused(const Kernel *kernel);

/* Arguments with the boundary modes that apply: see boundary_bind. */
typedef struct BoundArguments {
    Argument args[MAX_PARAMS];
    Stream streams[MAX_PARAMS]; /* headers, which retain nothing */
} BoundArguments;
/* Returns whether boundary modes in the signature, or of a text of rill itself, replace modes of arguments. */
bool boundary_rebinds(const Kernel *kernel, const Argument *args);
/* Replaces the modes of arguments: by those in the signature, or in a text of rill itself inherited ones by the default.
 * Returns the arguments, valid as long as `bound`, or NULL with error_set if the number of modes does not fit. */
const Argument *boundary_bind(const Kernel *kernel, const Argument *args, BoundArguments *bound);

#endif
