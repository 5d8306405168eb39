/* SPDX-License-Identifier: MIT
 * What captions say of texts, and of a pass that was changed. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "task/figure/figure.h"

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
    args = (struct asked){ .dtype = PRECISION_Q4_0 };
    assert_string_equal(figure_changes(&a, &args), "; linears in q4_0");
    arena_finish(&a);
}

/* A caption quotes a text's first 300 bytes, whole characters. */
enum { QUOTED = 300 };

/* The caption of `before` letters x, then `after`. */
static void expect_quote(int before, const char *after, const char *end_quoted)
{
    char text[QUOTED + 16], expected[QUOTED + 64];
    struct item item = { .text = text };
    struct arena a;

    memset(text, 'x', (size_t)before);
    strcpy(text + before, after);
    item.text_size = strlen(text);
    sprintf(expected, ", “%.*s%s”", before, text, end_quoted);
    arena_init(&a, NULL, NULL);
    assert_string_equal(figure_text(&a, &item), expected);
    arena_finish(&a);
}

static void long_texts(void **state)
{
    (void)state;
    expect_quote(QUOTED, "", "");
    expect_quote(QUOTED, "y", "…");
    expect_quote(QUOTED - 3, "我", "我");       /* its three bytes end at the limit */
    expect_quote(QUOTED - 3, "我y", "我…");
    expect_quote(QUOTED - 2, "我", "…");
    expect_quote(QUOTED - 1, "我", "…");
    expect_quote(QUOTED - 1, "éy", "…");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes), cmocka_unit_test(long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
