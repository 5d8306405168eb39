/* SPDX-License-Identifier: MIT
 * Keys of config.json that count only in families that have what they switch. */
#include <string.h>

#include "model/config/config_priv.h"

#define F(f) offsetof(struct config, f)
static const struct key clip = { KEY_REAL, F(clip_qkv), 1e-6, 1e9, NAMES("clip_qkv") };
#undef F

/* Elsewhere than in a table, only where the family may say so. */
static int read_positions(const struct reader *r, const struct family *f, const json_t *root)
{
    const json_t *value = config_value(root, "position_embedding_type");
    const char *text = value != NULL ? json_string_value(value) : "absolute";

    r->c->rotary.instead = text != NULL && f->may_rotate && strcmp(text, "rotary") == 0;
    return r->c->rotary.instead || (text != NULL && strcmp(text, "absolute") == 0) ? 0 :
           config_wrong(r, "position_embedding_type", value,
                        f->may_rotate ? "\"absolute\" or \"rotary\"" : "\"absolute\"");
}

static int read_dropout(const struct reader *r, const struct family *f)
{
    bool known = f->defaults.token_dropout.mask_id != 0;

    r->c->token_dropout.on = r->c->token_dropout.on && known;
    return !r->c->token_dropout.on || r->c->token_dropout.mask_id >= 0 ? 0 :
           err_set(r->e, ERR_INPUT, "%s: token_dropout: true requires mask_token_id", r->file);
}

int config_options(const struct reader *r, const struct family *f, const json_t *root)
{
    if (read_positions(r, f, root) != 0 || read_dropout(r, f) != 0)
        return -1;
    if (!json_is_true(config_value(root, "use_task_id")))
        r->c->n_tasks = 0;
    return f->clips ? config_key(r, &clip, root, r->c) : 0;
}
