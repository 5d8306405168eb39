/* SPDX-License-Identifier: MIT
 * Labels, captions and metadata of pictures of texts. */
#include "task/figure/figure.h"

#include <stdlib.h>
#include <string.h>

#include "draw/scale.h"
#include "session/shown/region.h"
#include "task/common/provenance.h"

const char figure_sink[] = "last column: what a sink takes that is not a key";

struct label_list figure_labels(struct arena *a, const struct tokens *tokens, const int *place,
                                int n_shown)
{
    const char **text = arena_alloc(a, (size_t)n_shown, sizeof *text);
    size_t *size = arena_alloc(a, (size_t)n_shown, sizeof *size);
    int *position = arena_alloc(a, (size_t)n_shown, sizeof *position);
    struct label_list list;
    int second = 0, type = 0;

    for (int i = 0; i < tokens->n; i++)
        if (place[i] >= 0) {
            if (tokens->type[i] != type && place[i] > 0 && second == 0)
                second = place[i];
            type = tokens->type[i];
            text[place[i]] = tokens->label[i];
            size[place[i]] = tokens->label_size[i];
            position[place[i]] = i;
        }
    list = (struct label_list){ n_shown, text, size, position, NULL, NULL, second };
    label_join(a, &list);
    label_sentences(a, &list);
    return list;
}

/* "(a)", ... "(z)", "(aa)", ... of the panels. */
static const char *letter(struct arena *a, int i)
{
    const char *letters = arena_printf(a, "%c", 'a' + i % 26);

    for (i /= 26; i > 0; i = (i - 1) / 26)
        letters = arena_printf(a, "%c%s", 'a' + (i - 1) % 26, letters);
    return arena_printf(a, "(%s)", letters);
}

const char *figure_title(struct arena *a, const struct figure_args *args, const char *of, int i)
{
    of = args->no_titles ? NULL : of;
    if (!args->letters)
        return of;
    return of == NULL ? letter(a, i) : arena_printf(a, "%s %s", letter(a, i), of);
}

static char *quoted(struct arena *a, const char *text, size_t n)
{
    enum { MAX = 300 };         /* bytes: about three lines */
    size_t keep = n < MAX ? n : MAX;

    while (keep < n && keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80)
        keep--;
    return arena_printf(a, "“%.*s%s”", (int)keep, text, keep < n ? "…" : "");
}

const char *figure_text(struct arena *a, const struct item *item)
{
    char *text = arena_strdup(a, "");

    if (item->input != NULL)
        text = arena_printf(a, ", %s", item->input);
    if (item->text_size > 0)
        text = arena_printf(a, "%s, %s", text, quoted(a, item->text, item->text_size));
    if (item->pair != NULL)
        text = arena_printf(a, "%s and %s", text, quoted(a, item->pair, item->pair_size));
    if (item->generated != NULL) {
        size_t blank = strspn(item->generated, " ");

        text = arena_printf(a, "%s, generated %s", text,
                            quoted(a, item->generated + blank,
                                   item->generated_size - blank));
    }
    return text;
}

const char *figure_changes(struct arena *a, const struct asked *asked)
{
    char *text = arena_strdup(a, "");

    if (asked->mask != NULL)
        text = arena_printf(a, "; mask %s", asked->mask);
    if (asked->memory_mask != NULL)
        text = arena_printf(a, "%s; memory mask %s", text, asked->memory_mask);
    if (asked->dtype != PRECISION_F32)
        text = arena_printf(a, "%s; %s in %s", text,
                            precision_is_of_linears((enum precision)asked->dtype) ?
                            "linears" : "inputs of products", precision_names[asked->dtype]);
    if (asked->fast != FAST_NONE)
        text = arena_printf(a, "%s; linears multiplied in %s", text, fast_names[asked->fast]);
    return text;
}

struct label_list figure_numbered(struct arena *a, char letter, const int *number, int n)
{
    const char **text = arena_alloc(a, (size_t)n, sizeof *text);

    for (int i = 0; i < n; i++)
        text[i] = arena_printf(a, "%c%d", letter, number != NULL ? number[i] : i);
    return (struct label_list){ n, text, NULL, NULL };
}

/* By ranks that are all different. */
static void order(const struct session *session, int *number, int n,
                  int (*rank)(const struct session *session, int number))
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && rank(session, number[k]) < rank(session, number[k - 1]); k--) {
            int swap = number[k];

            number[k] = number[k - 1];
            number[k - 1] = swap;
        }
}

