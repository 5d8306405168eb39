/* SPDX-License-Identifier: MIT
 * Mean outputs of heads over the rows of all texts, or of a file; and texts that stand in for
 * others of their length. */
#include <math.h>
#include <string.h>

#include "cmd/ablate.h"
#include "weights/npz.h"

struct ablate_means {
    double *sum[N_STACK];       /* [L, H d_v]; NULL: the model has no such heads */
    int64_t n_rows[N_STACK];
    struct ablate_values values;
};

/* ---- room ---- */

static int layers_of(const struct ablate_job *j, int stack)
{
    return ablate_model(j, (enum stack_id)stack)->config.n_layers;
}

static int width_of(const struct ablate_job *j, int stack)
{
    const struct config *config = &ablate_model(j, (enum stack_id)stack)->config;

    return config->n_heads * config->d_value;
}

static bool has_stack(const struct ablate_job *j, int stack)
{
    for (int i = 0; i < j->n_heads; i++)
        if ((int)j->head[i].stack == stack)
            return true;
    return false;
}

static struct ablate_means *means_new(const struct ablate_job *j)
{
    struct arena *a = j->job.s.a;
    struct ablate_means *m = arena_alloc(a, 1, sizeof *m);

    m->values.one_row = true;
    for (int stack = 0; stack < N_STACK; stack++) {
        size_t L = (size_t)layers_of(j, stack), width = (size_t)width_of(j, stack);
        float **z = arena_alloc(a, L, sizeof *z);

        if (!has_stack(j, stack))
            continue;
        m->sum[stack] = arena_alloc(a, L, width * sizeof *m->sum[stack]);
        for (size_t l = 0; l < L; l++)
            z[l] = arena_alloc(a, width, sizeof **z);
        m->values.z[stack] = z;
    }
    return m;
}

/* ---- of all texts ---- */

static void add_rows(double *sum, const float *z, int64_t n_rows, int width)
{
    for (int64_t i = 0; i < n_rows; i++)
        for (int k = 0; k < width; k++)
            sum[k] += (double)z[i * width + k];
}

static int add_text(void *self, struct arena *a, const struct item *item, struct err *e)
{
    struct ablate_job *j = self;
    struct ablate_run run = { .j = j, .a = a, .item = *item };

    if (ablate_run(&run, true, e) != 0)
        return -1;
    for (int stack = 0; stack < N_STACK; stack++) {
        int n = stack == STACK_ENCODER && run.encoded != NULL ? run.S : run.T;
        int width = width_of(j, stack);

        if (j->means->sum[stack] == NULL)
            continue;
        for (int l = 0; l < layers_of(j, stack); l++)
            add_rows(j->means->sum[stack] + (int64_t)l * width, run.z[stack][l], n, width);
        j->means->n_rows[stack] += n;
    }
    return 0;
}

static void divide(const struct ablate_job *j, struct ablate_means *m)
{
    for (int stack = 0; stack < N_STACK; stack++)
        for (int l = 0; m->sum[stack] != NULL && l < layers_of(j, stack); l++)
            for (int k = 0, width = width_of(j, stack); k < width; k++)
                m->values.z[stack][l][k] =
                    m->n_rows[stack] > 0 ? (float)(m->sum[stack][l * width + k] /
                                                   (double)m->n_rows[stack]) : 0;
}

/* ---- files ---- */

static int write_file(const struct ablate_job *j, const char *path, struct err *e)
{
    const struct ablate_means *m = j->means;
    struct out out;
    struct npz *npz;

    if (out_open(&out, path, OUT_SEEKABLE, e) != 0)
        return -1;
    npz = npz_new(j->job.s.a, out.file);
    for (int stack = 0; stack < N_STACK; stack++) {
        const struct config *config = &ablate_model(j, (enum stack_id)stack)->config;
        const int64_t shape[] = { config->n_layers, config->n_heads, config->d_value };
        int i, width = width_of(j, stack);

        if (m->sum[stack] == NULL)
            continue;
        i = npz_add(npz, family_stack_names[stack], DTYPE_F32, 3, shape);
        for (int l = 0; l < config->n_layers; l++)
            npz_put(npz, i, (int64_t)l * width, m->values.z[stack][l], width);
    }
    if (npz_finish(npz, e) == 0)
        return out_commit(&out, e);
    out_abort(&out);
    return -1;
}

