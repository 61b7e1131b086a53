/* HTTP: checks requests, and serves the files of the page. */
#include "live/connection.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Compares two texts in a time that does not depend on where they differ. */
static bool same_key(const char *key, const char *given)
{
    size_t length = strlen(key);
    unsigned difference = 0;
    if (strlen(given) != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        difference |= (unsigned)((unsigned char)key[i] ^ (unsigned char)given[i]);
    }
    return difference == 0;
}

bool request_parse_address(const char *text, unsigned char *bytes)
{
    memset(bytes, 0, ADDRESS_BYTES);
    bytes[0] = inet_pton(AF_INET6, text, bytes + 1) == 1 ? 6 : inet_pton(AF_INET, text, bytes + 1) == 1 ? 4 : 0;
    return bytes[0] != 0;
}

/* Copies the name in a Host header, without port and brackets. Returns false unless it is "name" or "name:port". */
static bool host_name(const char *host, char *name, size_t size)
{
    bool bracket = host[0] == '[';
    const char *from = bracket ? host + 1 : host;
    size_t length = strcspn(from, bracket ? "]" : ":");
    const char *rest = from + length + (bracket && from[length] == ']');
    size_t digits = rest[0] == ':' ? strspn(rest + 1, "0123456789") : 0;
    bool ended = rest[0] == '\0' || (digits > 0 && digits <= 5 && rest[1 + digits] == '\0');
    if (length == 0 || length >= size || !ended || (bracket && from[length] != ']')) {
        return false;
    }
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

/* Other names are refused: a page of another site could have made its name mean this machine (DNS rebinding). */
static bool host_allowed(const Server *server, const char *host)
{
    static const unsigned char zero[ADDRESS_BYTES - 1];
    char name[HOST_MOST], own[HOST_MOST] = "";
    unsigned char address[ADDRESS_BYTES], listen[ADDRESS_BYTES];
    if (!host_name(host, name, sizeof name)) {
        return false;
    }
    bool numeric = request_parse_address(name, address);
    bool any = request_parse_address(server->listen, listen) && memcmp(listen + 1, zero, sizeof zero) == 0;
    if (any && (numeric || (gethostname(own, sizeof own - 1) == 0 && strcasecmp(name, own) == 0))) {
        return true;
    }
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 || strcmp(name, "::1") == 0 ||
           (numeric && memcmp(address, listen, sizeof address) == 0); /* an IPv6 address has several texts */
}

bool request_allowed(const Server *server, struct lws *wsi, bool websocket)
{
    char host[HOST_MOST + 8], origin[HOST_MOST + 16], expected[HOST_MOST + 16], key[KEY_MOST + 8];
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !host_allowed(server, host)) {
        return false;
    }
    const char *given = lws_get_urlarg_by_name(wsi, "key=", key, sizeof key);
    if (!given || !same_key(server->key, given)) {
        return false;
    }
    if (!websocket) {
        return true;
    }
    snprintf(expected, sizeof expected, "http://%s", host);
    return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 && strcasecmp(origin, expected) == 0;
}

/* Writes a response. `body` has LWS_PRE bytes before it. */
static int respond(struct lws *wsi, unsigned status, const char *type, const char *body, size_t length)
{
    static const char *const headers[][2] = {
        {"content-security-policy:",
         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
         "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
        {"x-content-type-options:", "nosniff"},
        {"referrer-policy:", "no-referrer"},
        {"cache-control:", "no-store"},
        {"x-frame-options:", "DENY"},
        {"cross-origin-resource-policy:", "same-origin"},
        {"cross-origin-opener-policy:", "same-origin"},
    };
    unsigned char buffer[LWS_PRE + 1536], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(wsi, status, type, (lws_filepos_t)length, &at, end)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[i][0], (const unsigned char *)headers[i][1],
                                        (int)strlen(headers[i][1]), &at, end)) {
            return -1;
        }
    }
    if (lws_finalize_write_http_header(wsi, start, &at, end)) {
        return -1;
    }
    if (length > 0 && lws_write(wsi, (unsigned char *)body, length, LWS_WRITE_HTTP_FINAL) < 0) {
        return -1;
    }
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int reply(struct lws *wsi, unsigned status, const char *text)
{
    char body[LWS_PRE + 64];
    int length = snprintf(body + LWS_PRE, sizeof body - LWS_PRE, "%s\n", text);
    respond(wsi, status, "text/plain", body + LWS_PRE, (size_t)length);
    return -1;
}

int request_answer(Server *server, struct lws *wsi, const char *path)
{
    if (!request_allowed(server, wsi, false)) {
        pthread_mutex_lock(&server->board.mutex);
        server->counts.refused++;
        pthread_mutex_unlock(&server->board.mutex);
        return reply(wsi, HTTP_STATUS_FORBIDDEN, "forbidden");
    }
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI)) {
        return reply(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET is allowed");
    }
    lws_set_timer_usecs(wsi, TRANSFER_SECONDS * LWS_US_PER_SEC);
    for (int i = 0; i < server->file_count; i++) {
        const ServerFile *file = &server->files[i];
        if (strcmp(path, file->path) == 0) {
            return respond(wsi, HTTP_STATUS_OK, file->type, file->body, file->length);
        }
    }
    return reply(wsi, HTTP_STATUS_NOT_FOUND, "not found");
}
