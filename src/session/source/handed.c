/* SPDX-License-Identifier: MIT
 * Models and inputs that a caller has open -> a session that uses them. */
#include "session/source/handed.h"

#include "session/source/layer.h"

/* By the pointer: two models may have one name. */
static int handed_place_of(const struct handed *handed, const struct asked *asked)
{
    return handed->session[1] != NULL && asked->model == handed->name[1] ? 1 : 0;
}

static int handed_check_same(const struct session *session, const struct asked *asked,
                             struct err *e)
{
    const struct layer_asked layer = layer_of_asked(asked), was = layer_of_asked(session->asked);
    const char *wrong = layer.held != was.held ? "--page-precision" :
                        !session->model->family->bare ? NULL :
                        layer.unmasked && !was.unmasked ? "--mask none" :
                        layer.memory && !was.memory ? "--memory" : NULL;

    return wrong == NULL ? 0 :
           err_set(e, ERR_USAGE, "%s: %s is open already, and would have to be opened in another "
                   "way", wrong, session->name);
}

int handed_open(struct session *session, const struct asked *asked, bool tokens_only,
                const struct env *env, struct err *e)
{
    const struct session *of = asked->handed->session[handed_place_of(asked->handed, asked)];

    session_share(session, of, asked);
    session->env = env;
    session->a = env->arena;
    if (handed_check_same(of, asked, e) != 0)
        return -1;
    par_on_full(session->par, session->a);
    par_tell(session->par, env->progress);
    if (tokens_only)
        session->model = NULL;
    return 0;
}

const struct item *handed_item(const struct session *session)
{
    const struct handed *h = session->asked->handed;
    int place = h != NULL ? handed_place_of(h, session->asked) : 0;

    for (int i = 0; h != NULL && i < HANDED_MOST; i++)
        if (h->item[i] != NULL && place == (h->session[1] != NULL ? i : 0) &&
            h->file[i] == asked_array(session->asked))
            return h->item[i];
    return NULL;
}
