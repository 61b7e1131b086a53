/* _tree(text [, form]): the tree of a kernel text, for tests and tools/tree.lua. */
#include "binding/binding.h"

#include "kernel/pass/analyze.h"
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

void open_kernel_tree(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_tree", rill_tree}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
