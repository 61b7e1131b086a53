#include "binding/single_core.h"

#include <dirent.h>
#include <stdlib.h>

static bool list_threads(SingleCore *saved)
{
    DIR *folder = opendir("/proc/self/task");
    saved->count = 0;
    if (!folder) {
        return false;
    }
    bool all = true;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread <= 0) {
            continue;
        }
        all = all && saved->count < ONE_CORE_THREADS;
        if (all && sched_getaffinity(thread, sizeof saved->cores[0], &saved->cores[saved->count]) == 0) {
            saved->threads[saved->count++] = thread;
        }
    }
    closedir(folder);
    return all;
}

bool single_core_begin(SingleCore *saved)
{
    int core = sched_getcpu();
    if (core < 0 || core >= CPU_SETSIZE || !list_threads(saved)) {
        saved->count = 0;
        return false;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    bool done = saved->count > 0;
    for (int i = 0; i < saved->count; i++) {
        done = sched_setaffinity(saved->threads[i], sizeof one, &one) == 0 && done;
    }
    if (!done) {
        single_core_end(saved);
    }
    return done;
}

void single_core_end(const SingleCore *saved)
{
    for (int i = 0; i < saved->count; i++) {
        sched_setaffinity(saved->threads[i], sizeof saved->cores[i],
                          &saved->cores[i]); /* may fail: the thread may have ended */
    }
}
