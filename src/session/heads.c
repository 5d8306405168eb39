/* SPDX-License-Identifier: MIT
 * -l, -H -> the layers and heads that are shown. */
#include "session/select.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/list.h"
#include "session/shown/average.h"

static const char like[] = "0,3-5, last, -1 or all";

/* ---- lists of numbers ---- */

/* Layers that can be shown: not all of a hybrid attend, nor does a file of rows hold all. */
static bool *layers_shown(const struct session *session)
{
    bool *has = arena_alloc(session->a, (size_t)session->n_layers, sizeof *has);

    for (int l = 0; l < session->n_layers; l++)
        has[l] = model_has_layer(session->model, l);
    return has;
}

const char *session_layers(struct arena *a, const struct model *model, int L)
{
    const char *list = "";

    for (int layer = 0; layer < L; layer++) {
        int first = layer;

        if (!model_has_layer(model, layer))
            continue;
        while (layer + 1 < L && model_has_layer(model, layer + 1))
            layer++;
        list = arena_printf(a, "%s%s%d", list, list[0] != '\0' ? "," : "", first);
        if (layer > first)
            list = arena_printf(a, "%s-%d", list, layer);
    }
    return list;
}

/* "MODEL holds layers 1,3": what to say where another is asked for. */
static const char *session_heads_holds(const struct session *session)
{
    return arena_printf(session->a, "%s %s %s", session->model->name,
                        session->model->precomputed != NULL ? "holds layers" :
                                                              "has attention in layers",
                        session_layers(session->a, session->model, session->n_layers));
}

static int session_heads_members(const struct session *session, const char *option,
                                 const char *member, int n, const bool *has, const char *list,
                                 const bool **out, const int **rank, struct err *e)
{
    const struct list_of of = { .option = option, .like = like, .owner = "the model",
                                .member = member, .n = n, .from_end = true, .has = has,
                                .holds = has != NULL ? session_heads_holds(session) : NULL };
    bool *which;
    int *ranks;

    if (list == NULL)
        return 0;
    which = arena_alloc(session->a, (size_t)n, sizeof *which);
    *out = which;
    if (list_members(&of, list, which, e) != 0)
        return -1;
    *rank = ranks = arena_alloc(session->a, (size_t)n, sizeof *ranks);
    list_ranks(&of, list, ranks);
    return 0;
}

/* ---- lists of names: L4H1,L4H3 ---- */

/* "L4H1" at *at, which moves after it and the comma; returns as list_next. */
static int next_name(const char **at, long long *layer, long long *head)
{
    if (*(*at)++ != 'L')
        return -1;
    *layer = list_number(at);
    if (*layer < 0 || *(*at)++ != 'H')
        return -1;
    *head = list_number(at);
    if (*head < 0 || (**at != ',' && **at != '\0'))
        return -1;
    return *(*at)++ == ',';
}

static int session_heads_out_of_range(const struct asked *asked, const char *member, long long i,
                                      int n, struct err *e)
{
    const char *option = session_names(asked)->head;

    if (i == LLONG_MAX)         /* not what was typed */
        return err_set(e, ERR_USAGE, "%s: '%.40s' is out of range: the model has %ss 0 to %d",
                       option, asked->head, member, n - 1);
    return err_set(e, ERR_USAGE, "%s: '%.40s': %lld is out of range: the model has %ss 0 to "
                   "%d", option, asked->head, i, member, n - 1);
}

/* What to add to a message about a list that holds both "2" and "L4H1"; or "". */
static const char *mixed(const char *list)
{
    bool names = false, numbers = false;

    for (const char *at = list; *at != '\0'; at += *at == ',') {
        names |= *at == 'L';
        numbers |= isdigit((unsigned char)*at);
        at += strcspn(at, ",");
    }
    return names && numbers ? "; numbers and names cannot be mixed" : "";
}

