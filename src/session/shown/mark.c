/* SPDX-License-Identifier: MIT
 * Ids, pieces and labels of tokens -> their classes: ends, separators, punctuation. */
#include "session/shown/mark.h"

#include <string.h>

/* What holds of all tokens of one side. */
struct side_marks {
    const struct model *m;      /* whose config has the ids */
    const struct tokens *t;
    bool has_sep;               /* the vocabulary has a separator */
    bool looks_back;            /* and nowhere else: no encoder, and no key that follows */
    bool starts;                /* the first token may be a decoder's start */
};

static bool is_one_of(const struct id_list *list, const struct tokens *tokens, int i)
{
    for (int k = 0; tokens->id != NULL && k < list->n; k++)
        if (list->id[k] == tokens->id[i])
            return true;
    return false;
}

static bool is_sep(const struct tokens *tokens, int i)
{
    return strcmp(tokens->piece[i], "[SEP]") == 0 || strcmp(tokens->piece[i], "<sep>") == 0;
}

static bool is_new_line(const struct tokens *tokens, int i)
{
    size_t n = 0;

    while (n < tokens->label_size[i] && tokens->label[i][n] == '\n')
        n++;
    return n > 0 && n == tokens->label_size[i];
}

/* "." or ",", with the blanks that the vocabulary writes to it. */
static bool is_punctuation(const struct tokens *tokens, int i)
{
    const char *label = tokens->label[i];
    size_t from = 0, to = tokens->label_size[i];

    while (from < to && label[from] == ' ')
        from++;
    while (from < to && label[to - 1] == ' ')
        to--;
    return to - from == 1 && (label[from] == '.' || label[from] == ',');
}

static bool mark_ends(const struct side_marks *side, int i)
{
    const struct tokens *t = side->t;

    if (side->starts && i == 0 &&
        (t->special[0] || (t->id != NULL && t->id[0] == side->m->config.decoder.start_id)))
        return true;
    return side->m->config.eos.n > 0 ? is_one_of(&side->m->config.eos, t, i) :
                                       strcmp(t->piece[i], "[SEP]") == 0;
}

static bool separates(const struct side_marks *side, int i)
{
    const struct tokens *t = side->t;
    const struct config *config = &side->m->config;

    if (is_sep(t, i) || side->has_sep)
        return is_sep(t, i);
    return is_one_of(&config->eos, t, i) ||
           (side->looks_back && (is_one_of(&config->bos, t, i) || is_new_line(t, i)));
}

bool mark_looks_back(const struct model *model)
{
    for (int l = 0; l < model->config.n_layers && model->precomputed == NULL; l++)
        if (model->layer[l].hi > 0)
            return false;
    return model->precomputed == NULL;
}

static struct side_marks mark_side_of(const struct session *session, const struct item *item,
                                      enum item_side which)
{
    const struct tok *tok = which == SIDE_TARGET ? session->target_tok : session->tok;

    return (struct side_marks){
        .m = session->model, .t = item_side(item, which),
        .has_sep = tok != NULL && (tok_id(tok, "[SEP]", 5) >= 0 || tok_id(tok, "<sep>", 5) >= 0),
        .looks_back = session->model->decoder == NULL && mark_looks_back(session->model),
        .starts = which == SIDE_TARGET,
    };
}

const unsigned char *mark_tokens(const struct session *session, const struct item *item,
                                 enum item_side which, struct arena *a)
{
    const struct side_marks side = mark_side_of(session, item, which);
    const struct item_shown *shown = &item->shown[which];
    bool words = shown->words.n > 0;
    size_t count = (size_t)(words ? shown->words.n : side.t->n);
    unsigned char *mark = arena_alloc(a, count, 1);

    memset(mark, words ? 0xff : 0, count);
    for (int i = 0; i < side.t->n; i++) {
        int bits = (mark_ends(&side, i) ? TOKEN_ENDS : 0) |
                   (separates(&side, i) ? TOKEN_SEPARATES : 0) |
                   (is_punctuation(side.t, i) ? TOKEN_PUNCTUATION : 0);

        if (words)
            mark[shown->group[i]] &= (unsigned char)bits;
        else
            mark[i] = (unsigned char)bits;
    }
    return mark;
}
