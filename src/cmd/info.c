/* SPDX-License-Identifier: MIT
 * info: a model's card: family, sizes, parameters by part, memory of a run. */
#include <inttypes.h>
#include <string.h>

#include "cmd/info.h"
#include "base/out.h"
#include "cmd/shared.h"
#include "report/report.h"

enum format { FORMAT_TABLE, FORMAT_JSON };
static const char *const formats[] = { "table", "json", NULL };

struct info_args {
    struct shared_args shared;
    const char *out;
    int format, tokens;
};

#define F(f) offsetof(struct info_args, f)
static const struct opt opts[] = {
    { .type = OPT_STRING, .short_name = 'o', .name = "output", .arg = "FILE",
      .field = F(out), .def = "-", .values = &opt_files,
      .help = "write here; - is standard output" },
    CHOICE(0, "format", "NAME", F(format), "table", formats, "report format"),
    ALIAS("json", "format=json", "one object"),
    INT('n', "tokens", "N", F(tokens), "512", 1, 1 << 24,
        "length of the run whose memory is estimated"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &model_group, &layer_group, &attention_group, NULL
};
static const char *const examples[] = { "mha-viz info", "mha-viz info --json", NULL };

/* ---- parameters ---- */

static const char *const parts[] = { "embeddings", "attention", "cross", "mlp", "norms",
                                      "head" };
enum { N_PART = sizeof parts / sizeof parts[0] };

struct count {
    int64_t weights, biases;
};

static void add(struct count *c, const struct param *p)
{
    if (p->weight != NULL)
        c->weights += p->weight->n_elements;
    if (p->bias_tensor != NULL)
        c->biases += p->bias_tensor->n_elements;
}

/* Shared layers are counted once; those of a group are its n_inner neighbours. */
static bool is_shared(const struct model *m, int l)
{
    int step = m->config.groups.n_inner > 0 ? m->config.groups.n_inner : 1;

    return l >= step &&
           m->layer[l].slot[W_O].weight == m->layer[l - step].slot[W_O].weight;
}

static void add_layer(struct count *c, const struct model *m, int l, int slot)
{
    const struct layer_plan *plan = &m->layer[l];

    if (family_slots[slot].count == PER_LAYER)
        add(c, &plan->slot[slot]);
    for (int x = 0; plan->expert != NULL && x < m->config.experts.n; x++)
        if (family_slots[slot].count == PER_EXPERT)
            add(c, slot == W_EXP_GATE ? &plan->expert[x].gate :
                   slot == W_EXP_UP ? &plan->expert[x].up : &plan->expert[x].down);
}

/* Tables that decoder and encoder share are counted once. */
static void add_stack(struct count *c, const struct model *m, const struct model *before,
                      const char *part)
{
    for (int s = 0; s < N_SLOT; s++) {
        const struct tensor *t = m->slot[s].weight;

        if (strcmp(family_slots[s].part, part) != 0)
            continue;
        if (family_slots[s].count == PER_STACK &&
            (before == NULL || t == NULL || t != before->slot[s].weight))
            add(c, &m->slot[s]);
        for (int l = 0; l < m->config.n_layers; l++)
            if (!is_shared(m, l))
                add_layer(c, m, l, s);
    }
}

static struct count count_part(const struct model *m, const char *part)
{
    struct count c = { 0 };

    add_stack(&c, m, NULL, part);
    if (m->decoder != NULL)
        add_stack(&c, m->decoder, m, part);
    return c;
}

/* A part that no bare layer has is left out there; cross-attention, elsewhere too. */
static bool is_shown(const struct model *m, const char *part)
{
    struct count c = count_part(m, part);

    if (m->family->bare || strcmp(part, "cross") == 0)
        return c.weights + c.biases > 0;
    return true;
}

/* The slots of the first attention: a layer's own, or all it has to another input. */
static enum slot first_projection(const struct model *m)
{
    return m->layer[0].slot[W_O].weight != NULL ? W_Q : W_CROSS_Q;
}

static enum slot last_projection(const struct model *m)
{
    return first_projection(m) == W_Q ? W_O : W_CROSS_O;
}

static struct count one_attention(const struct model *m)
{
    struct count c = { 0 };

    for (enum slot s = first_projection(m); s <= last_projection(m); s++)
        if (family_slots[s].kind == SLOT_LINEAR)
            add(&c, &m->layer[0].slot[s]);
    return c;
}

/* Each projection's outputs x inputs. */
static char *each_projection(struct arena *a, const struct model *m)
{
    char *sum = arena_strdup(a, "");

    for (enum slot s = first_projection(m); s <= last_projection(m); s++) {
        const struct param *p = &m->layer[0].slot[s];

        if (family_slots[s].kind == SLOT_LINEAR && p->weight != NULL)
            sum = arena_printf(a, "%s%s%d x %d", sum, sum[0] != '\0' ? " + " : "",
                               p->matrix.N, p->matrix.K);
    }
    return sum;
}

/* "4 x 512 x 512", 7 with projections of global rows; or the projections one by one where
 * their shapes differ. */
static char *attention_sum(struct arena *a, const struct model *m)
{
    const struct config *c = &m->config;
    int hd = c->n_heads * c->d_head, gd = c->n_kv_heads * c->d_head;

    if (m->family->qkv == QKV_LOW_RANK || first_projection(m) != W_Q ||
        c->d_value != c->d_head || m->layer[0].slot[W_REL_K].weight != NULL ||
        m->layer[0].slot[W_REL_Q].weight != NULL)
        return each_projection(a, m);
    if (hd == gd && hd == c->d_model)
        return arena_printf(a, "%d x %d x %d",
                            m->layer[0].slot[W_Q_GLOBAL].weight != NULL ? 7 : 4, hd, hd);
    return arena_printf(a, "2 x %d x %d + 2 x %d x %d", hd, c->d_model, gd, c->d_model);
}

/* Each head has rows of its own in the projections of queries, keys and values. */
static bool has_own_rows(const struct model *m)
{
    const struct param *slot = m->layer[0].slot;
    bool alike = m->family->qkv == QKV_SEPARATE && slot[W_K].weight == NULL &&
                 slot[W_CROSS_K].weight == NULL;        /* keys are queries */

    return m->config.n_kv_heads == m->config.n_heads && !alike &&
           m->family->qkv != QKV_LOW_RANK;
}

/* Weights that make one head's queries, keys and values. */
static int64_t one_head(const struct model *m)
{
    const struct config *c = &m->config;
    bool other = first_projection(m) != W_Q;
    int64_t keys = other ? family_slot_dim(m->family, c, DIM_KEY_INPUT) : c->d_model;
    int64_t values = other ? family_slot_dim(m->family, c, DIM_VALUE_INPUT) : c->d_model;

    return (c->d_model + keys) * c->d_head + values * c->d_value;
}

/* "512 x 64 x 3", or the sum where widths differ. */
static char *head_sum(struct arena *a, const struct model *m)
{
    const struct config *c = &m->config;
    int D = c->d_model, d = c->d_head;
    bool other = first_projection(m) != W_Q;
    int keys = other ? family_slot_dim(m->family, c, DIM_KEY_INPUT) : D;
    int values = other ? family_slot_dim(m->family, c, DIM_VALUE_INPUT) : D;

    if (keys == D && values == D && c->d_value == d)
        return arena_printf(a, "%d x %d x 3", D, d);
    return arena_printf(a, "%d x %d + %d x %d + %d x %d", D, d, keys, d, values, c->d_value);
}

/* A bare layer takes texts of any length, but for one table of positions. */
static bool any_length(const struct model *m)
{
    return m->family->bare && (m->config.relative.n_distances == 0 || m->config.relative.clip);
}

/* ---- the card ---- */

static int longest(const struct model *m, int n)
{
    return n < m->max_tokens ? n : m->max_tokens;
}

/* What the model reads instead of tokens, if it does. */
static void card_input(FILE *f, const struct model *m)
{
    const struct config *c = &m->config;
    int64_t dim[4];
    char shape[64];

    if (front_dims(m, dim) == 0)
        return;
    front_shape(m, shape);
    fprintf(f, "input       %s", shape);
    if (m->family->front == FRONT_PATCH)
        fprintf(f, " in patches of %d x %d", c->front.patch[0], c->front.patch[1]);
    fprintf(f, "\n");
}

/* The type of the first slot's weight: of the token embedding, mostly. */
static const char *weights_type(const struct model *m)
{
    const struct tensor *t = m->layer[0].slot[last_projection(m)].weight;

    for (int s = N_SLOT - 1; s >= 0; s--)
        if (m->slot[s].weight != NULL)
            t = m->slot[s].weight;
    return dtype_table[t->dtype].name;
}

static void card_vocabulary(FILE *f, const struct model *m)
{
    int n = m->config.n_vocab, target = m->decoder != NULL ? m->decoder->config.n_vocab : n;

    if (target == 0)
        return;
    fprintf(f, "vocabulary  %d", n > 0 ? n : target);
    if (n > 0 && target != n)
        fprintf(f, ", the decoder's %d", target);
    fprintf(f, "\n");
}

static void card_sizes(FILE *f, struct arena *a, const struct model *m)
{
    const struct config *c = &m->config;

    fprintf(f, "model       %s\n", report_clean(a, m->name, strlen(m->name)));
    fprintf(f, "family      %s, %s%s\n", m->family->name,
            family_stack_names[m->family->stack_id],
            m->layer[0].hi == 0 ? ", causal" : "");
    fprintf(f, "layers      %d\n", c->n_layers);
    fprintf(f, "heads       %d of width %d", c->n_heads, c->d_head);
    if (c->n_kv_heads != c->n_heads)
        fprintf(f, ", %d for keys and values", c->n_kv_heads);
    if (c->d_value != c->d_head)
        fprintf(f, ", values of width %d", c->d_value);
    fprintf(f, "\nwidth       %d", c->d_model);
    if (c->d_ff > 0)
        fprintf(f, ", mlp %d", c->d_ff);
    fprintf(f, "\n");
    if (c->experts.n > 0) {
        fprintf(f, "experts     %d of width %d, %d a token", c->experts.n, c->experts.d_ff,
                c->experts.n_chosen);
        if (c->experts.n_shared > 0)
            fprintf(f, ", %d shared", c->experts.n_shared);
        fprintf(f, "\n");
    }
    if (m->decoder != NULL)
        fprintf(f, "decoder     %d layers, %d heads of width %d, mlp %d, positions %d\n",
                m->decoder->config.n_layers, m->decoder->config.n_heads,
                m->decoder->config.d_head, m->decoder->config.d_ff,
                m->decoder->config.n_positions);
    card_input(f, m);
    card_vocabulary(f, m);
    if (!any_length(m))
        fprintf(f, "positions   %d\n", c->n_positions);
    fprintf(f, "weights     %s\n", weights_type(m));
    fprintf(f, "hash        %016" PRIx64 "\n\n", m->hash);
}

static void table_count(struct table *t, struct arena *a, const char *part,
                        struct count c)
{
    table_cell(t, "%s", part);
    table_cell(t, "%s", report_thousands(a, c.weights));
    table_cell(t, "%s", report_thousands(a, c.biases));
    table_cell(t, "%s", report_thousands(a, c.weights + c.biases));
}

static void print_card(FILE *f, struct arena *a, const struct model *m, int n,
                       int n_threads)
{
    static const struct table_column columns[] = {
        { "parameters", ALIGN_LEFT }, { "weights", ALIGN_RIGHT },
        { "biases", ALIGN_RIGHT }, { "sum", ALIGN_RIGHT },
    };
    struct table *t = table_new(a, columns, 4);
    struct count all = { 0 }, one = one_attention(m);

    card_sizes(f, a, m);
    for (int i = 0; i < N_PART; i++) {
        struct count c = count_part(m, parts[i]);

        all.weights += c.weights;
        all.biases += c.biases;
        if (is_shown(m, parts[i]))
            table_count(t, a, parts[i], c);
    }
    table_count(t, a, "all", all);
    table_print(t, f);
    fprintf(f, "\none attention layer: %s = %s weights, %s biases\n",
            attention_sum(a, m), report_thousands(a, one.weights),
            report_thousands(a, one.biases));
    if (has_own_rows(m))
        fprintf(f, "one head: %s = %s weights of q, k and v; %d heads x %d = %s columns\n",
                head_sum(a, m), report_thousands(a, one_head(m)), m->config.n_heads,
                m->config.d_head,
                report_thousands(a, (int64_t)m->config.n_heads * m->config.d_head));
    n = longest(m, n);
    fprintf(f, "memory of a run of %d tokens beyond the weights: %s\n", n,
            report_bytes(a, (uint64_t)run_memory(m, n, n_threads)));
}

static void json_count(struct jsonw *j, const char *key, struct count c)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_member_int(j, "weights", c.weights);
    jsonw_member_int(j, "biases", c.biases);
    jsonw_end(j, '}');
}

