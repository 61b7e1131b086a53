/* What is known about a kernel text: its notes; for the command its errors (_lint); for tests and tools/tree.lua its tree
 * (_tree). */
#include "binding/kernels/kernel.h"

#include "binding/binding.h"
#include "kernel/check/analyze.h"
#include "kernel/check/notes.h"
#include "kernel/text/lexer.h"
#include "kernel/tree/parse.h"
#include "kernel/tree/print.h"

#include <string.h>

typedef struct Text {
    SourceText source;
    TokenList tokens;
    Tree tree;
    Messages messages;
} Text;

static bool print(Text *text, const char *from, size_t length, const char *form, StrBuf *out)
{
    if (!source_create(&text->source, from, length, "text", 1) || !lexer_run(&text->source, &text->tokens) ||
        !parse_module(&text->tree, &text->source, &text->tokens, &text->messages)) {
        return false;
    }
    if (strcmp(form, "types") == 0 && !analyze_tree(&text->tree, &text->messages)) {
        return false;
    }
    if (!analyze_report(&text->messages)) {
        return false;
    }
    (strcmp(form, "text") == 0 ? print_text : print_nodes)(&text->tree, text->tree.root, out);
    return strbuf_whole(strbuf_text(out));
}

/* Returns the text that the tree prints (form "text", the default), or a line for each node (form "nodes"; form "types"
 * with types). Raises the errors of the text. */
static int rill_tree(lua_State *L)
{
    size_t length;
    const char *from = luaL_checklstring(L, 1, &length);
    Text text = {0};
    StrBuf out = STRBUF_EMPTY;
    bool done = print(&text, from, length, luaL_optstring(L, 2, "text"), &out);
    if (done) {
        lua_pushlstring(L, strbuf_text(&out), out.length);
    }
    strbuf_free(&out);
    message_free(&text.messages);
    node_free(&text.tree);
    token_list_free(&text.tokens);
    source_free(&text.source);
    return done ? 1 : luaL_error(L, "%s", error_message());
}

/* Pushes a list of the messages, and frees them. Releases the module to which they belong, unless it is NULL. */
static int push_messages(lua_State *L, Messages *messages, Module *module)
{
    StrBuf text = STRBUF_EMPTY;
    int count = messages->count;
    for (int i = 0; i < count; i++) {
        message_write_at(messages, i, &text);
        strbuf_add_bytes(&text, "", 1);
    }
    message_free(messages);
    module_release(module);
    bool whole = strbuf_whole(strbuf_text(&text));
    lua_pushlstring(L, strbuf_text(&text), whole ? text.length : 0);
    strbuf_free(&text);
    if (!whole) {
        binding_raise(L);
    }
    const char *next = lua_tostring(L, -1);
    lua_createtable(L, count, 0);
    for (int i = 1; i <= count; i++) {
        lua_pushstring(L, next);
        lua_rawseti(L, -2, i);
        next += strlen(next) + 1;
    }
    return 1;
}

int kernel_tree_notes(lua_State *L, const Kernel *kernel)
{
    const Module *module = kernel_module(kernel);
    Messages notes = {.source = &module->source, .notes = true};
    pass_notes(module->tree, &notes);
    return push_messages(L, &notes, NULL);
}

/* Returns the errors of a text or, if there are none, its notes: _lint(text, chunk, line [, brook]). */
static int rill_lint(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length), *chunk = luaL_checkstring(L, 2);
    Messages messages;
    Module *module = analyze_begin(text, length, chunk, (int)luaL_checkinteger(L, 3),
                                   lua_toboolean(L, 4) ? TEXT_BROOK : TEXT_USER, &messages);
    if (!module) {
        binding_raise(L);
    }
    if (messages.count == 0) {
        messages.notes = true;
        pass_notes(module->tree, &messages);
    }
    return push_messages(L, &messages, module);
}

void open_kernel_tree(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_tree", rill_tree}, {"_lint", rill_lint}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
