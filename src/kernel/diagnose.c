/* Translates errors of the GLSL compiler to the names and lines of the kernel text. */
#include "kernel/kernel_private.h"
#include "kernel/text/foreign.h"
#include "kernel/text/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Parses the position in "0:12(5): error: ..." (Mesa), "0(12) : error C0000: ..." (NVIDIA, which
 * gives no column: 0) or "ERROR: 0:12: ..." (others). */
static bool parse_place(const char *line, int *row, int *column, const char **message)
{
    const char *p = line;
    if (strncmp(p, "ERROR: ", 7) == 0) {
        p += 7;
    }
    char *end;
    strtol(p, &end, 10);
    if (end == p || (*end != ':' && *end != '(')) {
        return false;
    }
    bool brackets = *end == '(';
    *row = (int)strtol(end + 1, &end, 10);
    *column = brackets ? 0 : 1;
    if (!brackets && *end == '(') {
        *column = (int)strtol(end + 1, &end, 10);
    }
    while (*end == ')' || *end == ':' || *end == ' ') {
        end++;
    }
    *message = end;
    return *row > 0;
}

static bool is_error(const char *line, size_t length)
{
    for (size_t i = 0; i + 5 <= length; i++) {
        if (strncasecmp(line + i, "error", 5) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the text between the first pair of quotation marks; NULL if there is none. */
static const char *quoted(const char *text, size_t length, size_t *count)
{
    const char *first = memchr(text, '"', length);
    const char *last = first ? memchr(first + 1, '"', length - (size_t)(first + 1 - text)) : NULL;
    *count = last ? (size_t)(last - first - 1) : 0;
    return last ? first + 1 : NULL;
}

/* Writes messages of NVIDIA ("error C1503: undefined variable "x"") in the wording of Mesa, which
 * later stages and callers expect. */
static void reword(StrBuf *out, const char *text, size_t length)
{
    static const char *const words[][3] = {
        {"undefined variable \"", "`", "' undeclared"},
        {"unable to find compatible overloaded function \"", "no matching function for call to `", "'"}};
    size_t n = length > 7 && memcmp(text, "error C", 7) == 0 ? 7 : 0;
    while (n > 0 && n < length && isdigit((unsigned char)text[n])) {
        n++;
    }
    if (n <= 7 || n + 2 > length || text[n] != ':') {
        strbuf_add_bytes(out, text, length);
        return;
    }
    text += n + 2;
    length -= n + 2;
    size_t count;
    const char *name = quoted(text, length, &count);
    strbuf_add(out, "error: ");
    for (size_t i = 0; name && i < sizeof words / sizeof *words; i++) {
        const size_t head = strlen(words[i][0]);
        if (length > head && memcmp(text, words[i][0], head) == 0) {
            strbuf_addf(out, "%s%.*s%s", words[i][1], (int)count, name, words[i][2]);
            return;
        }
    }
    if (memmem(text, length, "implicit ", 9) && memmem(text, length, "to \"bool\"", 9)) {
        strbuf_add(out, "a condition is a bool: compare, as in x != 0");
        return;
    }
    strbuf_add_bytes(out, text, length);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *row_of(const char *source, int row)
{
    for (int i = 1; i < row && source; i++) {
        const char *next = strchr(source, '\n');
        source = next ? next + 1 : NULL;
    }
    return source;
}

/* Returns the column of a position, counted as in offset_of. */
static int column_of(const char *line, const char *at)
{
    int column = 1;
    for (const char *p = line; p < at; p++, column++) {
        while (p[0] == ' ' && p[1] == ' ') {
            p++;
        }
    }
    return column;
}

/* Finds the position of an error for NVIDIA, which gives no column, and for an expression over
 * several rows gives the last one. Searches for the name that the message quotes, in that row or a
 * few rows above. Without a name it takes the row before one that only closes brackets. */
static void find_column(const char *source, const char *message, size_t length, int *row, int *column)
{
    enum { ROWS = 4 };
    size_t count;
    /* Messages about conversions quote types. */
    const char *name = memmem(message, length, "implicit", 8) ? NULL : quoted(message, length, &count), *line;
    size_t letters = 0;
    while (name && letters < count && is_word(name[letters])) {
        letters++;
    }
    for (int at = *row; letters > 0 && at > 0 && at > *row - ROWS && (line = row_of(source, at)); at--) {
        const size_t width = strcspn(line, "\n");
        for (const char *p = line; (p = memmem(p, width - (size_t)(p - line), name, letters)); p++) {
            if ((p == line || !is_word(p[-1])) && !is_word(p[letters])) {
                *row = at;
                *column = column_of(line, p);
                return;
            }
        }
    }
    while (*row > 1 && (line = row_of(source, *row)) && strchr(")}", line[strspn(line, " \t")])) {
        --*row;
    }
}

/* Returns the offset of a row and column. Mesa counts columns after its preprocessor, which
 * replaces any run of blanks by one. */
static size_t offset_of(const char *source, int row, int column)
{
    const char *p = source;
    for (int i = 1; i < row; i++) {
        const char *next = strchr(p, '\n');
        if (!next) {
            return strlen(source);
        }
        p = next + 1;
    }
    for (int i = 1; i < column && *p && *p != '\n'; i++) {
        while (p[0] == ' ' && p[1] == ' ') {
            p++;
        }
        p++;
    }
    return (size_t)(p - source);
}

static bool is_param(const Module *module, const char *word, size_t length)
{
    for (size_t i = 0; i < module->functions.count; i++) {
        const Function *f = &module->functions.items[i];
        for (int k = 0; k < f->param_count; k++) {
            if (strlen(f->params[k].name) == length && memcmp(f->params[k].name, word, length) == 0) {
                return true;
            }
        }
    }
    return false;
}

static size_t digits(const char *word, size_t at, size_t length)
{
    while (at < length && isdigit((unsigned char)word[at])) {
        at++;
    }
    return at;
}

/* Returns the length of the prefix before the user's name in a generated one: u_x, u2_x, sh1_x, m_x
 * for fields; g_x, n_x ... for parameters. */
static size_t strip(const Module *module, const char *word, size_t length)
{
    static const char *const prefixes[] = {"g_",    "q_",    "n_",     "nl_", "s_", "at_",    "size_",
                                           "data_", "load_", "fetch_", "w_",  "r_", "rill_v_"};
    size_t start = word[0] == 'u' || word[0] == 'o' || (word[0] == 'm' && word[1] == '_') ? 1
                   : length > 2 && memcmp(word, "sh", 2) == 0                             ? 2
                                                                                          : 0;
    size_t end = digits(word, start, length);
    if (start && end + 1 < length && word[end] == '_') {
        return end + 1;
    }
    if (length > 5 && memcmp(word, "rill_", 5) == 0 &&
        names_builtin(&(Token){.kind = TOKEN_NAME, .text = word + 5, .length = (int)length - 5})) {
        return 5; /* a function of GLSL or Brook that the prelude defines */
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (length > n && memcmp(word, prefixes[i], n) == 0 && is_param(module, word + n, length - n)) {
            return n;
        }
    }
    return 0;
}

/* Functions of the prelude that may occur in a message, and what is wrong in that case. */
static const char *const marks[][2] = {
    {"rill_ix(", "error: an index is an int, uint or float, or a vector of them: u[i][j] takes two"},
    {"rill_own(", "error: an index of an array is an int or uint"},
    {"rill_exit(", "error: a condition is a bool: compare, as in x != 0"},
    {"rill_truth(", "error: a condition is a bool: compare, as in x != 0"},
    {"rill_yes(", "error: a condition is a bool: compare, as in x != 0"},
    {"rill_case(", "error: a switch takes an int or uint"},
    {"rill_push_", "error: push(name, value) takes one value, of the variable output's type"},
    {"rill_rem", "error: a remainder takes ints and uints: write mod(x, y) or fmod(x, y) for floats"},
    {"rill_seen(", "error: a quotient takes numbers, vectors and matrices"},
    {"rill_kept(", "error: an element of storage takes a number or a vector"},
};

/* Returns the length of the word at the beginning of a text. */
static size_t word_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (isalnum((unsigned char)text[n]) || text[n] == '_')) {
        n++;
    }
    return n;
}

static void add_message(const Module *module, StrBuf *out, const char *text, size_t length)
{
    const char *candidates = memmem(text, length, "; candidates are:", 17);
    length = candidates ? (size_t)(candidates - text) : length;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (memmem(text, length, marks[i][0], strlen(marks[i][0]))) {
            strbuf_add(out, marks[i][1]);
            return;
        }
    }
    for (size_t i = 0; i < length;) {
        size_t n = word_length(text + i, length - i);
        if (n == 0) {
            strbuf_add_bytes(out, text + i, 1);
            i++;
            continue;
        }
        size_t skip = strip(module, text + i, n);
        strbuf_add_bytes(out, text + i + skip, n - skip);
        i += n;
    }
}

/* Returns the function of the text that a message names, or NULL. */
static const Function *function_named(const Module *module, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t n = word_length(text + i, length - i);
        size_t skip = n > 0 ? strip(module, text + i, n) : 0;
        for (size_t k = 0; skip > 0 && k < module->functions.count; k++) {
            const char *name = module->functions.items[k].name;
            if (strlen(name) == n - skip && memcmp(name, text + i + skip, n - skip) == 0) {
                return &module->functions.items[k];
            }
        }
        i += n > 0 ? n : 1;
    }
    return NULL;
}

