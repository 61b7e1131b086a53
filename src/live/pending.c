/* Connections that are not a browser's WebSocket yet. */
#include "live/connection.h"

#include <time.h>

double pending_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void pending_remove(Server *server, const struct lws *wsi)
{
    int kept = 0;
    for (int i = 0; i < server->pending_count; i++) {
        if (server->pending[i] != wsi) {
            server->pending[kept++] = server->pending[i];
        }
    }
    server->pending_count = kept;
}

void pending_add(Server *server, struct lws *wsi)
{
    if (server->pending_count == PENDING_MOST) {
        struct lws *oldest = server->pending[0];
        pending_remove(server, oldest);
        lws_set_timeout(oldest, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    }
    server->pending[server->pending_count++] = wsi;
    lws_set_timer_usecs(wsi, HANDSHAKE_SECONDS * LWS_US_PER_SEC);
}
