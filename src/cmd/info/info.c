/* SPDX-License-Identifier: MIT
 * info: a model's card: family, sizes, parameters by part, memory of a run; lists of models and
 * families. */
#include <inttypes.h>
#include <string.h>

#include "cmd/info/info.h"
#include "base/str.h"
#include "cli/output.h"
#include "model/family_slots.h"
#include "model/quirks.h"
#include "run/wave.h"
#include "task/provenance.h"

struct info_args {
    struct shared_args shared;
    int length;
    bool builtin, families;
};

#define F(f) offsetof(struct info_args, f)
static const struct opt opts[] = {
    INT('n', "length", "N", F(length), "512", 1, 1 << 24,
        "length of the run whose memory is estimated"),
    FLAG(0, "builtin", F(builtin), "list the built-in models instead",
         .excludes = "families|model|attention"),
    FLAG(0, "families", F(families), "list the families of models that can be read instead",
         .excludes = "model|attention"),
    END
};
#undef F

static const struct opt_group *const groups[] = {
    &output_reports.group, &model_group, &layer_group, &attention_group, NULL
};
static const char *const examples[] = { "mha-viz info", "mha-viz info --json",
                                        "mha-viz info --builtin", "mha-viz info --families", NULL };

/* ---- sums ---- */

/* Each projection's outputs x inputs. */
static char *each_projection(struct arena *a, const struct model *m)
{
    char *sum = arena_strdup(a, "");

    for (enum slot s = count_first(m); s <= count_last(m); s++) {
        const struct param *param = &model_attending(m)->slot[s];

        if (family_slots[s].kind == SLOT_LINEAR && param->weight != NULL)
            sum = arena_printf(a, "%s%s%d x %d", sum, sum[0] != '\0' ? " + " : "",
                               param->matrix.N, param->matrix.K);
    }
    return sum;
}

/* "4 x 512 x 512", 7 with projections of global rows; or the projections one by one where
 * their shapes differ. */
static char *attention_sum(struct arena *a, const struct model *m)
{
    const struct config *config = &m->config;
    const struct param *slot = model_attending(m)->slot;
    int hd = config->n_heads * config->d_head, gd = config->n_kv_heads * config->d_head;

    if (m->family->qkv == QKV_LOW_RANK || count_first(m) != W_Q || quirks_of(m->family)->q_gated ||
        config->d_value != config->d_head || slot[W_REL_K].weight != NULL ||
        slot[W_REL_Q].weight != NULL || slot[W_O].weight == NULL ||
        model_attention_width(m) != config->d_model)
        return each_projection(a, m);
    if (hd == gd && hd == config->d_model)
        return arena_printf(a, "%d x %d x %d",
                            slot[W_Q_GLOBAL].weight != NULL ? 7 : 4, hd, hd);
    return arena_printf(a, "2 x %d x %d + 2 x %d x %d", hd, config->d_model, gd,
                        config->d_model);
}

/* "512 x 64 x 3", or the sum where widths differ. */
static char *head_sum(struct arena *a, const struct model *m)
{
    const struct config *config = &m->config;
    int D = config->d_model, d = config->d_head;
    bool other = count_first(m) != W_Q;
    int keys = other ? family_slot_dim(m->family, config, DIM_KEY_INPUT) : D;
    int values = other ? family_slot_dim(m->family, config, DIM_VALUE_INPUT) : D;

    if (keys == D && values == D && config->d_value == d)
        return arena_printf(a, "%d x %d x 3", D, d);
    return arena_printf(a, "%d x %d + %d x %d + %d x %d", D, d, keys, d, values,
                        config->d_value);
}

/* ---- the card ---- */

/* What the model reads instead of tokens, if it does. */
static void card_input(FILE *f, const struct model *m)
{
    const struct config *config = &m->config;
    int64_t dim[4];
    char shape[64];

    if (front_dims(m, dim) == 0)
        return;
    front_shape(m, shape);
    fprintf(f, "input       %s", shape);
    if (m->family->front == FRONT_PATCH)
        fprintf(f, " in patches of %d x %d", config->front.patch[0],
                config->front.patch[1]);
    if (m->family->front == FRONT_WAVE)
        fprintf(f, " samples, %lld for a position, from each to the next %lld",
                (long long)wave_samples(config), (long long)wave_step(config));
    fprintf(f, "\n");
}

/* The type of the first slot's weight: of the token embedding, mostly. */
static const char *weights_type(const struct model *m)
{
    const struct param *slot = model_attending(m)->slot;
    const struct tensor *output = slot[count_last(m)].weight,
                        *tensor = output != NULL ? output : slot[count_first(m)].weight;

    for (int s = N_SLOT - 1; s >= 0; s--)
        if (m->slot[s].weight != NULL)
            tensor = m->slot[s].weight;
    return dtype_table[tensor->dtype].name;
}

