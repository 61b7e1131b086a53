/* Statements of Brook's dialect. A construct that is not a statement is copied, so that the
 * compiler reports the error. */
#include "kernel/dialect/brook_writer.h"

static bool statement(BrookWriter *w);

/* Converts an expression up to one of the marks in `ends` or a closing bracket; to *want, unless it is NULL. */
static bool expression(BrookWriter *w, const Value *want, const char *ends)
{
    Value value;
    size_t first = w->out.count;
    if (!brook_expression(w, 0, &value)) {
        return false;
    }
    size_t last = w->out.count;
    if (want && last > first && !brook_fit(w, first, &last, &value, *want)) {
        return false;
    }
    while (brook_next_is(w, ",") && *ends != ',') {
        if (!brook_put(w) || !brook_expression(w, 0, &value)) {
            return false;
        }
    }
    return brook_put_rest(w, ends);
}

static bool put_if(BrookWriter *w, const char *mark)
{
    return !brook_next_is(w, mark) || brook_put(w);
}

static bool condition(BrookWriter *w, const char *ends)
{
    Value truth = brook_value_of(VALUE_BOOL, 1);
    return expression(w, &truth, ends);
}

/* "(" condition ")" */
static bool bracketed(BrookWriter *w)
{
    return put_if(w, "(") && condition(w, "") && put_if(w, ")");
}

/* declarations */

static bool list(BrookWriter *w, Value value);

/* Converts "{a, b}" after the opening brace, whose items are numbers, vectors or lists of a column.
 * *count becomes the number of components; 0 if it is unknown. */
static bool matrix_items(BrookWriter *w, Value matrix, int *count)
{
    bool known = true;
    Value column = brook_value_column(matrix);
    for (*count = 0; w->at < w->last && !brook_next_is(w, "}");) {
        Value item = column;
        if (!(brook_next_is(w, "{") ? list(w, column) : brook_expression(w, 0, &item) && brook_put_rest(w, ",")) ||
            !put_if(w, ",")) {
            return false;
        }
        known = known && brook_value_plain(item);
        *count += item.count;
    }
    *count = known ? *count : 0;
    return true;
}

/* Converts "{a, b}" for a matrix, in the order of its constructor. */
static bool matrix_list(BrookWriter *w, Value matrix)
{
    size_t brace = w->out.count;
    int count, all = brook_value_columns(matrix) * brook_value_column(matrix).count;
    if (!brook_put(w) || !matrix_items(w, matrix, &count)) {
        return false;
    }
    if (count && count != all) {
        return source_error(&w->module->source, w->out.items[brace].offset,
                            "the list has %d number%s, the matrix %d components", count, count == 1 ? "" : "s", all);
    }
    if (!put_if(w, "}")) {
        return false;
    }
    brook_replace(w, w->out.count - 1, ")");
    brook_replace(w, brace, "(");
    return brook_insert(w, brace, brook_value_declared(matrix));
}

/* Converts "{a, b}": the elements of an array, the components of a vector or the fields of a structure. */
static bool list(BrookWriter *w, Value value)
{
    size_t brace = w->out.count;
    bool vector = brook_value_plain(value);
    if (value.matrix && value.brackets == 0) {
        return matrix_list(w, value);
    }
    Value item = vector ? brook_value_of(value.base, 1) : value;
    item.brackets -= value.brackets > 0;
    if (!brook_put(w)) {
        return false;
    }
    for (int k = 0; w->at < w->last && !brook_next_is(w, "}"); k++) {
        bool fields = !vector && value.brackets == 0 && value.base == VALUE_STRUCT && k < value.fields->field_count;
        Value want = fields ? brook_value(value.fields->fields[k].type, 0) : item;
        if (!(brook_next_is(w, "{") ? list(w, want) : expression(w, &want, ",")) || !put_if(w, ",")) {
            return false;
        }
    }
    size_t close = w->out.count;
    if (!put_if(w, "}") || !vector || w->out.count == close) {
        return true;
    }
    brook_replace(w, close, ")");
    brook_replace(w, brace, "(");
    return brook_insert(w, brace, brook_value_name(value));
}

static bool brackets(BrookWriter *w, int *count)
{
    *count = 0;
    while (brook_next_is(w, "[")) {
        ++*count;
        if (!brook_put(w) || !expression(w, NULL, "") || !put_if(w, "]")) {
            return false;
        }
    }
    return true;
}

