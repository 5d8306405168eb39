/* SPDX-License-Identifier: MIT
 * Messages about a bare layer's file: notes on assumptions if it is ambiguous; if it matches no
 * layout, its tensors and the nearest layouts. */
#include <ctype.h>
#include <string.h>

#include "model/layer/layer_priv.h"

enum { SHOWN = 6, NEAREST = 2 };

void layer_note(struct look *look, const char *note)
{
    look->note = look->note == NULL ? note : arena_printf(look->a, "%s; %s", look->note, note);
}

/* The parts of names that are there under any beginning and ending, letter case aside. */
static bool is_there(const struct weights *weights, const char *part)
{
    size_t size = strlen(part);

    for (int i = 0; i < weights_count(weights); i++) {
        const char *name = weights_at(weights, i)->name;

        for (const char *at = strcasestr(name, part); at != NULL;
             at = strcasestr(at + 1, part)) {
            bool begins = at == name || !isalnum((unsigned char)at[-1]);

            if (begins && !isalnum((unsigned char)at[size]))
                return true;
        }
    }
    return false;
}

/* How many of its parts are there, in eighths of all of them. */
static int nearness(const struct weights *weights, const struct naming *naming)
{
    int found = 0, all = 0;

    for (int i = 0; i < N_PART; i++)
        if (naming->part[i] != NULL) {
            all++;
            found += is_there(weights, naming->part[i]);
        }
    return found * 8 / all;
}

static const char *parts_text(struct arena *a, const struct naming *naming)
{
    const char *text = naming->part[PART_Q];

    for (int i = PART_K; i < N_PART; i++)
        if (naming->part[i] != NULL)
            text = arena_printf(a, "%s %s", text, naming->part[i]);
    return arena_printf(a, "%s (%s)", text, naming->writer);
}

/* "; the nearest are .. and ..", of those that have a part in common; "": none has. */
static const char *nearest_text(const struct look *look)
{
    const char *text = "";
    const struct naming *said[NEAREST] = { NULL };

    for (int round = 0; round < NEAREST; round++) {
        int best = 0;

        for (const struct naming *n = layer_naming; n->writer != NULL; n++) {
            int near = nearness(look->w, n);

            if (near > best && n != said[0]) {
                best = near;
                said[round] = n;
            }
        }
        if (said[round] != NULL)
            text = arena_printf(look->a, "%s%s%s", text, round == 0 ? "; nearest: " : ", ",
                                parts_text(look->a, said[round]));
    }
    return text;
}

static const char *found_text(const struct look *look)
{
    int count = weights_count(look->w), n = count > SHOWN ? SHOWN : count;
    const char *text = "";

    for (int i = 0; i < n; i++)
        text = arena_printf(look->a, "%s%s%.60s %s", text, i > 0 ? ", " : "",
                            weights_at(look->w, i)->name,
                            tensor_shape(look->a, weights_at(look->w, i)));
    return count > n ? arena_printf(look->a, "%s and %d more", text, count - n) : text;
}

int layer_unknown(const struct look *look)
{
    if (look->asked->names != NULL)
        return err_set(look->e, ERR_INPUT, "%s: has no tensors of the names %s%s%s; found: %s",
                       look->name, look->asked->names, look->asked->prefix != NULL ? " under " : "",
                       look->asked->prefix != NULL ? look->asked->prefix : "", found_text(look));
    if (look->asked->prefix != NULL)
        return err_set(look->e, ERR_INPUT, "%s: has no known layer under %s; found: %s", look->name,
                       look->asked->prefix, found_text(look));
    return err_set(look->e, ERR_INPUT, "%s: its tensor names match no known layer "
                   "(mha-viz-layers(7)), and there is no config.json next to it%s; give "
                   "--tensor-names Q,K,V,O; found: %s", look->name, nearest_text(look),
                   found_text(look));
}

int layer_incomplete(const struct look *look, const char *there, const char *missing)
{
    if (look->asked->names != NULL)
        return err_set(look->e, ERR_INPUT, "%s: has %s, but no tensor %s; found: %s", look->name,
                       there, missing, found_text(look));
    return err_set(look->e, ERR_INPUT,
                   "%s: has %s, but no tensor %s%s; --tensor-names Q,K,V,O gives "
                   "other names; found: %s",
                   look->name, there, missing, nearest_text(look), found_text(look));
}
