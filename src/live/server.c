/* The web server of a view: its thread, its listening socket and its connections. */
#include "base/thread/thread.h"
#include "live/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = 100 /* ports that are tried */, BACKLOG = 1024, ACCEPTS = 16 /* connections accepted at once */ };

static void accept_connections(Server *server)
{
    for (int i = 0; i < ACCEPTS; i++) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
                nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* the connection waits */
            }
            return;
        }
        lws_sock_file_fd_type socket_fd = {.sockfd = fd};
        if (!lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP, socket_fd, NULL, NULL)) {
            return; /* it has been closed */
        }
    }
}

static int listen_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    (void)user, (void)in, (void)length;
    if (reason == LWS_CALLBACK_RAW_RX_FILE) {
        accept_connections(lws_context_user(lws_get_context(wsi)));
    }
    return 0;
}

static int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    Server *server = lws_context_user(lws_get_context(wsi));
    (void)user, (void)length;
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: pending_add(server, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: pending_remove(server, wsi); return 0;
    case LWS_CALLBACK_TIMER: return -1; /* the request has not arrived in time */
    case LWS_CALLBACK_HTTP: return request_answer(server, wsi, in);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return strcasecmp(in, "websocket") == 0 ? 0 : -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; /* a WebSocket without the subprotocol */
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        atomic_store(&server->woken, false);
        client_notify_all(server);
        return 0;
    default: return 0;
    }
}

/* ---- the thread */

/* Returns whether all browsers were told that the view is closed. */
static bool all_told(const Server *server)
{
    for (const Client *client = server->clients; client; client = client->next) {
        if (!client->told_closed || client->sending) {
            return false;
        }
    }
    return true;
}

static void begin_closing(Server *server)
{
    server->closing = true;
    for (Client *client = server->clients; client; client = client->next) {
        client->closed_due = true;
        lws_callback_on_writable(client->wsi);
    }
}

static void on_tick(lws_sorted_usec_list_t *timer)
{
    (void)timer; /* the loop of the thread looks at the time */
}

static void *serve(void *argument)
{
    Server *server = argument;
    lws_sorted_usec_list_t timer;
    double end = 0;
    memset(&timer, 0, sizeof timer);
    while (!server->closing || (!all_told(server) && pending_time() < end)) {
        if (atomic_load(&server->closing_requested) && !server->closing) {
            end = pending_time() + CLOSE_MILLISECONDS / 1e3;
            begin_closing(server);
        }
        if (server->closing) {
            lws_sul_schedule(server->context, 0, &timer, on_tick, 10000);
        }
        if (lws_service(server->context, 0) < 0) {
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    }
    lws_sul_cancel(&timer);
    lws_context_destroy(server->context);
    return NULL;
}

void server_wake(Server *server)
{
    if (!atomic_exchange(&server->woken, true)) {
        lws_cancel_service(server->context);
    }
}

/* ---- opening */

/* Binds a socket to the address and the first free port from `port`. Returns it, or -1 with the reason. */
static int bind_socket(const char *address, int port, char *reason, size_t size)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *found;
    unsigned char bytes[ADDRESS_BYTES];
    if (!request_parse_address(address, bytes) || getaddrinfo(address, NULL, &hints, &found) != 0) {
        snprintf(reason, size, "'%s' is not an IP address", address);
        return -1;
    }
    int fd = -1, one = 1;
    for (int k = 0; k < PORTS && port + k <= 65535 && fd < 0; k++) {
        fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            break;
        }
        unsigned short number = htons((unsigned short)(port + k));
        if (found->ai_family == AF_INET6) {
            ((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_port = number;
        } else {
            ((struct sockaddr_in *)(void *)found->ai_addr)->sin_port = number;
        }
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
            int error = errno;
            close(fd);
            fd = -1;
            errno = error;
            if (error != EADDRINUSE) {
                break;
            }
        }
    }
    if (fd < 0) {
        snprintf(reason, size, "cannot listen on %s, port %d: %s", address, port, strerror(errno));
    }
    freeaddrinfo(found);
    return fd;
}

static int port_of(int fd)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        return 0;
    }
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&address)->sin6_port
                                               : ((struct sockaddr_in *)(void *)&address)->sin_port);
}

static bool copy_files(Server *server, const ServerOptions *options)
{
    for (int i = 0; i < options->file_count; i++) {
        const ServerFile *from = &options->files[i];
        ServerFile *file = &server->files[server->file_count++];
        char *body = malloc(LWS_PRE + from->length + 1);
        *file = (ServerFile){strdup(from->path), strdup(from->type), NULL, from->length};
        if (!body) {
            return false;
        }
        memcpy(body + LWS_PRE, from->body, from->length);
        file->body = body + LWS_PRE;
        if (!file->path || !file->type) {
            return false;
        }
    }
    return true;
}

