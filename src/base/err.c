/* SPDX-License-Identifier: MIT
 * Messages that are safe to print, whatever a file put into them. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Copies src to dst[size], escaping what a terminal might obey. */
static void clean(char *dst, size_t size, const char *src)
{
    static const char cut[] = "\xe2\x80\xa6";
    size_t count = strlen(src), at = 0, out = 0;

    while (at < count) {
        char piece[8];
        int len = utf8_show(src + at, count - at, piece);
        size_t want = strlen(piece);

        if (out + want + sizeof cut > size) {
            memcpy(dst + out, cut, sizeof cut);
            return;
        }
        memcpy(dst + out, piece, want);
        out += want;
        at += (size_t)len;
    }
    dst[out] = '\0';
}

static void format_clean(char *dst, size_t size, const char *fmt, va_list ap)
{
    char raw[1024];

    vsnprintf(raw, sizeof raw, fmt, ap);
    clean(dst, size, raw);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;

    e->kind = kind;
    e->reach = ERR_OF_ONE;
    e->absent = false;
    va_start(ap, fmt);
    format_clean(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    return -1;
}

int err_reaches(struct err *e, enum err_reach reach)
{
    e->reach = reach;
    return -1;
}

int err_is_absent(struct err *e)
{
    e->absent = true;
    return -1;
}

int err_under(struct err *e, const char *fmt, ...)
{
    char old[sizeof e->msg], both[2 * sizeof e->msg + 3], context[sizeof e->msg];
    va_list ap;

    memcpy(old, e->msg, sizeof old);
    va_start(ap, fmt);
    format_clean(context, sizeof context, fmt, ap);
    va_end(ap);
    snprintf(both, sizeof both, "%s: %s", context, old);
    clean(e->msg, sizeof e->msg, both);
    return -1;
}

void err_warn_left_out(const struct warn *warn, struct err *unheard, const char *file,
                       const char *fmt, ...)
{
    char why[sizeof unheard->msg];
    va_list ap;

    va_start(ap, fmt);
    format_clean(why, sizeof why, fmt, ap);
    va_end(ap);
    if (warn != NULL && warn->fn != NULL)
        err_warn(warn, "%s: %s", file, why);
    else if (unheard->kind == ERR_NONE)
        err_set(unheard, ERR_INPUT, "%s", why);
}

int err_because(struct err *e, const struct err *unheard)
{
    char old[sizeof e->msg], both[2 * sizeof e->msg + 3];

    if (unheard->kind == ERR_NONE)
        return -1;
    memcpy(old, e->msg, sizeof old);
    snprintf(both, sizeof both, "%s: %s", old, unheard->msg);
    clean(e->msg, sizeof e->msg, both);
    return -1;
}

void err_warn(const struct warn *warn, const char *fmt, ...)
{
    char msg[640];
    va_list ap;

    if (warn == NULL || warn->fn == NULL)
        return;
    va_start(ap, fmt);
    format_clean(msg, sizeof msg, fmt, ap);
    va_end(ap);
    warn->fn(warn->self, msg);
}