/* The shape of an array that the model reads; null: any length. */
static void json_input(struct jsonw *j, const struct model *m)
{
    int64_t dim[4];
    int n = front_dims(m, dim);

    if (n == 0)
        return;
    jsonw_key(j, "input");
    jsonw_array(j);
    for (int i = 0; i < n; i++) {
        if (dim[i] < 0)
            jsonw_null(j);
        else
            jsonw_int(j, dim[i]);
    }
    jsonw_end(j, ']');
}

static void print_json(FILE *f, struct arena *a, const struct model *m, int n,
                       int n_threads)
{
    const struct config *c = &m->config;
    const struct { const char *key; int value; } sizes[] = {
        { "layers", c->n_layers }, { "heads", c->n_heads },
        { "kv_heads", c->n_kv_heads }, { "d_model", c->d_model },
        { "d_head", c->d_head }, { "d_value", c->d_value },
        { "d_ff", c->d_ff }, { "vocab", c->n_vocab },
    };
    struct jsonw j;

    n = longest(m, n);
    jsonw_init(&j, f);
    jsonw_object(&j);
    jsonw_member_string(&j, "schema", "mha-viz/info/1");
    jsonw_member_string(&j, "model", m->name);
    jsonw_member_string(&j, "family", m->family->name);
    jsonw_member_string(&j, "stack", family_stack_names[m->family->stack_id]);
    jsonw_member_bool(&j, "causal", m->layer[0].hi == 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        jsonw_member_int(&j, sizes[i].key, sizes[i].value);
    jsonw_key(&j, "positions");
    if (any_length(m))
        jsonw_null(&j);
    else
        jsonw_int(&j, c->n_positions);
    json_input(&j, m);
    if (c->experts.n > 0) {
        jsonw_key(&j, "experts");
        jsonw_object(&j);
        jsonw_member_int(&j, "number", c->experts.n);
        jsonw_member_int(&j, "chosen", c->experts.n_chosen);
        jsonw_member_int(&j, "shared", c->experts.n_shared);
        jsonw_member_int(&j, "d_ff", c->experts.d_ff);
        jsonw_end(&j, '}');
    }
    if (m->decoder != NULL) {
        jsonw_key(&j, "decoder");
        jsonw_object(&j);
        jsonw_member_int(&j, "layers", m->decoder->config.n_layers);
        jsonw_member_int(&j, "heads", m->decoder->config.n_heads);
        jsonw_member_int(&j, "d_head", m->decoder->config.d_head);
        jsonw_member_int(&j, "d_ff", m->decoder->config.d_ff);
        jsonw_member_int(&j, "vocab", m->decoder->config.n_vocab);
        jsonw_member_int(&j, "positions", m->decoder->config.n_positions);
        jsonw_end(&j, '}');
    }
    jsonw_member_string(&j, "hash", arena_printf(a, "%016" PRIx64, m->hash));
    jsonw_key(&j, "parameters");
    jsonw_object(&j);
    for (int i = 0; i < N_PART; i++)
        if (is_shown(m, parts[i]))
            json_count(&j, parts[i], count_part(m, parts[i]));
    jsonw_end(&j, '}');
    json_count(&j, "attention_layer", one_attention(m));
    if (has_own_rows(m))
        jsonw_member_int(&j, "head_weights", one_head(m));
    jsonw_member_int(&j, "run_tokens", n);
    jsonw_member_int(&j, "run_bytes", (int64_t)run_memory(m, n, n_threads));
    jsonw_end(&j, '}');
    jsonw_newline(&j);
}

static int run(const void *args, int n_operands, char **operands, const struct env *env,
               struct err *e)
{
    const struct info_args *info = args;
    const char *path;
    struct model *m = session_model(&info->shared.asked, env, &path, e);
    struct out out;
    int rc = m != NULL ? out_open(&out, info->out, false, e) : -1;

    (void)n_operands;
    (void)operands;
    if (rc == 0 && m->precomputed != NULL) {
        info->format == FORMAT_JSON ? info_precomputed_json(out.file, m)
                                    : info_precomputed_card(out.file, env->arena, m);
        rc = out_commit(&out, e);
    } else if (rc == 0) {
        (info->format == FORMAT_JSON ? print_json : print_card)
            (out.file, env->arena, m, info->tokens, env->n_threads);
        rc = out_commit(&out, e);
    }
    model_close(m);
    return rc;
}

const struct cmd cmd_info = {
    .name = "info", .summary = "show a model's sizes, parameters and memory",
    .operands = "", .opts = opts, .groups = groups,
    .args_size = sizeof(struct info_args), .examples = examples,
    .max_operands = 0, .run = run,
};
