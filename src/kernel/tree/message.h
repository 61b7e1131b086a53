/* The errors or notes of a kernel text. They are collected, so that one message reports all of them. */
#ifndef RILL_KERNEL_TREE_MESSAGE_H
#define RILL_KERNEL_TREE_MESSAGE_H

#include "base/strbuf.h"
#include "kernel/text/source.h"
#include "kernel/text/token.h"

enum { MAX_MESSAGES = 10 };

typedef struct Message {
    size_t offset; /* in the source */
    int length;    /* of the underlined part */
    size_t macro;  /* 1 + offset in the definition of the macro that contains the token; 0: none */
    char *text;    /* the sentence, and after a line end the remedy, if there is one */
} Message;

typedef struct Messages {
    const SourceText *source;
    Message items[MAX_MESSAGES];
    int count;
    bool notes;  /* they are no errors */
    bool failed; /* host memory was exhausted */
} Messages;

/* Empties the list. */
void message_free(Messages *messages);
/* Adds an error at a token: a sentence, and optionally "\n" and a remedy. Has no effect if the list is full. */
void message_add(Messages *messages, const Token *token, const char *format, ...) ERROR_PRINTF(3, 4);
/* Adds an error at the place after a token. */
void message_add_after(Messages *messages, const Token *token, const char *format, ...) ERROR_PRINTF(3, 4);
/* Appends message i in the order of the text, from 0, with its line. */
void message_write_at(const Messages *messages, int i, StrBuf *out);
/* Appends all messages in the order of the text and, if there are several, their number. */
void message_write(const Messages *messages, StrBuf *out);

#endif