static bool create_context(Server *server)
{
    struct lws_context_creation_info info;
    server->protocols[0] = (struct lws_protocols){.name = "http", .callback = http_callback};
    server->protocols[1] = (struct lws_protocols){.name = "rill-live",
                                                  .callback = client_callback,
                                                  .per_session_data_size = sizeof(Client),
                                                  .rx_buffer_size = MESSAGE_MOST};
    server->protocols[2] = (struct lws_protocols){.name = "rill-listener", .callback = listen_callback};
    server->idle = (lws_retry_bo_t){.secs_since_valid_ping = PING_SECONDS, .secs_since_valid_hangup = SILENT_SECONDS};
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
    info.protocols = server->protocols;
    info.user = server;
    info.gid--; /* -1: the process keeps its own; the types depend on the version */
    info.uid--;
    info.server_string = "rill";
    info.max_http_header_data = HEADER_MOST;
    info.fd_limit_per_thread = (unsigned)(server->clients_most + 2 * PENDING_MOST + 8);
    info.max_http_header_pool = (unsigned short)info.fd_limit_per_thread;
    info.timeout_secs = HANDSHAKE_SECONDS;
    info.keepalive_timeout = HANDSHAKE_SECONDS;
    info.retry_and_idle_policy = &server->idle;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    lws_set_log_level(0, NULL);
    server->context = lws_create_context(&info);
    server->vhost = server->context ? lws_create_vhost(server->context, &info) : NULL;
    lws_sock_file_fd_type listener = {.filefd = server->listener};
    return server->vhost &&
           lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, listener, "rill-listener", NULL);
}

/* libwebsockets ignores SIGPIPE in the whole process, which would change how the script ends in a pipe of commands. Other
 * threads may open a server at the same time. */
static bool create_context_quietly(Server *server)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction before;
    pthread_mutex_lock(&mutex);
    sigaction(SIGPIPE, NULL, &before);
    bool created = create_context(server);
    sigaction(SIGPIPE, &before, NULL);
    pthread_mutex_unlock(&mutex);
    return created;
}

static void server_free(Server *server)
{
    for (int i = 0; i < server->file_count; i++) {
        free((char *)server->files[i].path);
        free((char *)server->files[i].type);
        free(server->files[i].body ? (char *)server->files[i].body - LWS_PRE : NULL);
    }
    board_close(&server->board);
    free(server->hello);
    free(server);
}

static bool start(Server *server, const ServerOptions *options, char *reason, size_t size)
{
    snprintf(server->listen, sizeof server->listen, "%s", options->listen);
    snprintf(server->key, sizeof server->key, "%s", options->key);
    server->process = getpid();
    server->steer_all = options->steer_all;
    server->clients_most = options->clients;
    server->hello = strdup(options->hello);
    snprintf(reason, size, "not enough memory");
    if (!copy_files(server, options) || !server->hello) {
        return false;
    }
    server->listener = bind_socket(options->listen, options->port, reason, size);
    if (server->listener < 0) {
        return false;
    }
    server->port = port_of(server->listener);
    snprintf(reason, size, "libwebsockets could not start");
    bool created = create_context_quietly(server);
    if (!created || thread_start(&server->thread, serve, server) != 0) {
        if (server->context) {
            lws_context_destroy(server->context);
        }
        if (!created) {
            close(server->listener);
        }
        return false;
    }
    return true;
}

Server *server_open(const ServerOptions *options, char *reason, size_t size)
{
    Server *server = calloc(1, sizeof *server);
    if (!server || !board_open(&server->board)) {
        free(server);
        snprintf(reason, size, "not enough memory");
        return NULL;
    }
    if (!start(server, options, reason, size)) {
        server_free(server);
        return NULL;
    }
    return server;
}

void server_close(Server *server)
{
    if (getpid() != server->process) { /* a forked process has the memory of the server, but not its thread */
        return;
    }
    atomic_store(&server->closing_requested, true);
    lws_cancel_service(server->context);
    pthread_join(server->thread, NULL);
    server_free(server);
}

Board *server_board(Server *server)
{
    return &server->board;
}

int server_port(const Server *server)
{
    return server->port;
}

int server_clients(Server *server)
{
    return atomic_load(&server->client_count);
}

ServerCounts server_counts(Server *server)
{
    pthread_mutex_lock(&server->board.mutex);
    ServerCounts counts = server->counts;
    counts.dropped = server->board.dropped;
    counts.frames = (unsigned long long)server->board.frame_count;
    pthread_mutex_unlock(&server->board.mutex);
    return counts;
}
