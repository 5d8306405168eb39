/* SPDX-License-Identifier: MIT
 * Any bytes -> a word that a POSIX shell reads as these bytes. */
#include "cli/shell.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Of what a byte may become: "$(printf '\377')", with quotes that end and begin around it. */
enum { MOST_OF_BYTE = 24 };

struct word {
    char *to;
    size_t n;
    bool quoted, escaped;       /* within '…'; within "$(printf '…')" */
};

static void shell_put(struct word *word, const char *s, size_t n)
{
    memcpy(word->to + word->n, s, n);
    word->n += n;
}

/* Ends what is open, and opens what is asked for. */
static void turn_to(struct word *word, bool quoted, bool escaped)
{
    if (word->quoted != quoted)
        shell_put(word, "'", word->quoted ? 1 : 0);
    if (word->escaped != escaped)
        shell_put(word, escaped ? "\"$(printf '" : "')\"", escaped ? 11 : 3);
    if (word->quoted != quoted)
        shell_put(word, "'", quoted ? 1 : 0);
    word->quoted = quoted;
    word->escaped = escaped;
}

static void put_escaped(struct word *word, const char *s, size_t n)
{
    char octal[8];

    turn_to(word, false, true);
    for (size_t i = 0; i < n; i++) {
        snprintf(octal, sizeof octal, "\\%03o", (unsigned)(unsigned char)s[i]);
        shell_put(word, octal, 4);
    }
}

static bool shell_is_plain(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    return *s != '\0' && *s != '=' && s[strspn(s, plain)] == '\0';
}

char *shell_word(struct arena *a, const char *s)
{
    size_t size = strlen(s), n_bytes;
    struct word word = { .to = arena_alloc(a, size + 1, MOST_OF_BYTE) };

    if (shell_is_plain(s))
        return arena_strdup(a, s);
    turn_to(&word, true, false);
    for (size_t at = 0; at < size; at += n_bytes) {
        int code, length = utf8_decode(s + at, size - at, &code);

        n_bytes = length > 0 ? (size_t)length : 1;
        if (length < 0 || (code != '\n' && utf8_is_control(code)) || utf8_is_noncharacter(code)) {
            put_escaped(&word, s + at, n_bytes);
        } else if (code == '\'') {
            turn_to(&word, false, false);
            shell_put(&word, "\\'", 2);
        } else {
            turn_to(&word, true, false);
            shell_put(&word, s + at, n_bytes);
        }
    }
    turn_to(&word, false, false);
    return word.to;
}
