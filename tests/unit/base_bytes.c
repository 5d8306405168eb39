/* SPDX-License-Identifier: MIT
 * Numbers in the order of files: the same on every processor. */
#include "check.h"

#include <string.h>

#include "base/bytes.h"

static void single_numbers(void **state)
{
    static const unsigned char p[8] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };
    unsigned char q[8];

    (void)state;
    assert_true(bytes_get(p, 0) == 0);
    assert_true(bytes_get(p, 1) == 1);
    assert_true(bytes_get(p, 3) == 0x030201);
    assert_true(bytes_get(p, 8) == UINT64_C(0x8807060504030201));
    for (int n = 0; n <= 8; n++) {
        memset(q, 0xee, sizeof q);
        bytes_put(q, bytes_get(p, n), n);
        assert_memory_equal(q, p, (size_t)n);
        for (int i = n; i < 8; i++)
            assert_int_equal(q[i], 0xee);
    }
}

static void arrays(void **state)
{
    static const unsigned char p[6] = { 1, 2, 3, 4, 5, 6 };
    uint16_t half[3] = { 0 };
    unsigned char q[6] = { 0 };

    (void)state;
    bytes_copy(half, p, 3, 2);
    assert_true(half[0] == 0x0201 && half[1] == 0x0403 && half[2] == 0x0605);
    bytes_copy(q, half, 3, 2);
    assert_memory_equal(q, p, 6);
    bytes_copy(q, p + 3, 3, 1);
    assert_memory_equal(q, p + 3, 3);
    bytes_copy(NULL, NULL, 0, 4);
}

static void files(void **state)
{
    static const uint16_t half[3] = { 0x0201, 0x0403, 0x0605 };
    FILE *f = tmpfile();
    unsigned char q[8];

    (void)state;
    assert_non_null(f);
    bytes_write(f, NULL, 0, 2);
    bytes_write(f, half, 3, 2);
    rewind(f);
    assert_int_equal(fread(q, 1, sizeof q, f), 6);
    assert_memory_equal(q, "\1\2\3\4\5\6", 6);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_numbers), cmocka_unit_test(arrays), cmocka_unit_test(files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