static void card_vocabulary(FILE *f, const struct model *m)
{
    int count = m->config.n_vocab,
        target = m->decoder != NULL ? m->decoder->config.n_vocab : count;

    if (target == 0)
        return;
    fprintf(f, "vocabulary  %d", count > 0 ? count : target);
    if (count > 0 && target != count)
        fprintf(f, ", the decoder's %d", target);
    fprintf(f, "\n");
}

static void card_decoder(FILE *f, const struct model *m)
{
    const struct config *config = &m->config;

    fprintf(f, "decoder     %d layer%s, %d head%s of width %d, mlp %d", config->n_layers,
            str_plural(config->n_layers), config->n_heads, str_plural(config->n_heads),
            config->d_head, config->d_ff);
    if (!info_any_length(m))
        fprintf(f, ", positions %d", config->n_positions);
    fprintf(f, "\n");
}

/* Of a hybrid also which layers attend, and what the others do. */
static void card_layers(FILE *f, struct arena *a, const struct model *m)
{
    int L = m->config.n_layers, other = 0;

    fprintf(f, "layers      %d", L);
    while (other < L && m->layer[other].mixer == MIXER_NONE)
        other++;
    if (other < L)
        fprintf(f, ", attention in %s, %s in the others", session_layers(a, m, L),
                info_kind(m, other));
    fprintf(f, "\n");
}

static void card_sizes(FILE *f, struct arena *a, const struct model *m,
                       const struct info_row *row)
{
    const struct config *config = &m->config;

    fprintf(f, "model       %s\n", report_clean(a, m->name, strlen(m->name)));
    fprintf(f, "family      %s, %s%s\n", m->family->name,
            family_stack_names[m->family->stack_id],
            model_attending(m)->hi == 0 ? ", causal" : "");
    if (row->tower != NULL)
        fprintf(f, "tower       %s, of %s\n", row->tower, config->whole);
    card_layers(f, a, m);
    fprintf(f, "heads       %d of width %d", config->n_heads, config->d_head);
    if (config->n_kv_heads != config->n_heads)
        fprintf(f, ", %d for keys and values", config->n_kv_heads);
    if (config->d_value != config->d_head)
        fprintf(f, ", values of width %d", config->d_value);
    fprintf(f, "\nwidth       %d", config->d_model);
    if (config->d_ff > 0)
        fprintf(f, ", mlp %d", config->d_ff);
    if (info_activation(m) != NULL)
        fprintf(f, ", %s", info_activation(m));
    fprintf(f, "\n");
    if (config->experts.n > 0) {
        fprintf(f, "experts     %d of width %d, %d a token", config->experts.n,
                config->experts.d_ff, config->experts.n_chosen);
        if (config->experts.n_shared > 0)
            fprintf(f, ", %d shared", config->experts.n_shared);
        fprintf(f, "\n");
    }
    if (m->decoder != NULL)
        card_decoder(f, m->decoder);
    card_input(f, m);
    card_vocabulary(f, m);
    if (!info_any_length(m))
        fprintf(f, "positions   %d\n", config->n_positions);
    fprintf(f, "weights     %s\n", weights_type(m));
    if (row->quantised != NULL)
        fprintf(f, "quantised   %s: %.2f bits a weight\n", row->quantised, row->bits);
    fprintf(f, "hash        %s\n\n", row->hash);
}

static void print_card(FILE *f, struct arena *a, const struct model *m,
                       const struct info_row *row)
{
    card_sizes(f, a, m, row);
    info_parts(row, a, f);
    fprintf(f, "\none attention layer: %s = %s weights, %s biases\n",
            attention_sum(a, m), report_thousands(a, row->attention.weights),
            report_thousands(a, row->attention.biases));
    if (row->head_weights >= 0)
        fprintf(f, "one head: %s = %s weights of q, k and v; %d head%s x %d = %s columns\n",
                head_sum(a, m), report_thousands(a, row->head_weights), m->config.n_heads,
                str_plural(m->config.n_heads), m->config.d_head,
                report_thousands(a, (int64_t)m->config.n_heads * m->config.d_head));
    fprintf(f, "memory of a run of %d token%s beyond the weights: %s\n", row->run_tokens,
            str_plural(row->run_tokens), report_bytes(a, (uint64_t)row->run_memory));
}

/* Below what r has printed before. */
static int print_model(struct report *r, int n, const struct env *env, const struct model *m,
                       struct err *e)
{
    struct arena *a = env->arena;
    const char *text;
    struct info_row row;
    uint64_t hash;

