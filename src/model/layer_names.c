/* SPDX-License-Identifier: MIT
 * What layers written by hand, and those of torch.nn, call their tensors. */
#include <string.h>

#include "model/layer_priv.h"

const struct naming layer_naming[] = {
    { { "q_linear", "k_linear", "v_linear", "output_linear" }, PROJ_WHOLE },
    { { "linear_q", "linear_k", "linear_v", "linear_out" }, PROJ_WHOLE },
    { { "W_Q", "W_K", "W_V", "W_O" }, PROJ_WHOLE },
    { { "q_linears", "k_linears", "v_linears", "output_linear" }, PROJ_HEADS },
    { { "q_proj", "k_proj", "v_proj", "out_proj" }, PROJ_TORCH },
    { { NULL }, PROJ_WHOLE }
};

const struct ff_naming layer_ff[] = {
    { "feed_forward.0", "feed_forward.3|feed_forward.2" },  /* with and without dropout */
    { "linear1", "linear2" },
    { NULL, NULL }
};

const char *const layer_cross[] = { "cross_attn.", "multihead_attn.", NULL };

const char *layer_name(struct arena *a, const char *scope, int l)
{
    const char *d = strstr(scope, "%d");

    return d == NULL ? scope : arena_printf(a, "%.*s%d%s", (int)(d - scope), scope, l, d + 2);
}
