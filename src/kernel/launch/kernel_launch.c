/* Launches a kernel: arguments that overlap an output or have another shape are copied first. */
#include "kernel/launch/copy.h"
#include "kernel/launch/launch.h"

bool kernel_launch_over(Kernel *kernel, Device *device, const Argument *args, const Domain *domain, bool check)
{
    return launch_run(kernel, device, args, domain, check, copy_argument);
}

bool kernel_launch(Kernel *kernel, Device *device, const Argument *args, const Shape *shape, bool check)
{
    Domain domain = {.shape = *shape};
    return kernel_launch_over(kernel, device, args, &domain, check);
}
