/* Browsers: sends them the newest version of each panel when they can take it, and checks what they send. */
#include "live/connection.h"

#include <stdio.h>
#include <string.h>

static Server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static void count(Server *server, unsigned long long *counter, unsigned long long n)
{
    pthread_mutex_lock(&server->board.mutex);
    *counter += n;
    pthread_mutex_unlock(&server->board.mutex);
}

/* ---- steering */

static bool steers(const Server *server, const Client *client)
{
    return server->steer_all || server->steering == client->number;
}

static Client *client_of(const Server *server, int number)
{
    Client *client = server->clients;
    while (client && client->number != number) {
        client = client->next;
    }
    return client;
}

/* Lets a browser steer, and tells it and the one before. */
static void give_steering(Server *server, Client *client)
{
    Client *before = client_of(server, server->steering);
    server->steering = client ? client->number : 0;
    for (int i = 0; i < 2; i++) {
        Client *one = i ? client : before;
        if (one) {
            one->hello_due = true;
            lws_callback_on_writable(one->wsi);
        }
    }
}

/* ---- sending */

/* Returns a frame whose message is only a header. */
static Frame *note(Server *server, const char *format, ...) ERROR_PRINTF(2, 3);
static Frame *note(Server *server, const char *format, ...)
{
    va_list arguments;
    Frame *frame = board_frame(&server->board, 0);
    if (frame) {
        va_start(arguments, format);
        strbuf_addv(&frame->header, format, arguments);
        va_end(arguments);
    }
    return frame;
}

/* Chooses the next frame to send to a browser. Returns false if there is none. */
static bool choose(Server *server, Client *client)
{
    if (client->hello_due) {
        client->hello_due = false;
        client->sending = note(server, "{\"type\":\"hello\",%s,\"steer\":%s,\"client\":%d}", server->hello,
                               steers(server, client) ? "true" : "false", client->number);
    } else if (client->closed_due) {
        client->closed_due = false;
        client->told_closed = true;
        client->sending = note(server, "{\"type\":\"closed\"}");
    } else if (!server->closing) {
        int index;
        uint64_t version;
        client->sending = board_newer(&server->board, client->sent, client->last, &index, &version);
        if (client->sending) {
            client->sent[index] = version;
            client->last = index;
        }
    }
    client->offset = 0;
    return client->sending != NULL;
}

/* Writes a piece of the frame. Returns false if the connection has failed. */
static bool write_piece(Server *server, Client *client)
{
    const StrBuf *message = &client->sending->message;
    size_t rest = message->length - client->offset, length = rest < PIECE ? rest : PIECE;
    int flags = client->offset == 0 ? LWS_WRITE_BINARY : LWS_WRITE_CONTINUATION;
    flags |= length < rest ? LWS_WRITE_NO_FIN : 0;
    memcpy(server->piece + LWS_PRE, message->text + client->offset, length);
    if (lws_write(client->wsi, server->piece + LWS_PRE, length, (enum lws_write_protocol)flags) < 0) {
        return false;
    }
    client->offset += length;
    if (client->offset == message->length) {
        count(server, &server->counts.sent, 1);
        count(server, &server->counts.bytes, message->length);
        board_release(&server->board, client->sending);
        client->sending = NULL;
    }
    return true;
}

static int on_writable(Server *server, Client *client)
{
    while (!client->sending) {
        if (!choose(server, client)) {
            return 0;
        }
        bool encoded = client->sending->message.length > 0;
        if (!frame_encode(client->sending)) { /* it is left out */
            board_release(&server->board, client->sending);
            client->sending = NULL;
        } else if (!encoded) {
            count(server, &server->counts.encoded, 1);
        }
    }
    if (!write_piece(server, client)) {
        return -1;
    }
    lws_callback_on_writable(client->wsi);
    return 0;
}

void client_notify_all(Server *server)
{
    for (Client *client = server->clients; client; client = client->next) {
        lws_callback_on_writable(client->wsi);
    }
}

/* ---- receiving */

