/* SPDX-License-Identifier: MIT
 * The work of a run, and the parts of it that texts get before their turn. */
#include "check.h"

#include "text/budget.h"

static void test_parts(void **state)
{
    struct budget run = { .read = 1000, .spent = 5000 };
    uint64_t left = BUDGET_BASE + 1000 * BUDGET_A_BYTE - 5000;
    struct budget part = budget_part(&run, 8);

    (void)state;
    assert_int_equal(part.base, left / 8 + 1);
    budget_read(&part, 10);
    assert_true(budget_spend(&part, left / 8 + 10 * BUDGET_A_BYTE));
    assert_false(budget_spend(&part, 2));
    assert_false(budget_spend(&part, 1));
    part = budget_part(&(struct budget){ .read = 1 << 30 }, 2);
    assert_int_equal(part.base, BUDGET_BASE);           /* what one text may take at most */
    run = (struct budget){ .spent = BUDGET_BASE };
    part = budget_part(&run, 100);
    assert_int_equal(part.base, 1);                     /* 0 is another base */
}

/* As if the text were tokenised now: all of it, or nothing. */
static void test_take(void **state)
{
    struct budget run = { .spent = BUDGET_BASE - 100 };
    struct budget part = { .base = 100000, .read = 1, .spent = BUDGET_A_BYTE + 100 };

    (void)state;
    assert_true(budget_take(&run, &part));
    assert_int_equal(run.read, 1);
    assert_int_equal(run.spent, BUDGET_BASE + BUDGET_A_BYTE);
    part.spent = BUDGET_A_BYTE + 1;
    assert_false(budget_take(&run, &part));
    assert_int_equal(run.read, 1);
    assert_int_equal(run.spent, BUDGET_BASE + BUDGET_A_BYTE);
}

static void test_memory(void **state)
{
    struct budget run = { 0 }, part = budget_part(&run, 2);

    (void)state;
    assert_int_equal(budget_memory(&run, 1000), (64 << 20) + 1024000);
    assert_true(budget_memory(&part, 1000) < 64 << 20);
    run.memory = (size_t)1 << 30;
    assert_int_equal(budget_memory(&run, 1000), (64 << 20) + 1024000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts), cmocka_unit_test(test_take), cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
