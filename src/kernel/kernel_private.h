/* What the files of the kernel floor share. */
#ifndef RILL_KERNEL_KERNEL_PRIVATE_H
#define RILL_KERNEL_KERNEL_PRIVATE_H

#include "base/lru.h"
#include "gpu/program/program.h"
#include "kernel/kernel.h"
#include "kernel/variant/access.h"

typedef struct Variant {
    VariantKey key; /* its types are held */
    Layout layout;
    uint64_t device;  /* device_serial: a device may be gone and its address used again */
    Program *program; /* held */
} Variant;

/* Outlives its kernel, for caches of what was made with the kernel and is of no use after it. */
typedef struct KernelLife {
    int references;
    bool over;
} KernelLife;

/* Counted; releasing NULL does nothing. */
KernelLife *kernel_life_retain(KernelLife *life);
void kernel_life_release(KernelLife *life);

struct Kernel {
    int references;
    Module *module;
    Function function; /* as launched; owns its parameters */
    Body body;
    char *baked[MAX_PARAMS];
    Kernel *count, *write; /* of a kernel with variable outputs, which has no program of its own; else NULL */
    int id;                /* names the kernel in the fault words */
    uint64_t serial;       /* never used twice: for caches that outlive kernels */
    KernelLife *life;
    Lru variants; /* of Variant */
    Lru mapped;   /* kernels derived from this one by address_map.c, which sets what destroys them */
    void (*mapped_destroy)(void *item);
    bool addressed;                 /* the last launch was by one of them */
    const AddressUse *addresses;    /* of a derived one, else NULL */
    bool body_borrowed;             /* by a derived one */
    uint32_t *words;                /* room for the uniforms of a launch */
    uint8_t pass_order[MAX_PARAMS]; /* slice_order's, of passes of so many outputs; 0: not asked for yet */
    int pass_outputs;
};

/* A kernel of no function yet; NULL with error_set. */
Kernel *kernel_blank(Module *module);
/* What the generator needs of the kernel on this device: borrowed, valid as long as the kernel. */
KernelText kernel_text(const Kernel *kernel, Device *device);
/* address_map.c. The kernel to launch instead, where arguments have maps, and in `given` its arguments; else the kernel itself, `given`
 * unchanged. It lives as long as the kernel. NULL with error_set. */
Kernel *address_kernel(Kernel *kernel, Device *device, const Argument *args, Argument given[MAX_PARAMS]);
/* The kernel that was so launched last: one derived, or itself. */
Kernel *address_latest(Kernel *kernel);
/* Finds or compiles a variant. */
Variant *kernel_variant(Kernel *kernel, Device *device, const VariantKey *key);
/* Turns the driver's log of a program into an error at the place in the kernel text. */
bool diagnose(const Module *module, const Body *body, const char *source, size_t body_at, const char *log);

#endif