/* Finds the position in the kernel text of a line of the log. A missing return is reported after
 * the body: the function's position is used. */
static bool text_position(const Module *module, const Body *body, const char *source, size_t body_at, int row,
                          int column, const char *message, size_t length, size_t *at)
{
    size_t offset = offset_of(source, row, column);
    if (offset >= body_at && offset < body_at + body->text.length && body_source(body, offset - body_at, at)) {
        return true;
    }
    const Function *f = memmem(message, length, "return", 6) ? function_named(module, message, length) : NULL;
    *at = f ? f->offset : 0;
    return f != NULL;
}

/* Returns the token at an offset of the source; NULL if there is none. */
static const Token *token_at(const Module *module, size_t offset)
{
    for (size_t i = 0; i < module->tokens.count; i++) {
        if (module->tokens.items[i].offset == offset) {
            return &module->tokens.items[i];
        }
    }
    return NULL;
}

/* Returns whether a token is a name that begins a statement, but names no type. */
static bool is_unknown_type(const Module *module, const Token *t)
{
    static const char *const starts[] = {";", "{", "}", "(", ")", NULL};
    const Type *type;
    int matrix, used;
    return t > module->tokens.items && t->kind == TOKEN_NAME && token_any(t - 1, starts) && !names_reserved(t) &&
           !module_type(module, t, &type, &matrix, &used);
}

