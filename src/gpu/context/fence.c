/* Fences, which tell whether the device has finished the work that was issued before them. */
#include "base/environment.h"
#include "base/timer.h"
#include "gpu/context/device_private.h"

#include <sched.h>

enum { POLL_MICROSECONDS = 200, POLL_MOST = 100000 };

bool fence_look_up(Device *device)
{
    int microseconds = POLL_MICROSECONDS;
    bool valid = environment_number("RILL_POLL", "a number of microseconds, at most 100000", POLL_MOST, &microseconds);
    device->poll_seconds = 1e-6 * microseconds;
    return valid;
}

FenceState fence_state(GLsync *fence, GLuint64 nanoseconds)
{
    if (!*fence) {
        return FENCE_PASSED;
    }
    GLenum status = glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT, nanoseconds);
    if (status != GL_ALREADY_SIGNALED && status != GL_CONDITION_SATISFIED) {
        return status == GL_TIMEOUT_EXPIRED ? FENCE_PENDING : FENCE_FAILED;
    }
    glDeleteSync(*fence);
    *fence = NULL;
    return FENCE_PASSED;
}

GLsync fence_create(Device *device)
{
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence) {
        glFlush();
    } else {
        glFinish();
        gl_error_alive(device);
    }
    return fence;
}

/* Polls for a short time: a driver takes 20 to 50 us to wake a thread that it has put to sleep. Other threads of the
 * process run in between, on software devices those that finish the work. */
static void poll_shortly(const Device *device, GLsync *fence)
{
    const double end = timer_clock() + device->poll_seconds;
    while (timer_clock() < end && fence_state(fence, 0) == FENCE_PENDING) {
        sched_yield();
    }
}

bool fence_wait(Device *device, GLsync *fence)
{
    /* A driver resets a GPU that has not finished its work for a second or more. Some drivers then report that the
     * work is finished. The state of the device is therefore queried after a wait that was not short. */
    const GLuint64 tenth = 100000000u;
    FenceState state;
    bool waited = false;
    poll_shortly(device, fence);
    while ((state = fence_state(fence, tenth)) != FENCE_PASSED) {
        waited = true;
        if (!gl_error_alive(device) || !gl_error_check(device, "transfer_wait")) {
            return false;
        }
        if (state == FENCE_FAILED) {
            return error_set("transfer_wait: the driver of \"%s\" failed to wait for the transfer: try again",
                             device->info.name);
        }
    }
    return !waited || gl_error_alive(device);
}
