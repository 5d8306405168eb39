/* SPDX-License-Identifier: MIT
 * Counts of tokens: what is read, what is refused. */
#include "check.h"

#include <string.h>

#include "session/unigrams.h"

enum { N_IDS = 9 };

static int read(const char *text, size_t n, int64_t count[N_IDS], struct err *e)
{
    return unigrams_read((struct span){ (const unsigned char *)text, n }, "f", N_IDS, count, e);
}

static void lines(void **state)
{
    static const char *const texts[] = {
        "3\t7\n0\t9007199254740992\n8\t0\n",
        "id\tcount\n3\t7\n0\t9007199254740992",
        "id\tcount\r\n3\t7\r\n0\t9007199254740992\r\n", NULL
    };
    struct err e;

    (void)state;
    for (int i = 0; texts[i] != NULL; i++) {
        int64_t count[N_IDS];

        assert_int_equal(read(texts[i], strlen(texts[i]), count, &e), 0);
        for (int id = 0; id < N_IDS; id++)
            assert_int_equal(count[id], id == 0 ? 1LL << 53 : id == 3 ? 7 : 0);
    }
}

static void wrong(void **state)
{
    static const struct {
        const char *text, *msg;
    } cases[] = {
        { "", "f: holds no count above 0, expected a line per token: id, tabulator, count" },
        { "id\tcount\n", "f: holds no count" },
        { "1\t0\n", "f: holds no count" },
        { "1\t2\n1\t2\n", "f: line 2: id 1 is there twice" },
        { "1\t0\n1\t2\n", "f: line 2: id 1 is there twice" },
        { "1\t2\n9\t2\n", "f: line 2: id 9: expected 0 to 8" },
        { "99999999999999999999\t2\n", "f: line 1: id 9223372036854775807: expected 0 to 8" },
        { "1\t2\nid\tcount\n", "f: line 2: 'id\\tcount' is not an id, a tabulator and a count" },
        { "1 2\n", "f: line 1: '1 2' is not" },
        { "-1\t2\n", "f: line 1: '-1\\t2' is not" },
        { "1\t-2\n", "f: line 1: '1\\t-2' is not" },
        { "1\t\n", "f: line 1: '1\\t' is not" },
        { "1\t2\t3\n", "f: line 1: '1\\t2\\t3' is not" },
        { "1\t2.5\n", "f: line 1: '1\\t2.5' is not" },
        { "1\t9007199254740993\n", "f: line 1: '1\\t9007199254740993' is not" },
        { "1\t2\n\n3\t4\n", "f: line 2: '' is not" },
        { "1\t00000000000000000000000000000000000000000000000000000000000000002\n",
          "f: line 1: '1\\t" },
    };
    struct err e;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t count[N_IDS];

        assert_int_equal(read(cases[i].text, strlen(cases[i].text), count, &e), -1);
        assert_int_equal(e.kind, ERR_INPUT);
        if (strncmp(e.msg, cases[i].msg, strlen(cases[i].msg)) != 0)
            fail_msg("expected %s, got %s", cases[i].msg, e.msg);
    }
    {
        int64_t count[N_IDS];

        assert_int_equal(read("1\t2\0\n", 5, count, &e), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