bool brook_declaration(BrookWriter *w)
{
    const Type *type;
    int matrix, used, outer;
    if (!module_type(w->module, brook_peek(w), &type, &matrix, &used)) {
        return brook_put_rest(w, ";");
    }
    Value each = brook_value(type, matrix);
    if (!brook_put_until(w, w->at + (size_t)used) || !brackets(w, &outer)) {
        return false;
    }
    for (bool more = true; more; more = w->at < w->last && !brook_next_is(w, ";") && !brook_next_is(w, ")")) {
        Token name = *brook_peek(w);
        int inner;
        if (name.kind != TOKEN_NAME) {
            return brook_put_rest(w, ";");
        }
        if (!brook_put(w) || !brackets(w, &inner)) {
            return false;
        }
        Value value = each;
        value.brackets = outer + inner;
        if (brook_next_is(w, "=") &&
            !(brook_put(w) && (brook_next_is(w, "{") ? list(w, value) : expression(w, &value, ",;")))) {
            return false;
        }
        if (!brook_declare(w, &name, value) || !brook_put_rest(w, ",;") || !put_if(w, ",")) {
            return false;
        }
    }
    return true;
}

static bool is_qualifier(const Token *t)
{
    static const char *const words[] = {"const", "static", "shared", "precise", NULL};
    return token_any(t, words);
}

/* Returns whether "T name" or "T[n] name" follows. */
static bool is_declaration(const BrookWriter *w)
{
    const Type *type;
    int matrix, used;
    const Token *t = brook_peek(w);
    if (brook_name(w, t) || !module_type(w->module, t, &type, &matrix, &used)) {
        return false;
    }
    size_t at = w->at + (size_t)used;
    while (at < w->last && token_is(&w->module->tokens.items[at], "[")) {
        size_t close = module_close(w->module, at, w->last);
        at = close ? close : w->last;
    }
    return at < w->last && w->module->tokens.items[at].kind == TOKEN_NAME;
}

static bool simple(BrookWriter *w)
{
    while (is_qualifier(brook_peek(w))) {
        if (!brook_put(w)) {
            return false;
        }
    }
    return (is_declaration(w) ? brook_declaration(w) : expression(w, NULL, ";")) && brook_put_rest(w, ";");
}

/* control */

static bool for_loop(BrookWriter *w)
{
    w->depth++;
    bool done = brook_put(w) && put_if(w, "(") && simple(w) && put_if(w, ";") && condition(w, ";") && put_if(w, ";") &&
                expression(w, NULL, "") && put_if(w, ")") && statement(w);
    brook_leave(w);
    return done;
}

static bool do_loop(BrookWriter *w)
{
    return brook_put(w) && statement(w) && put_if(w, "while") && bracketed(w) && put_if(w, ";");
}

static bool branch(BrookWriter *w)
{
    return brook_put(w) && bracketed(w) && statement(w) &&
           (!brook_next_is(w, "else") || (brook_put(w) && statement(w)));
}

/* Copies "case n:" or "default:", which are separate statements here. */
static bool label(BrookWriter *w)
{
    return brook_put_rest(w, ":;") && put_if(w, ":");
}

static bool selection(BrookWriter *w)
{
    Value number = brook_value_of(VALUE_INT, 1);
    return brook_put(w) && put_if(w, "(") && expression(w, &number, "") && put_if(w, ")") && statement(w);
}

static bool result(BrookWriter *w)
{
    Value want = brook_value(w->function->result, w->function->result_matrix);
    return brook_put(w) && expression(w, &want, ";") && put_if(w, ";");
}

static bool block(BrookWriter *w)
{
    w->depth++;
    bool done = brook_put(w);
    while (done && w->at < w->last && !brook_next_is(w, "}")) {
        done = statement(w);
    }
    brook_leave(w);
    return done && put_if(w, "}");
}

static bool statement(BrookWriter *w)
{
    size_t before = w->at;
    bool done;
    if (brook_next_is(w, "{")) {
        done = block(w);
    } else if (brook_next_is(w, "if")) {
        done = branch(w);
    } else if (brook_next_is(w, "while")) {
        done = brook_put(w) && bracketed(w) && statement(w);
    } else if (brook_next_is(w, "for")) {
        done = for_loop(w);
    } else if (brook_next_is(w, "do")) {
        done = do_loop(w);
    } else if (brook_next_is(w, "switch")) {
        done = selection(w);
    } else if (brook_next_is(w, "case") || brook_next_is(w, "default")) {
        done = label(w);
    } else if (brook_next_is(w, "return") && w->function) {
        done = result(w);
    } else {
        done = simple(w) && put_if(w, ";");
    }
    return done && (w->at > before || w->at == w->last || brook_put(w)); /* a closing bracket without an opening one */
}

bool brook_statements(BrookWriter *w)
{
    while (w->at < w->last) {
        if (!statement(w)) {
            return false;
        }
    }
    return true;
}
