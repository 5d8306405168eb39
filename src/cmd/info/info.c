/* SPDX-License-Identifier: MIT
 * info: a model's card: family, sizes, parameters by part, memory of a run; lists of models and
 * families. */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/output.h"
#include "cmd/info/info.h"
#include "model/family_slots.h"
#include "model/quirks.h"
#include "run/special/wave.h"
#include "task/common/provenance.h"

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
static char *each_projection(struct arena *a, const struct model *model)
{
    char *sum = arena_strdup(a, "");

    for (enum slot s = count_first(model); s <= count_last(model); s++) {
        const struct param *param = &model_attending(model)->slot[s];

        if (family_slots[s].kind == SLOT_LINEAR && param->weight != NULL)
            sum = arena_printf(a, "%s%s%d x %d", sum, sum[0] != '\0' ? " + " : "",
                               param->matrix.N, param->matrix.K);
    }
    return sum;
}

/* "4 x 512 x 512", 7 with projections of global rows; or the projections one by one where
 * their shapes differ. */
static char *attention_sum(struct arena *a, const struct model *model)
{
    const struct config *config = &model->config;
    const struct param *slot = model_attending(model)->slot;
    int hd = config->n_heads * config->d_head, gd = config->n_kv_heads * config->d_head;

    if (model->family->qkv == QKV_LOW_RANK || count_first(model) != W_Q ||
        quirks_of(model->family)->q_gated || config->d_value != config->d_head ||
        slot[W_REL_K].weight != NULL || slot[W_REL_Q].weight != NULL || slot[W_O].weight == NULL ||
        model_attention_width(model) != config->d_model)
        return each_projection(a, model);
    if (hd == gd && hd == config->d_model)
        return arena_printf(a, "%d x %d x %d",
                            slot[W_Q_GLOBAL].weight != NULL ? 7 : 4, hd, hd);
    return arena_printf(a, "2 x %d x %d + 2 x %d x %d", hd, config->d_model, gd,
                        config->d_model);
}

/* "512 x 64 x 3", or the sum where widths differ. */
static char *head_sum(struct arena *a, const struct model *model)
{
    const struct config *config = &model->config;
    int D = config->d_model, d = config->d_head;
    bool other = count_first(model) != W_Q;
    int keys = other ? family_slot_dim(model->family, config, DIM_KEY_INPUT) : D;
    int values = other ? family_slot_dim(model->family, config, DIM_VALUE_INPUT) : D;

    if (keys == D && values == D && config->d_value == d)
        return arena_printf(a, "%d x %d x 3", D, d);
    return arena_printf(a, "%d x %d + %d x %d + %d x %d", D, d, keys, d, values,
                        config->d_value);
}

/* ---- the card ---- */

/* What the model reads instead of tokens, if it does. */
static void card_input(FILE *file, const struct model *model)
{
    const struct config *config = &model->config;
    int64_t dim[4];
    char shape[64];

    if (front_dims(model, dim) == 0)
        return;
    front_shape(model, shape);
    fprintf(file, "input       %s", shape);
    if (model->family->front == FRONT_PATCH)
        fprintf(file, " in patches of %d x %d", config->front.patch[0],
                config->front.patch[1]);
    if (model->family->front == FRONT_WAVE)
        fprintf(file, " samples, %lld for a position, from each to the next %lld",
                (long long)wave_samples(config), (long long)wave_step(config));
    fprintf(file, "\n");
}

/* The type of the first slot's weight: of the token embedding, mostly. */
static const char *weights_type(const struct model *model)
{
    const struct param *slot = model_attending(model)->slot;
    const struct tensor *output = slot[count_last(model)].weight,
                        *tensor = output != NULL ? output : slot[count_first(model)].weight;

    for (int s = N_SLOT - 1; s >= 0; s--)
        if (model->slot[s].weight != NULL)
            tensor = model->slot[s].weight;
    return dtype_table[tensor->dtype].name;
}

static void card_vocabulary(FILE *file, const struct model *model)
{
    int count = model->config.n_vocab,
        target = model->decoder != NULL ? model->decoder->config.n_vocab : count;

    if (target == 0)
        return;
    fprintf(file, "vocabulary  %d", count > 0 ? count : target);
    if (count > 0 && target != count)
        fprintf(file, ", the decoder's %d", target);
    fprintf(file, "\n");
}

static void card_decoder(FILE *file, const struct model *model)
{
    const struct config *config = &model->config;

    fprintf(file, "decoder     %d layer%s, %d head%s of width %d, mlp %d", config->n_layers,
            str_plural(config->n_layers), config->n_heads, str_plural(config->n_heads),
            config->d_head, config->d_ff);
    if (!info_any_length(model))
        fprintf(file, ", positions %d", config->n_positions);
    fprintf(file, "\n");
}

/* Of a hybrid also which layers attend, and what the others do. */
static void card_layers(FILE *file, struct arena *a, const struct model *model)
{
    int L = model->config.n_layers, other = 0;

    fprintf(file, "layers      %d", L);
    while (other < L && model->layer[other].mixer == MIXER_NONE)
        other++;
    if (other < L)
        fprintf(file, ", attention in %s, %s in the others", session_layers(a, model, L),
                info_kind(model, other));
    fprintf(file, "\n");
}

