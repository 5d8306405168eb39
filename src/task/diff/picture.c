/* SPDX-License-Identifier: MIT
 * One number per head -> a picture: a row per layer, a column per head. */
#include "task/diff/diff.h"
#include "task/figure/head_numbers.h"

const char *const diff_metrics[] = { "entropy", "js", "links_kept", NULL };

/* What each of them shows. */
static const struct shown {
    enum diff_number number;
    const char *title;
} shows[] = {
    { DIFF_ENTROPY_CHANGE, "change of entropy (nats)" },
    { DIFF_JS, "divergence (nats)" },
    { DIFF_LINKS_KEPT, "strongest links kept" },
};

struct numbers_of {
    const struct diff_picture *picture;
    enum diff_number number;
};

static double value(const void *of, int layer, int head)
{
    const struct numbers_of *o = of;

    return o->picture->value(o->picture->of, layer, head, o->number);
}

/* What is compared, of what, and what is changed on both sides. */
static const char *diff_picture_caption(const struct diff_picture *picture, struct arena *a)
{
    const struct diff_sides *d = picture->sides;
    const struct diff_side *side = &d->side[0];
    struct asked both = side->asked;
    const char *of = d->texts ? arena_printf(a, ", %s", side->s.model->name) :
                     picture->whole ? "" : figure_text(a, &side->item);

    if (d->args->masks.n == 2)
        both.mask = NULL;
    if (d->args->dtypes.n == 2)
        both.dtype = PRECISION_F32;
    if (d->args->fasts.n == 2)
        both.fast = FAST_NONE;
    return arena_printf(a, "%s%s%s", picture->title, of, figure_changes(a, &both));
}

int diff_draw(const struct diff_picture *picture, const struct output *output, const char *path,
              struct arena *a, struct err *e)
{
    const struct shown *shown = &shows[picture->sides->args->metric];
    const struct diff_side *first = &picture->sides->side[0];
    const struct numbers_of of = { picture, shown->number };
    const struct head_numbers numbers = {
        .s = &first->s, .want = &first->want, .value = value, .of = &of, .title = shown->title,
        .is_signed = shown->number == DIFF_ENTROPY_CHANGE,
        .most = shown->number == DIFF_LINKS_KEPT,
    };

    return head_numbers_draw(
        &numbers, &picture->sides->args->shared.figure, diff_picture_caption(picture, a),
        figure_metadata_map(&first->s, a, picture->whole ? NULL : &first->item, NULL, NULL), output,
        path, a, e);
}
