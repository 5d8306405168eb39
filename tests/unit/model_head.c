/* SPDX-License-Identifier: MIT
 * Heads: which tensors are theirs, what their outputs are called, what is applied to them. */
#include "check.h"

#include <string.h>

#include "model/model.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static void tensors(void **state)
{
    static const char *const heads[] = {
        "score.weight", "classifier.weight", "x.y.score.weight", "qa_outputs.weight", "cls.weight",
        "cls.output.weight",
    };
    static const char *const others[] = {
        "score.bias", "xscore.weight", "score", "weight", ".weight", "", "score.weights",
        "acls.weight", "xcls.output.weight", "scores.weight",
    };

    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (!head_is_tensor(heads[i]))
            fail_msg("%s is a head's", heads[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (head_is_tensor(others[i]))
            fail_msg("%s is no head's", others[i]);
}

static void labels(void **state)
{
    static const char *const names[] = { "no", NULL };
    struct head_task task = { .gives = HEAD_LABELS };
    struct config c = { .head.task = &task };

    (void)state;
    assert_string_equal(head_label(&c, 1, &arena), "LABEL_1");
    c.head.label = (const char **)(uintptr_t)names;
    assert_string_equal(head_label(&c, 0, &arena), "no");
    assert_string_equal(head_label(&c, 1, &arena), "LABEL_1");
    task.gives = HEAD_SPAN;
    assert_string_equal(head_label(&c, 1, &arena), "end");
    task.gives = HEAD_NEXT;
    assert_string_equal(head_label(&c, 0, &arena), "next");
    task.gives = HEAD_CHOICE;
    assert_null(head_label(&c, 0, &arena));
}

static void activations(void **state)
{
    static const struct { enum head_act act; float want; } rows[] = {
        { HEAD_ACT_NONE, -1 }, { HEAD_ACT_TANH, -0.76159416f }, { HEAD_ACT_RELU, 0 },
        { HEAD_ACT_MODEL, 0 }, { HEAD_ACT_POOLER, -0.76159416f }, { HEAD_ACT_CLASSIFIER, 0 },
        { HEAD_ACT_SUMMARY, -1 },
    };
    struct head_task task = { .gives = HEAD_LABELS };
    struct config c = { .act = ACT_RELU, .head.task = &task, .head.pooler_act = ACT_TANH,
                        .head.classifier_act = ACT_RELU, .head.summary_act = N_ACT };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float y = -1;

        task.act = rows[i].act;
        head_act(&c, &y, 1);
        check_close((double)y, (double)rows[i].want, 1e-6);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = { TEST(tensors), TEST(labels), TEST(activations) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
