/* SPDX-License-Identifier: MIT
 * What a precision of blocks asks of the rows of weights: only of those that are computed. */
#include "check.h"

#include "unit/run_room.h"

static struct arena arena;

/*
 * bert_old has rows of 32 weights, but of 48 in the second linear of each MLP, which blocks
 * of 32 do not divide.  The message, "" where it runs.
 */
static const char *try_layers(const bool *layer, bool hidden)
{
    static const int lengths[] = { 5 };
    static struct err e;
    struct par *par = par_new(1, &e);
    const struct change change = { .precision = PRECISION_Q8_0 };
    struct wanted want = { .layer = layer, .change = &change };
    struct model *m = model_open(&arena, "tests/ref/bert_old", &e);
    struct batch b;
    int rc;

    assert_non_null(m);
    b = room_batch(&arena, m, lengths, 1, 3);
    if (hidden)
        want.hidden = arena_alloc(&arena, 5 * 32, sizeof(float));
    rc = run_forward(m, &b, &want, NULL, 0, par, &arena, &e);
    par_free(par);
    model_close(m);
    assert_true(rc == 0 || e.kind == ERR_INPUT);
    return rc == 0 ? "" : e.msg;
}

static void says(const char *message, const char *layer)
{
    if (strstr(message, layer) == NULL ||
        strstr(message, "has rows of 48 weights, which the blocks of 32 of --dtype q8_0 do "
                        "not divide") == NULL)
        fail_msg("\"%s\", expected one of %s", message, layer);
}

static void only_of_what_is_computed(void **state)
{
    static const bool first[] = { true, false, false }, second[] = { false, true, false };
    static const bool last[] = { false, false, true };

    (void)state;
    arena_init(&arena, NULL, NULL);
    assert_string_equal(try_layers(first, false), "");  /* the MLP after it is left out */
    says(try_layers(first, true), "layer.0.");
    says(try_layers(second, false), "layer.0.");
    says(try_layers(last, false), "layer.0.");
    says(try_layers(NULL, false), "layer.0.");
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(only_of_what_is_computed) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