static void card_sizes(FILE *file, struct arena *a, const struct model *model,
                       const struct info_row *row)
{
    const struct config *config = &model->config;

    fprintf(file, "model       %s\n", report_clean(a, model->name, strlen(model->name)));
    fprintf(file, "family      %s, %s%s\n", model->family->name,
            family_stack_names[model->family->stack_id],
            model_attending(model)->hi == 0 ? ", causal" : "");
    if (row->tower != NULL)
        fprintf(file, "tower       %s, of %s\n", row->tower, config->whole);
    card_layers(file, a, model);
    fprintf(file, "heads       %d of width %d", config->n_heads, config->d_head);
    if (config->n_kv_heads != config->n_heads)
        fprintf(file, ", %d for keys and values", config->n_kv_heads);
    if (config->d_value != config->d_head)
        fprintf(file, ", values of width %d", config->d_value);
    fprintf(file, "\nwidth       %d", config->d_model);
    if (config->d_ff > 0)
        fprintf(file, ", mlp %d", config->d_ff);
    if (info_activation(model) != NULL)
        fprintf(file, ", %s", info_activation(model));
    fprintf(file, "\n");
    if (config->experts.n > 0) {
        fprintf(file, "experts     %d of width %d, %d a token", config->experts.n,
                config->experts.d_ff, config->experts.n_chosen);
        if (config->experts.n_shared > 0)
            fprintf(file, ", %d shared", config->experts.n_shared);
        fprintf(file, "\n");
    }
    if (model->decoder != NULL)
        card_decoder(file, model->decoder);
    card_input(file, model);
    card_vocabulary(file, model);
    if (!info_any_length(model))
        fprintf(file, "positions   %d\n", config->n_positions);
    fprintf(file, "weights     %s\n", weights_type(model));
    if (row->quantised != NULL)
        fprintf(file, "quantised   %s: %.2f bits a weight\n", row->quantised, row->bits);
    fprintf(file, "hash        %s\n\n", row->hash);
}

static void print_card(FILE *file, struct arena *a, const struct model *model,
                       const struct info_row *row)
{
    card_sizes(file, a, model, row);
    info_parts(row, a, file);
    fprintf(file, "\none attention layer: %s = %s weights, %s biases\n",
            attention_sum(a, model), report_thousands(a, row->attention.weights),
            report_thousands(a, row->attention.biases));
    if (row->head_weights >= 0)
        fprintf(file, "one head: %s = %s weights of q, k and v; %d head%s x %d = %s columns\n",
                head_sum(a, model), report_thousands(a, row->head_weights), model->config.n_heads,
                str_plural(model->config.n_heads), model->config.d_head,
                report_thousands(a, (int64_t)model->config.n_heads * model->config.d_head));
    fprintf(file, "memory of a run of %d token%s beyond the weights: %s\n", row->run_tokens,
            str_plural(row->run_tokens), report_bytes(a, (uint64_t)row->run_memory));
}

/* Below what report has printed before. */
static int print_model(struct report *report, int n, const struct env *env,
                       const struct model *model, struct err *e)
{
    struct arena *a = env->arena;
    const char *text;
    struct info_row row;
    uint64_t hash;

    if (model_hash_data(model, a, &hash, e) != 0)
        return -1;
    text = arena_printf(a, "%016" PRIx64, hash);
    if (model->precomputed != NULL) {
        info_precomputed(model, text, a, report);
        return 0;
    }
    info_fill(&row, a, model, text, n, env->n_threads);
    if (report->format == REPORT_TABLE)
        print_card(report->file, a, model, &row);
    else
        report_row(report, &row);
    return 0;
}

static struct session session_of(const struct env *env, struct model *model)
{
    return (struct session){ .env = env, .a = env->arena, .model = model,
                             .name = model != NULL ? model->name : NULL };
}

/* The report of these models, NULL: of fewer, to what output opens. */
static int open_report(struct report *report, struct output *output, const struct env *env,
                       struct model *const m[2], struct err *e)
{
    struct session s = session_of(env, m[0]), other = session_of(env, m[1]);

    if (provenance_open(&s, output, NULL, e) != 0 || provenance_add(&s, &other, e) != 0 ||
        output_open(output, e) != 0 || output_begin(output, env->arena, 0, 0, e) != 0)
        return -1;
    *report = (struct report){ &info_record, (enum report_format)output->format, output->out.file,
                               false, s.provenance };
    return 0;
}

/* A model, or both towers of one. */
static int write_models(struct output *output, const struct info_args *args,
                        const struct env *env, struct model *const m[2], struct err *e)
{
    struct report report;
    int status = 0;

    if (open_report(&report, output, env, m, e) != 0)
        return -1;
    for (int i = 0; i < 2 && m[i] != NULL && status == 0; i++) {
        if (i > 0 && report.format == REPORT_TABLE)
            fprintf(report.file, "\n");
        status = print_model(&report, args->length, env, m[i], e);
    }
    return output_close(output, status == 0 ? output_end(output, e) : -1, e);
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

static int write_list(const struct info_args *args, const struct env *env, struct report *report,
                      struct err *e)
{
    if (args->builtin)
        return info_builtin(env->arena, report, e);
    info_families(env->arena, report);
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
