/* The web server of a view. It runs in a thread that never touches a Lua state: the script's thread publishes frames of
 * panels and takes events; the server's thread encodes the frames and sends them. Both meet in a Board. Of the sources
 * only those in this directory include the headers of libwebsockets, and they are not part of rill/core.so, so that rill
 * does not need the library. */
#ifndef RILL_LIVE_SERVER_H
#define RILL_LIVE_SERVER_H

#include "live/board.h"

typedef struct ServerFile {
    const char *path, *type, *body;
    size_t length;
} ServerFile;

enum { FILES_MOST = 16 };

typedef struct ServerOptions {
    const char *listen; /* an IP address */
    int port, clients;  /* port 0: any */
    const char *key;
    const char *hello; /* members of the JSON object of the first message */
    bool steer_all;
    ServerFile files[FILES_MOST];
    int file_count;
} ServerOptions;

typedef struct Server Server;

/* Starts a server on the port of the options, or on the next free one. Texts and files are copied. Returns NULL with the
 * reason in `reason`, of `size` bytes. */
Server *server_open(const ServerOptions *options, char *reason, size_t size);
/* Tells the browsers that the view is closed, ends the thread and frees the server. */
void server_close(Server *server);
Board *server_board(Server *server);
int server_port(const Server *server);
/* Wakes the thread, which sends what has changed. */
void server_wake(Server *server);
/* Returns the number of connected browsers. */
int server_clients(Server *server);

typedef struct ServerCounts {
    unsigned long long accepted, refused, dropped, messages, invalid, sent, bytes, encoded;
    unsigned long long frames; /* that exist now */
} ServerCounts;

/* Returns what the server has counted since it was opened. */
ServerCounts server_counts(Server *server);

#endif
