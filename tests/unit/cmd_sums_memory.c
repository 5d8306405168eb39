/* SPDX-License-Identifier: MIT
 * The file of a shard where memory ends at any allocation: it is whole, or is not written. */
#include "denied.h"

#include <string.h>

#include "task/parts/sums.h"

static void leave(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

/* Of a run and a part whose objects hold so much that their tables grow. */
struct written {
    json_t *run, *part;
    FILE *f;
    char bytes[4096], good[4096];
};

static enum outcome write_sums(void *self)
{
    static const uint64_t word[3] = { 1, 2, 3 };
    struct written *w = self;
    const struct sums s = { .run = w->run, .part = w->part, .word = word, .n = 3 };
    struct arena a;
    jmp_buf border;

    memset(w->bytes, 0, sizeof w->bytes);
    rewind(w->f);
    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return REFUSED;
    }
    sums_write(&a, &s, w->f);
    fflush(w->f);
    arena_finish(&a);
    if (w->good[0] == '\0')
        memcpy(w->good, w->bytes, sizeof w->good);
    return memcmp(w->bytes, w->good, sizeof w->good) == 0 ? WORKED : WRONG;
}

static void a_part_is_whole(void **state)
{
    static char buffer[4096];
    struct written w = { 0 };
    json_t *list;
    char key[20];

    (void)state;
    if (!DENIES)
        skip();
    w.run = json_object();
    w.part = json_object();
    list = json_array();
    w.f = fmemopen(w.bytes, sizeof w.bytes, "r+");
    assert_non_null(w.f);
    assert_int_equal(setvbuf(w.f, buffer, _IOFBF, sizeof buffer), 0);
    for (int i = 0; i < 40; i++) {
        snprintf(key, sizeof key, "key %d", i);
        json_object_set_new(w.run, key, json_integer(i));
        json_array_append_new(list, json_string(key));
    }
    json_object_set_new(w.part, "list", list);
    assert_true(deny_each("a part", write_sums, &w, 2000) >= 50);
    assert_memory_equal(w.good, "mha-viz/sums/1\n", 15);
    fclose(w.f);
    json_decref(w.run);
    json_decref(w.part);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_part_is_whole) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
