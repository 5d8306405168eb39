/* SPDX-License-Identifier: MIT
 * An open session -> another one of the same model, for another request. */
#include "session/session.h"

void session_share(struct session *s, const struct session *of, const struct asked *asked)
{
    *s = (struct session){
        .asked = asked, .env = of->env, .a = of->a, .path = of->path, .name = of->name,
        .model = of->model,
        .tok = of->tok, .target_tok = of->target_tok, .tok_err = of->tok_err,
        .par = of->par, .shares = true,
    };
}