static int named_heads(struct session *session, struct wanted *want, struct err *e)
{
    const struct asked *asked = session->asked;
    bool *layers = arena_alloc(session->a, (size_t)session->n_layers, sizeof *layers);
    bool *heads = arena_alloc(session->a, (size_t)session->n_layers,
                              (size_t)session->n_heads * sizeof *heads);
    int *rank = arena_alloc(session->a, (size_t)session->n_layers,
                            (size_t)session->n_heads * sizeof *rank);
    const char *at = asked->head;
    int more = 1, n = 0;

    session->named_rank = rank;
    for (int i = 0; i < session->n_layers * session->n_heads; i++)
        rank[i] = INT_MAX;
    while (more > 0) {
        long long layer, head;

        more = next_name(&at, &layer, &head);
        if (more < 0)
            return err_set(e, ERR_USAGE, "%s: '%.40s' is not a list like L4H1,L4H3%s",
                           session_names(asked)->head, asked->head, mixed(asked->head));
        if (layer >= session->n_layers)
            return session_heads_out_of_range(asked, "layer", layer, session->n_layers, e);
        if (head >= session->n_heads)
            return session_heads_out_of_range(asked, "head", head, session->n_heads, e);
        if (!model_has_layer(session->model, (int)layer))
            return err_set(e, ERR_USAGE, "%s: %s, not %lld", session_names(asked)->head,
                           session_heads_holds(session), layer);
        if (!heads[layer * session->n_heads + head])
            rank[layer * session->n_heads + head] = n++;
        layers[layer] = heads[layer * session->n_heads + head] = true;
    }
    want->layer = layers;
    want->head = heads;
    want->head_stride = session->n_heads;
    return 0;
}

/* ---- the whole ---- */

const struct asked_names *session_names(const struct asked *asked)
{
    static const struct asked_names options = { "--stack", "--layer", "--head",
                                                " (--truncate cuts it)" };

    return asked->names != NULL ? asked->names : &options;
}

bool session_names_heads(const struct asked *asked)
{
    return asked->head != NULL && asked->head[0] == 'L';
}

int session_heads(struct session *session, struct wanted *want, struct err *e)
{
    const struct asked *asked = session->asked;
    const struct asked_names *names = session_names(asked);
    const bool *has = NULL;

    session->layer_rank = session->head_rank = session->named_rank = NULL;
    if (session_names_heads(asked) && asked->layer != NULL)
        return err_set(e, ERR_USAGE, "%s, %s: '%.40s' names heads with their layers, so %s "
                       "cannot be given", names->layer, names->head, asked->head,
                       names->layer);
    if (session_names_heads(asked))
        return named_heads(session, want, e);
    if (session->model->precomputed != NULL || session->model->family->mixer != MIXER_NONE)
        want->layer = has = layers_shown(session);
    if (session_heads_members(session, names->layer, "layer", session->n_layers, has, asked->layer,
                              &want->layer, &session->layer_rank, e) != 0)
        return -1;
    if (asked->head != NULL && mixed(asked->head)[0] != '\0')
        return err_set(e, ERR_USAGE, "%s: '%.40s' is not a list like %s%s", names->head,
                       asked->head, like, mixed(asked->head));
    return session_heads_members(session, names->head, "head", session->n_heads, NULL, asked->head,
                                 &want->head, &session->head_rank, e);
}

int64_t session_rank(const struct session *session, int layer, int head)
{
    int l = session->layer_rank != NULL ? session->layer_rank[layer] : layer;
    int h = session->head_rank != NULL ? session->head_rank[head] : head;

    return session->named_rank != NULL ? session->named_rank[layer * session->n_heads + head] :
                                         (int64_t)l * session->n_heads + h;
}

/* The least of n ranks, each step after the one before. */
static int least_rank(const int *rank, int n, int step)
{
    int least = INT_MAX;

    for (int i = 0; i < n; i++)
        least = rank[i * step] < least ? rank[i * step] : least;
    return least;
}

int session_layer_rank(const struct session *session, int layer)
{
    if (session->named_rank != NULL)
        return least_rank(session->named_rank + layer * session->n_heads, session->n_heads, 1);
    return session->layer_rank != NULL ? session->layer_rank[layer] : layer;
}

int session_head_rank(const struct session *session, int head)
{
    if (session->named_rank != NULL)
        return least_rank(session->named_rank + head, session->n_layers, session->n_heads);
    return session->head_rank != NULL ? session->head_rank[head] : head;
}

bool session_next_head(const struct session *session, const struct wanted *want, int *l, int *h)
{
    const struct config *c = &session->shown->config;

    do {
        if (++*h == c->n_heads) {
            *h = 0;
            ++*l;
        }
    } while (*l < c->n_layers && !(wanted_layer(want, *l) && wanted_head(want, *l, *h)));
    return *l < c->n_layers;
}

int session_default_layer(const struct session *session)
{
    const struct config *config = &session->shown->config;
    int last = config->n_layers - 1, layer = last < 6 ? last : 6;

    if (session_averages(session, AVERAGE_LAYERS))
        return 0;
    if (config->card.layer >= 0)
        layer = config->card.layer;
    while (layer > 0 && !model_has_layer(session->shown, layer))
        layer--;
    while (layer < last && !model_has_layer(session->shown, layer))
        layer++;
    return layer;
}