static int disconnect(struct lws *wsi, enum lws_close_status status)
{
    lws_close_reason(wsi, status, NULL, 0);
    return -1;
}

/* Takes one message from the allowance. Returns false if a browser sends too many. */
static bool take_token(Client *client)
{
    double now = pending_time();
    client->tokens += (now - client->refilled) * RATE;
    client->tokens = client->tokens > RATE ? RATE : client->tokens;
    client->refilled = now;
    client->tokens -= 1;
    return client->tokens >= 0;
}

/* Handles a complete message. Returns false if it is invalid. */
static bool handle(Server *server, Client *client)
{
    Event event;
    bool may = steers(server, client) && !server->closing;
    if (!event_parse(client->text, client->length, &event)) {
        return false;
    }
    if (event.verb == VERB_STEER) {
        if (!server->steer_all && !may) {
            give_steering(server, client);
        }
        return true;
    }
    return board_event(&server->board, &event, may);
}

static int on_receive(Server *server, Client *client, const char *bytes, size_t length)
{
    bool text = !lws_frame_is_binary(client->wsi);
    if (!text) {
        return disconnect(client->wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE);
    }
    if (lws_is_first_fragment(client->wsi)) {
        client->length = 0;
    }
    if (length > MESSAGE_MOST - client->length) {
        return disconnect(client->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    memcpy(client->text + client->length, bytes, length);
    client->length += length;
    if (!lws_is_final_fragment(client->wsi) || lws_remaining_packet_payload(client->wsi) > 0) {
        return 0;
    }
    if (!take_token(client)) {
        return disconnect(client->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    }
    count(server, &server->counts.messages, 1);
    if (!handle(server, client)) {
        count(server, &server->counts.invalid, 1);
        if (++client->invalid >= INVALID_MOST) {
            return disconnect(client->wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION);
        }
    }
    client->length = 0;
    return 0;
}

/* ---- connections */

static int on_established(Server *server, Client *client, struct lws *wsi)
{
    pending_remove(server, wsi);
    lws_set_timer_usecs(wsi, LWS_SET_TIMER_USEC_CANCEL);
    if (atomic_load(&server->client_count) >= server->clients_most) {
        return -1;
    }
    memset(client, 0, sizeof *client);
    client->wsi = wsi;
    client->number = ++server->next_number;
    client->hello_due = true;
    client->tokens = RATE;
    client->refilled = pending_time();
    client->next = server->clients;
    server->clients = client;
    atomic_fetch_add(&server->client_count, 1);
    count(server, &server->counts.accepted, 1);
    if (!server->steering) {
        server->steering = client->number;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static void on_closed(Server *server, Client *client)
{
    Client **link = &server->clients, *oldest = NULL;
    while (*link && *link != client) {
        link = &(*link)->next;
    }
    if (!*link) { /* it was refused */
        return;
    }
    *link = client->next;
    atomic_fetch_sub(&server->client_count, 1);
    if (client->sending) {
        board_release(&server->board, client->sending);
        client->sending = NULL;
    }
    if (server->steering == client->number) {
        for (Client *one = server->clients; one; one = one->next) {
            oldest = !oldest || one->number < oldest->number ? one : oldest;
        }
        server->steering = 0;
        give_steering(server, oldest);
    }
}

int client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    Server *server = server_of(wsi);
    Client *client = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: {
        char path[8], version[8];
        bool right = lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) > 0 && strcmp(path, "/ws") == 0 &&
                     lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_VERSION) > 0 && strcmp(version, "13") == 0;
        bool allowed = right && request_allowed(server, wsi, true) && !server->closing &&
                       atomic_load(&server->client_count) < server->clients_most;
        if (!allowed) {
            count(server, &server->counts.refused, 1);
        }
        return allowed ? 0 : -1;
    }
    case LWS_CALLBACK_ESTABLISHED: return on_established(server, client, wsi);
    case LWS_CALLBACK_CLOSED: on_closed(server, client); return 0;
    case LWS_CALLBACK_RECEIVE: return on_receive(server, client, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE: return on_writable(server, client);
    default: return 0;
    }
}
