/* What the files of the server share. Everything but the board and the fields that say so belongs to its thread. */
#ifndef RILL_LIVE_CONNECTION_H
#define RILL_LIVE_CONNECTION_H

#include "live/server.h"

#include <libwebsockets.h>
#include <stdatomic.h>
#include <sys/types.h>

enum {
    PENDING_MOST = 32, /* connections that are not a browser's WebSocket yet; then the oldest is closed */
    KEY_MOST = 64,
    HOST_MOST = 128,
    ADDRESS_BYTES = 17,
    HANDSHAKE_SECONDS = 5,
    TRANSFER_SECONDS = 60, /* for a request, for a file of the page */
    HEADER_MOST = 8192,    /* bytes of the header of a request */
    PIECE = 1 << 16,       /* bytes of a message that are written at once */
    RATE = 500,            /* messages of a browser per second, and at once */
    INVALID_MOST = 3,      /* invalid messages of a browser, then it is disconnected */
    PING_SECONDS = 20,
    SILENT_SECONDS = 60,
    CLOSE_MILLISECONDS = 300 /* time to tell the browsers that the view is closed */
};

/* A browser's WebSocket: the data that libwebsockets keeps for it. */
typedef struct Client {
    struct Client *next;
    struct lws *wsi;
    int number; /* from 1 */
    Frame *sending;
    size_t offset; /* of `sending` */
    uint64_t sent[PANELS_MOST];
    int last; /* the panel that was sent last */
    bool hello_due, closed_due, told_closed;
    char text[MESSAGE_MOST]; /* the message that arrives */
    size_t length;
    int invalid;
    double tokens, refilled; /* of the limit of messages; a time in seconds */
} Client;

struct Server {
    Board board;
    pthread_t thread;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct lws_protocols protocols[4];
    lws_retry_bo_t idle;
    int listener, port;
    pid_t process;
    char listen[HOST_MOST], key[KEY_MOST + 1];
    char *hello;
    bool steer_all;
    int clients_most;
    ServerFile files[FILES_MOST]; /* owned copies; LWS_PRE bytes precede each body */
    int file_count;
    Client *clients;
    int next_number, steering; /* the number of the browser that steers, 0: none */
    struct lws *pending[PENDING_MOST];
    int pending_count;
    bool closing;
    ServerCounts counts; /* protected by the board's mutex */
    unsigned char piece[LWS_PRE + PIECE];
    atomic_int client_count;              /* for all threads */
    atomic_bool woken, closing_requested; /* for all threads */
};

/* pending.c */

/* Returns the seconds of a clock that only differences have a meaning of. */
double pending_time(void);
/* Remembers a new connection. If there are too many, closes the oldest one that is not a browser's WebSocket. */
void pending_add(Server *server, struct lws *wsi);
/* Forgets a connection that is not a pending one any more. */
void pending_remove(Server *server, const struct lws *wsi);

/* request.c */

/* Reads a numeric address: writes 4 or 6, then its bytes in the order of the network. Returns false for other texts. */
bool request_parse_address(const char *text, unsigned char *bytes);
/* Returns whether a request has the key, and headers Host and, for a WebSocket, Origin that belong to this server. */
bool request_allowed(const Server *server, struct lws *wsi, bool websocket);
/* Answers a request for a path. Returns the result of the callback. */
int request_answer(Server *server, struct lws *wsi, const char *path);

/* client.c */

/* The callback of WebSockets. */
int client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);
/* Lets each browser that can be written to get what has changed. */
void client_notify_all(Server *server);

#endif