void figure_order_layers(const struct session *session, int *number, int n)
{
    order(session, number, n, session_layer_rank);
}

void figure_order_heads(const struct session *session, int *number, int n)
{
    order(session, number, n, session_head_rank);
}

int figure_axis(struct map_axis *axis, const struct session *session, const struct item *item,
                bool queries, struct arena *a, int *kept, struct err *e)
{
    const struct tokens *t = queries ? session_queries(session, item) : session_keys(session, item);
    const unsigned char *out;

    if (region_axis(session, item, queries, a, &out, e) != 0)
        return -1;
    *axis = (struct map_axis){ t->n, out };
    *kept = t->n;
    for (int i = 0; out != NULL && i < t->n; i++)
        *kept -= out[i] != 0;
    return 0;
}

/* ---- where colours end ---- */

enum { LONG_TEXT = 100 };           /* tokens: from here on one sink would leave one colour */

/* 0: none; -1: neither that nor a percentage. */
static double clip_share(const char *clip)
{
    size_t n = strlen(clip);
    char *end;
    double percent;

    if (strcmp(clip, "none") == 0)
        return 0.0;
    if (n < 2 || clip[n - 1] != '%' || !(clip[0] >= '0' && clip[0] <= '9'))
        return -1.0;
    percent = strtod(clip, &end);
    return end == clip + n - 1 && percent > 0.0 && percent <= 100.0 ? percent / 100.0 : -1.0;
}

int figure_check_clip(const struct figure_args *args, struct err *e)
{
    double share = args->clip != NULL ? clip_share(args->clip) : 0.0;

    if (share < 0.0)
        return err_set(e, ERR_USAGE, "--clip: '%s': expected a percentage above 0%% and up to "
                       "100%%, such as 99%%, or none", args->clip);
    if (share > 0.0 && args->scale == SCALE_ROW)
        return err_set(e, ERR_USAGE, "--clip %s: --scale row has no end to move", args->clip);
    return 0;
}

double figure_clip(const struct figure_args *args, int n_rows, int n_cols, bool ranged)
{
    if (args->clip != NULL)
        return clip_share(args->clip);
    if (ranged || args->scale == SCALE_ROW || (n_rows <= LONG_TEXT && n_cols <= LONG_TEXT))
        return 0.0;
    return 0.99;
}

const char *figure_scale(struct arena *a, const struct figure_args *args, const char *of,
                         bool ranged, double clip)
{
    const char *range = ranged ? "given range" :
                        args->shared_scale ? arena_printf(a, "one range for all %ss", of) :
                        arena_printf(a, "each %s its own range", of);

    return arena_printf(a, clip > 0.0 ? "%s, %s, clipped at %g%%" : "%s, %s",
                        scale_names[args->scale], range, clip * 100.0);
}

/* ---- metadata ---- */

/* Of the run, and up to n_more pairs of what is drawn, whose value NULL leaves one out. */
static const struct metadata *metadata_of(const struct session *session, struct arena *a,
                                          const struct item *item, const struct metadata *more,
                                          int n_more)
{
    const struct provenance *p = provenance_of(session->provenance, a, item);
    struct provenance_pair pair[PROVENANCE_PAIRS];
    struct metadata *all;
    int n_pairs, n = 0;

    if (p == NULL)
        return NULL;
    n_pairs = provenance_pairs(p, a, pair);
    all = arena_alloc(a, (uint64_t)(n_pairs + n_more) + 1, sizeof *all);
    for (int i = 0; i < n_pairs; i++)
        all[n++] = (struct metadata){ pair[i].key, pair[i].value };
    for (int i = 0; i < n_more; i++)
        if (more[i].value != NULL)
            all[n++] = more[i];
    return all;
}

const struct metadata *figure_metadata_run(const struct session *session, struct arena *a,
                                           const struct item *item)
{
    return metadata_of(session, a, item, NULL, 0);
}

const struct metadata *figure_metadata_map(const struct session *session, struct arena *a,
                                           const struct item *item, const char *layers,
                                           const char *scale)
{
    const struct metadata more[] = { { "mha-viz:layer", layers },
                                     { "mha-viz:stack", family_stack_names[session->stack] },
                                     { "mha-viz:scale", scale } };

    return metadata_of(session, a, item, more, 3);
}
