/* SPDX-License-Identifier: MIT
 * --max-memory -> a limit in bytes; texts -> the bytes that they take. */
#include "session/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/system.h"
#include "run/prepared.h"

static const double MIB = 1 << 20;

/* NaN: no such size. */
static double session_memory_parse(const char *text)
{
    static const char suffixes[] = "KMG";
    size_t digits = strspn(text, "0123456789");
    const char *suffix = text[digits] != '\0' ? strchr(suffixes, text[digits]) : NULL;
    double unit = 1;

    if (digits == 0 || digits > 15 || (text[digits] != '\0' && suffix == NULL) ||
        (suffix != NULL && text[digits + 1] != '\0'))
        return NAN;
    for (const char *s = suffixes; suffix != NULL && s <= suffix; s++)
        unit *= 1024;
    return strtod(text, NULL) * unit;
}

int memory_open(const struct session *session, struct memory_limit *out, struct err *e)
{
    const char *text = session->asked->max_memory;

    *out = (struct memory_limit){ INFINITY, 0 };
    if (text == NULL)
        return 0;
    out->allowed = session_memory_parse(text);
    if (isnan(out->allowed))
        return err_set(e, ERR_USAGE, "--max-memory: '%s': expected a number of bytes, or one with "
                       "K, M or G: 512M", text);
    out->base = system_own_bytes();
    if (out->base < out->allowed)
        return 0;
    return err_set(e, ERR_USAGE, "--max-memory: %.1f MiB are allowed, and %.1f MiB are needed "
                   "before any text is read", out->allowed / MIB, out->base / MIB);
}

double memory_of_pass(const struct session *session, int n_tokens, int n_target)
{
    const struct model *m = session->model;
    const struct model *last = m->decoder != NULL ? m->decoder : m;
    int n_threads = par_threads(session->par);
    double bytes = run_memory(m, &session->change, n_tokens, n_threads) +
                   (session->n_generate > 0 ? prepared_memory(last, &session->change) : 0);

    if (m->decoder == NULL || n_target == 0)
        return bytes;
    /* Then what the decoder reads of the encoder: its output, and keys and values. */
    return bytes + run_memory(m->decoder, &session->change, n_target, n_threads) +
           (double)sizeof(float) * n_tokens *
               (m->d_hidden + m->decoder->config.n_kv_heads *
                                  (m->decoder->config.d_head + m->decoder->config.d_value));
}

double memory_spare(const struct session *session, double needed)
{
    double own = system_own_bytes(), room = system_free_memory("") / 2;
    double allowed = session->asked->max_memory != NULL ?
                         session_memory_parse(session->asked->max_memory) - own :
                         INFINITY;

    return fmax(fmin(room, allowed) - needed, 0);
}

int memory_check(const struct memory_limit *limit, const struct item *item, double bytes,
                 struct err *e)
{
    if (limit->base + bytes <= limit->allowed)
        return 0;
    return err_set(e, ERR_INPUT, "the text has %d token%s, which need %.1f MiB of memory: "
                   "--max-memory allows %.1f MiB, of which %.1f are taken", item->tokens.n,
                   str_plural(item->tokens.n), bytes / MIB, limit->allowed / MIB,
                   limit->base / MIB);
}
