/* SPDX-License-Identifier: MIT
 * Sources of arrays instead of texts: --input, pictures and sound, rows of a bare layer,
 * precomputed attention. */
#include "session/source/layer.h"
#include "session/source/media.h"
#include "session/source/precomputed.h"
#include "session/source/source.h"

struct array_source {
    struct source source;
    struct values *values;      /* [n] */
    const struct pixels *seen;  /* the picture that they are of; NULL: none */
    struct layer_input layer;   /* of a bare layer, instead of values */
    struct operand pair;        /* the decoder's text, the same for all; NULL: none */
    int n_taken;
};

static struct array_source *new_source(const struct session *session, const char *name, int n,
                                       int (*next)(struct source *self, struct arena *a,
                                                   struct item *out, struct err *e))
{
    struct array_source *arrays = arena_alloc(session->a, 1, sizeof *arrays);

    arrays->source = (struct source){ .s = session, .name = name, .unit = "array", .n = n,
                                      .is_file = n > 1, .next = next };
    return arrays;
}

/* ---- a model that reads arrays ---- */

static int next_array(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct array_source *arrays = (struct array_source *)self;
    const struct model *model = self->s->model;
    const struct values *values = &arrays->values[arrays->n_taken];
    struct err never;

    (void)e;
    if (arrays->n_taken == self->n)
        return SOURCE_END;
    out->index = arrays->n_taken;
    out->values = *values;
    out->seen = arrays->seen;
    out->input = self->n == 1 ? self->name : arena_printf(a, "%s[%d]", self->name, arrays->n_taken);
    arrays->n_taken++;
    out->pair = arrays->pair.text;
    out->pair_size = arrays->pair.size;
    values_describe(a, model, values, front_positions(model, values, &never), &out->tokens);
    return SOURCE_TEXT;
}

struct source *source_arrays(const struct session *session, const struct operand *pair,
                             struct err *e)
{
    const char *file = asked_array(session->asked);
    struct array_source *arrays = new_source(session, file, 0, next_array);
    int count = 1, status;

    if (session->asked->image != NULL)
        status = media_picture(session->a, session->model, file, &arrays->values, &arrays->seen, e);
    else if (session->asked->audio != NULL)
        status = media_sound(session->a, session->model, file, session->env->warn, &arrays->values,
                             e);
    else
        status = values_read(session->a, session->model, session->asked->arrays, file,
                             &arrays->values, &count, e);
    if (status != 0)
        return NULL;
    arrays->source.n = count;
    arrays->source.is_file = count > 1;
    if (pair != NULL)
        arrays->pair = *pair;
    return &arrays->source;
}

/* ---- a bare layer ---- */

static int next_rows(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct array_source *arrays = (struct array_source *)self;

    (void)e;
    if (arrays->n_taken == self->n)
        return SOURCE_END;
    layer_input_item(&arrays->layer, self->s, a, arrays->n_taken++, out);
    return SOURCE_TEXT;
}

struct source *source_layer(struct session *session, struct err *e)
{
    struct array_source *arrays;
    struct layer_input layer;

    if (layer_input_open(&layer, session, e) != 0)
        return NULL;
    arrays = new_source(session, layer.name, layer.n, next_rows);
    arrays->layer = layer;
    arrays->source.drawn = layer.drawn;
    return &arrays->source;
}

/* ---- what was read before ---- */

struct handed_source {
    struct source source;
    const struct item *item;
    bool taken;
};

static int next_handed(struct source *self, struct arena *a, struct item *out, struct err *e)
{
    struct handed_source *handed = (struct handed_source *)self;
    bool of_several = out->of_several;

    (void)a, (void)e;
    if (handed->taken)
        return SOURCE_END;
    handed->taken = true;
    *out = *handed->item;
    out->of_several = of_several;
    for (int i = 0; i < N_SIDE; i++)
        out->shown[i] = (struct item_shown){ .out = NULL };
    return SOURCE_TEXT;
}

struct source *source_handed(const struct session *session, const struct item *item)
{
    struct handed_source *handed = arena_alloc(session->a, 1, sizeof *handed);

    handed->source = (struct source){ .s = session, .name = item->input, .unit = "array", .n = 1,
                                      .next = next_handed };
    handed->item = item;
    return &handed->source;
}

/* ---- precomputed attention ---- */

static int next_precomputed(struct source *self, struct arena *a, struct item *out,
                            struct err *e)
{
    struct array_source *arrays = (struct array_source *)self;

    if (arrays->n_taken == self->n)
        return SOURCE_END;
    arrays->n_taken++;
    return precomputed_item(self->s, a, out, e) == 0 ? SOURCE_TEXT : SOURCE_FAILED;
}

struct source *source_precomputed(const struct session *session)
{
    return &new_source(session, session->asked->input, 1, next_precomputed)->source;
}