static int read_stack(const struct ablate_job *j, const struct weights *w, const char *path,
                      int stack, struct err *e)
{
    const struct config *config = &ablate_model(j, (enum stack_id)stack)->config;
    const int64_t want[] = { config->n_layers, config->n_heads, config->d_value };
    const struct tensor *t = weights_find(w, family_stack_names[stack]);
    int width = width_of(j, stack);

    if (t == NULL)
        return err_set(e, ERR_INPUT, "%s: holds no array %s, expected one [%d,%d,%d]", path,
                       family_stack_names[stack], config->n_layers, config->n_heads,
                       config->d_value);
    if (t->n_dims != 3 || memcmp(t->shape, want, sizeof want) != 0)
        return err_set(e, ERR_INPUT, "%s: %s: shape %s, expected [%d,%d,%d] of %s", path,
                       t->name, tensor_shape(j->job.s.a, t), config->n_layers,
                       config->n_heads, config->d_value, j->job.s.model->name);
    for (int l = 0; l < config->n_layers; l++)
        for (int k = 0; k < width; k++) {
            float *to = &j->means->values.z[stack][l][k];

            tensor_read(to, t, (int64_t)l * width + k, 1);
            if (!isfinite(*to))
                return err_set(e, ERR_INPUT, "%s: %s: a mean of layer %d, head %d is not "
                               "finite", path, t->name, l, k / config->d_value);
        }
    return 0;
}

static int read_file(struct ablate_job *j, const char *path, struct err *e)
{
    struct weights *w = npz_open(j->job.s.a, path, e);
    int status = w != NULL ? 0 : -1;

    for (int stack = 0; status == 0 && stack < N_STACK; stack++)
        if (j->means->sum[stack] != NULL)
            status = read_stack(j, w, path, stack, e);
    weights_close(w);
    return status;
}

static bool is_piped(const struct asked *asked)
{
    return asked->file == NULL || strcmp(asked->file, "-") == 0;
}

int ablate_means(struct ablate_job *j, struct err *e)
{
    const struct ablate_args *args = j->args;

    if (args->with != ABLATE_MEAN)
        return 0;
    j->means = means_new(j);
    if (args->means != NULL)
        return read_file(j, args->means, e);
    if (j->job.shard.n > 0 && is_piped(&args->shared.asked))
        return err_set(e, ERR_USAGE, "--with mean: a shard of texts from a pipe requires "
                       "--means FILE");
    if (ablate_each(j, add_text, j, e) != 0)
        return -1;
    divide(j, j->means);
    return args->means_out != NULL ? write_file(j, args->means_out, e) : 0;
}

const struct ablate_values *ablate_means_values(const struct ablate_means *m)
{
    return &m->values;
}

/* ---- partners ---- */

struct ablate_partners {
    struct arena arena;         /* lives through the texts */
    struct item *item;          /* [n] of one length each: ids and types alone */
    int n;
};

static void release(void *arena)
{
    arena_finish(arena);
}

struct ablate_partners *ablate_partners_new(struct arena *like)
{
    struct ablate_partners *p = arena_alloc(like, 1, sizeof *p);

    arena_init(&p->arena, like->full, like->self);
    arena_own(like, release, &p->arena);
    return p;
}

static struct item *find(const struct ablate_partners *p, const struct item *item)
{
    for (int i = 0; i < p->n; i++)
        if (p->item[i].tokens.n == item->tokens.n && p->item[i].target.n == item->target.n)
            return &p->item[i];
    return NULL;
}

static struct tokens room_for(struct arena *a, const struct tokens *t)
{
    return (struct tokens){ .n = t->n, .id = arena_alloc(a, (size_t)t->n, sizeof(int)),
                            .type = arena_alloc(a, (size_t)t->n, sizeof(int)) };
}

static struct item *add(struct ablate_partners *p, const struct item *item)
{
    p->item = arena_regrow(&p->arena, p->item, (size_t)p->n, (uint64_t)p->n + 1,
                           sizeof *p->item);
    p->item[p->n] = (struct item){ .text = "", .tokens = room_for(&p->arena, &item->tokens),
                                   .target = room_for(&p->arena, &item->target) };
    return &p->item[p->n++];
}

static void copy_tokens(struct tokens *to, const struct tokens *from)
{
    if (from->n == 0)
        return;
    memcpy(to->id, from->id, (size_t)from->n * sizeof *to->id);
    memcpy(to->type, from->type, (size_t)from->n * sizeof *to->type);
}

static void keep(struct ablate_partners *p, struct item *at, const struct item *item)
{
    if (at == NULL)
        at = add(p, item);
    copy_tokens(&at->tokens, &item->tokens);
    copy_tokens(&at->target, &item->target);
    at->index = item->index;
}

int ablate_partner(struct ablate_job *j, struct arena *a, const struct item *item,
                   const struct ablate_values **out, struct err *e)
{
    struct item *partner = find(j->partners, item);
    struct ablate_values *values = arena_alloc(a, 1, sizeof *values);
    struct ablate_run run = { .j = j, .a = a };
    int status = 0;

    *out = NULL;
    if (partner != NULL) {
        run.item = *partner;
        status = ablate_run(&run, true, e);
        memcpy(values->z, run.z, sizeof values->z);
        *out = values;
    }
    keep(j->partners, partner, item);
    return status;
}

void ablate_partner_passed(void *self, const struct item *item)
{
    struct ablate_job *j = self;

    keep(j->partners, find(j->partners, item), item);
}