    if (model_hash_data(m, a, &hash, e) != 0)
        return -1;
    text = arena_printf(a, "%016" PRIx64, hash);
    if (m->precomputed != NULL) {
        info_precomputed(m, text, a, r);
        return 0;
    }
    info_fill(&row, a, m, text, n, env->n_threads);
    if (r->format == REPORT_TABLE)
        print_card(r->file, a, m, &row);
    else
        report_row(r, &row);
    return 0;
}

static struct session session_of(const struct env *env, struct model *m)
{
    return (struct session){ .env = env, .a = env->arena, .model = m,
                             .name = m != NULL ? m->name : NULL };
}

/* The report of these models, NULL: of fewer, to what o opens. */
static int open_report(struct report *r, struct output *o, const struct env *env,
                       struct model *const m[2], struct err *e)
{
    struct session s = session_of(env, m[0]), other = session_of(env, m[1]);

    if (provenance_open(&s, o, NULL, e) != 0 || provenance_add(&s, &other, e) != 0 ||
        output_open(o, e) != 0 || output_begin(o, env->arena, 0, 0, e) != 0)
        return -1;
    *r = (struct report){ &info_record, (enum report_format)o->format, o->out.file, false,
                          s.provenance };
    return 0;
}

/* A model, or both towers of one. */
static int write_models(struct output *o, const struct info_args *args,
                        const struct env *env, struct model *const m[2], struct err *e)
{
    struct report report;
    int status = 0;

    if (open_report(&report, o, env, m, e) != 0)
        return -1;
    for (int i = 0; i < 2 && m[i] != NULL && status == 0; i++) {
        if (i > 0 && report.format == REPORT_TABLE)
            fprintf(report.file, "\n");
        status = print_model(&report, args->length, env, m[i], e);
    }
    return output_close(o, status == 0 ? output_end(o, e) : -1, e);
}

/* The model, and beside that of texts that of pictures, or in its place, where a file has one
 * of them alone and nobody asks for the other. */
static int open_models(const struct info_args *args, const struct env *env, struct model *m[2],
                       struct err *e)
{
    struct asked asked = args->shared.asked;
    struct env silent = *env;
    struct err none = { ERR_NONE, "" };
    const char *path;
    bool any = asked.tower == TOWER_NONE;

    silent.warn = NULL;
    m[0] = session_model(&asked, env, &path, e);
    if (!any || (m[0] != NULL ? m[0]->config.tower == TOWER_NONE : e->kind == ERR_SYSTEM))
        return m[0] != NULL ? 0 : -1;
    asked.tower = TOWER_PICTURE;
    m[m[0] != NULL] = session_model(&asked, &silent, &path, &none);
    if (none.kind == ERR_SYSTEM) {
        *e = none;
        return -1;
    }
    return m[0] != NULL ? 0 : -1;
}

static int write_list(const struct info_args *args, const struct env *env, struct report *r,
                      struct err *e)
{
    if (args->builtin)
        return info_builtin(env->arena, r, e);
    info_families(env->arena, r);
    return 0;
}

static int list(const struct info_args *args, const struct env *env, struct err *e)
{
    struct model *const none[2] = { NULL, NULL };
    struct output o;
    struct report report;

    if (output_plan(&o, &args->shared.common.output, &output_reports, NULL, env->arena, e) != 0 ||
        open_report(&report, &o, env, none, e) != 0)
        return -1;
    return output_close(&o, write_list(args, env, &report, e) != 0 ? -1 : output_end(&o, e), e);
}

static int info_run(const void *args, int n_operands, char **operands, const struct env *env,
                    struct err *e)
{
    const struct info_args *info = args;
    struct model *models[2] = { NULL, NULL };
    struct output output;
    int status;

    (void)n_operands;
    (void)operands;
    if (info->builtin || info->families)
        return list(info, env, e);
    status = open_models(info, env, models, e);
    if (status == 0)
        status = output_plan(&output, &info->shared.common.output, &output_reports, NULL,
                             env->arena, e);
    if (status == 0)
        status = write_models(&output, info, env, models, e);
    model_close(models[1]);
    model_close(models[0]);
    return status;
}

const struct cmd cmd_info = {
    .name = "info", .summary = "show a model's sizes, parameters and memory",
    .operands = "", .opts = opts, .groups = groups,
    .args_size = sizeof(struct info_args), .examples = examples,
    .max_operands = 0, .run = info_run,
    .records = (const struct record *const[]){ &info_record, &info_precomputed_record,
                                                 &info_builtin_record, &info_family_record,
                                                 NULL },
};