/* Writes a syntax error. Compilers call tokens by internal names, such as NEW_IDENTIFIER: the message shows the token
 * instead. Returns false for another message. */
static bool add_syntax(const Module *module, StrBuf *out, const char *text, const Token *at)
{
    static const char mark[] = "unexpected ";
    const char *word = strstr(text, mark);
    if (!word || !at || at->kind == TOKEN_END) {
        return false;
    }
    word += sizeof mark - 1;
    size_t length = word_length(word, strlen(word));
    if (at->kind == TOKEN_NAME && is_unknown_type(module, at - 1)) {
        strbuf_addf(out, "error: '%.*s' is not a type", at[-1].length, at[-1].text);
        Nearest n = foreign_nearest(at - 1);
        for (size_t i = 0; i < module->structs.count; i++) {
            foreign_try(&n, module->structs.items[i]->name);
        }
        foreign_type(out, param_kinds, at - 1, n);
        return true;
    }
    strbuf_add_bytes(out, text, (size_t)(word - text));
    if (length > 0) {
        strbuf_addf(out, "'%.*s'", at->length, at->text);
    }
    strbuf_add(out, word + length);
    return true;
}

/* Returns the gather that a call of sizeof_list names; NULL for another token. */
static const Param *list_named(const Module *module, const Token *at)
{
    const Param *found = NULL;
    for (size_t i = 0; i < module->functions.count && token_is(at, "sizeof_list"); i++) {
        const Function *f = &module->functions.items[i];
        for (int k = 0; k < f->param_count && f->offset <= at->offset; k++) {
            found = token_is(at + 2, f->params[k].name) ? &f->params[k] : found;
        }
    }
    return found;
}

