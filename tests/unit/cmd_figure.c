/* SPDX-License-Identifier: MIT
 * What captions say of a pass that was changed. */
#include "check.h"

#include "cmd/figure.h"

static void changes(void **state)
{
    struct asked args = { .mask = NULL };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_string_equal(figure_changes(&a, &args), "");
    args.mask = "causal+padding:1";
    assert_string_equal(figure_changes(&a, &args), "; mask causal+padding:1");
    args.memory_mask = "m.npy";
    args.dtype = PRECISION_BF16;
    assert_string_equal(figure_changes(&a, &args), "; mask causal+padding:1; memory mask m.npy; "
                        "inputs of products in bf16");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(changes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
