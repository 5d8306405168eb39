/* SPDX-License-Identifier: MIT
 * Arrays that cannot be written, or not under that name, or are not one. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>

#include "unit/npz_files.h"

/* ---- writes that fail ---- */

static void test_full(void **state)
{
    static const unsigned char v = 1;
    static const int64_t one = 1, far = INT64_MAX - 100;
    const int64_t too_many[] = { INT64_MAX, 3 };
    struct err e = { 0 };
    struct npz *z;
    FILE *f = fopen("/dev/full", "wb+");

    (void)state;
    assert_non_null(f);
    z = npz_new(&arena, f);
    npz_put(z, npz_add(z, "a", DTYPE_U8, 1, &one), 0, &v, 1);
    assert_int_equal(npz_finish(z, &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_string_equal(e.msg, "write failed: No space left on device");
    assert_int_equal(npy_write(f, DTYPE_U8, 1, &one, &v, &e), 0);   /* buffered */
    assert_int_equal(fclose(f), EOF);

    f = popen("cat >/dev/null", "w");
    z = npz_new(&arena, f);
    assert_int_equal(npz_finish(z, &e), -1);
    assert_string_equal(e.msg, "write failed: Illegal seek");
    pclose(f);

    z = create("f.npz", &f);
    npz_add(z, "a", DTYPE_U8, 1, &far);
    npz_put(z, npz_add(z, "b", DTYPE_U8, 1, &far), 0, &v, 1);
    assert_int_equal(npz_finish(z, &e), -1);
    assert_string_equal(e.msg, "write failed: File too large");
    fclose(f);

    z = create("f.npz", &f);
    npz_put(z, npz_add(z, "a", DTYPE_F32, 2, too_many), 0, &v, 1);
    assert_int_equal(npz_finish(z, &e), -1);
    fclose(f);

    z = create("f.npz", &f);
    npz_put(z, npz_add(z, "a", DTYPE_U8, 1, &one), 0, &v, 1);
    npz_abort(z);                       /* leaves nothing for a leak checker */
    fclose(f);
}

/* A disk that fills up in the middle. */
static void test_limit(void **state)
{
    struct rlimit old, small = { 100000, 100000 };
    const int64_t n = 1 << 20;
    struct err e = { 0 };
    FILE *f;
    struct npz *z = create("f.npz", &f);

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    npz_put(z, npz_add(z, "a", DTYPE_U8, 1, &n), 0, arena_alloc(&arena, 1 << 20, 1), n);
    assert_int_equal(npz_finish(z, &e), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_string_equal(e.msg, "write failed: File too large");
    fclose(f);
}

/* Names that a zip cannot hold, or not as UTF-8. */
static void test_odd_names(void **state)
{
    const int64_t one = 1;
    char *longest = arena_alloc(&arena, 65536 - 4 + 1, 1);
    struct err e = { 0 };
    struct span s;
    FILE *f;
    struct npz *z;

    (void)state;
    memset(longest, 'x', 65536 - 4);
    z = create("f.npz", &f);
    npz_add(z, longest, DTYPE_U8, 1, &one);
    assert_int_equal(npz_finish(z, &e), -1);
    assert_string_equal(e.msg, "write failed: File name too long");
    fclose(f);
    z = create("f.npz", &f);
    npz_add(z, longest + 1, DTYPE_U8, 1, &one);
    finish(z, f);
    assert_non_null(weights_find(reopen("f.npz"), longest + 1));
    for (int i = 0; i < 3; i++) {
        static const struct { const char *name; unsigned flags; } names[] = {
            { "a", 0 }, { "\xc3\xa9", 0x800 }, { "\xe9", 0 },
        };

        z = create("f.npz", &f);
        npz_add(z, names[i].name, DTYPE_U8, 1, &one);
        finish(z, f);
        assert_int_equal(file_map(in("f.npz"), &s, &e), 0);
        assert_int_equal(bytes_get(s.data + 6, 2), names[i].flags);
        file_unmap(s);
    }
}

/* One array is wanted: of a .npz with one, or of a .npy */
static void test_one_array(void **state)
{
    const struct tensor *only;
    const int64_t one = 1;
    struct err e = { 0 };
    FILE *f;
    struct npz *z;

    (void)state;
    for (int n = 0; n < 3; n++) {
        struct weights *w;

        z = create("f.npz", &f);
        for (int i = 0; i < n; i++)
            npz_add(z, i == 0 ? "a" : "b", DTYPE_U8, 1, &one);
        finish(z, f);
        only = NULL;
        w = npz_open_one(&arena, in("f.npz"), &only, &e);
        assert_true((w != NULL) == (n == 1));
        if (w != NULL) {
            assert_string_equal(only->name, "a");
            weights_close(w);
        } else {
            assert_non_null(strstr(e.msg, arena_printf(&arena, "/f.npz: holds %d arrays, "
                                                       "expected one (a .npy)", n)));
        }
    }
    assert_null(npz_open_one(&arena, in("none.npz"), &only, &e));
    assert_non_null(strstr(e.msg, "/none.npz: No such file"));
    write_text(in("f.npz"), "PK..");
    assert_null(npz_open_one(&arena, in("f.npz"), &only, &e));
    assert_non_null(strstr(e.msg, "/f.npz: zip end record missing"));
}

static void test_npy_refused(void **state)
{
    static const int64_t too_many[] = { INT64_MAX, 3 }, one = 1;
    struct err e = { 0 };
    FILE *f = fopen("/dev/full", "wb");

    (void)state;
    assert_non_null(f);
    setvbuf(f, NULL, _IONBF, 0);
    assert_int_equal(npy_write(f, DTYPE_F32, 2, too_many, NULL, &e), -1);
    assert_string_equal(e.msg, "an array of over 2^63 bytes cannot be written");
    assert_int_equal(npy_write(f, DTYPE_U8, 1, &one, "x", &e), -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_string_equal(e.msg, "write failed: No space left on device");
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_full, begin, end),
        cmocka_unit_test_setup_teardown(test_limit, begin, end),
        cmocka_unit_test_setup_teardown(test_odd_names, begin, end),
        cmocka_unit_test_setup_teardown(test_one_array, begin, end),
        cmocka_unit_test_setup_teardown(test_npy_refused, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