/* Returns the number of components in the types of a call in a message, "`z_a(int, ivec2)'"; 0 if there are none. */
static int components_in(const char *text)
{
    int count = 0;
    text = strstr(text, "call to `");
    text = text ? strchr(text, '(') : NULL;
    while (text && *text && *text != ')') {
        const size_t n = strcspn(++text, ",)");
        count += n > 0 && isdigit((unsigned char)text[n - 1]) ? text[n - 1] - '0' : n > 0;
        text += n;
    }
    return count;
}

/* Writes that sizeof_list has an incorrect number of indices. */
static bool add_list(const Module *module, StrBuf *out, const char *text, const Token *at)
{
    const Param *param = at && strstr(text, "no matching function") ? list_named(module, at) : NULL;
    int count = components_in(text);
    if (!param || count + 1 == param->rank) {
        return false;
    }
    static const char brackets[] = "[][][][][][][][]"; /* SHAPE_MAX_RANK pairs */
    strbuf_addf(out, "error: '%s %s%.*s' takes %d ind%s in sizeof_list, one for each pair of brackets except the last",
                param->type->name, param->name, 2 * param->rank, brackets, param->rank - 1,
                param->rank == 2 ? "ex" : "ices");
    if (count > 0) {
        strbuf_addf(out, ": %d %s '%s %s%.*s'", count, count == 1 ? "index needs" : "indices need", param->type->name,
                    param->name, 2 * count + 2, brackets);
    }
    return true;
}

/* Writes a message, and what to write instead. */
static void add_explained(const Module *module, StrBuf *out, const char *text, const Token *at)
{
    if (add_syntax(module, out, text, at) || add_list(module, out, text, at)) {
        return;
    }
    if (strstr(text, "call to `not(")) {
        strbuf_add(out, "error: 'not' is a function of vectors of bool: write ! for a bool");
        return;
    }
    strbuf_add(out, text);
    if (strstr(text, "HS of `^' must be") || strstr(text, "\"^\"")) {
        strbuf_add(out, "; ^ is exclusive or: write pow(x, y) for a power");
    } else if (strstr(text, "length called on scalar")) {
        strbuf_add(out, "; sizeof_stream(name).x is the number of elements of a stream");
    } else if (at && strstr(text, "no function with name")) {
        foreign_function(out, module, at);
    } else if (at && strstr(text, "undeclared")) {
        foreign_value(out, at);
    }
}

bool diagnose(const Module *module, const Body *body, const char *source, size_t body_at, const char *log)
{
    char *copy = strdup(log);
    if (!copy) {
        return error_set("out of host memory");
    }
    bool found = false;
    for (char *line = copy; *line && !found;) {
        size_t length = strcspn(line, "\n");
        int row, column;
        size_t at;
        const char *message;
        if (is_error(line, length) && parse_place(line, &row, &column, &message)) {
            size_t rest = length - (size_t)(message - line);
            const char *pushes = NULL;
            if (column == 0) {
                pushes =
                    memmem(message, rest, "parameters in function call", 27) || memmem(message, rest, "implicit ", 9)
                        ? row_of(source, row)
                        : NULL;
                pushes = pushes ? memmem(pushes, strcspn(pushes, "\n"), "rill_push_", 10) : NULL;
                find_column(source, message, rest, &row, &column);
            }
            if (text_position(module, body, source, body_at, row, column, message, rest, &at)) {
                StrBuf text = STRBUF_EMPTY, words = STRBUF_EMPTY, explained = STRBUF_EMPTY;
                reword(&words, pushes ? pushes : message, pushes ? 10 : rest);
                add_message(module, &text, strbuf_text(&words), words.length);
                add_explained(module, &explained, strbuf_text(&text), token_at(module, at));
                const char *sentence = strbuf_text(&explained);
                source_error(&module->source, at, "%s", sentence + (strncmp(sentence, "error: ", 7) == 0 ? 7 : 0));
                strbuf_free(&words);
                strbuf_free(&text);
                strbuf_free(&explained);
                found = true;
            }
        }
        line += length + (line[length] == '\n');
    }
    if (!found) {
        error_set("%s:%d: the device's compiler rejects this kernel: %s", module->source.chunk,
                  module->source.first_line, copy);
    }
    free(copy);
    return false;
}
