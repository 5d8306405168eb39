/* SPDX-License-Identifier: MIT
 * What base does where memory ends at any allocation: an error is returned, or the handler
 * of the arena hears of it; nothing stays allocated, no file is left. */
#include "denied.h"
#include "folder.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "base/memory_file.h"
#include "base/out.h"
#include "base/par.h"

static void leave(void *self, size_t size_bytes)
{
    (void)size_bytes;
    longjmp(*(jmp_buf *)self, 1);
}

/* What an arena is given to do; false, and e: it could not. */
typedef bool arena_work(struct arena *a, struct err *e);

struct in_arena {
    arena_work *work;
};

static enum outcome try_in_arena(void *self)
{
    const struct in_arena *in = self;
    struct err e = { ERR_NONE, "" };
    struct arena a;
    jmp_buf border;
    bool worked;

    arena_init(&a, leave, &border);
    if (setjmp(border) != 0) {
        arena_finish(&a);
        return REFUSED;
    }
    worked = in->work(&a, &e);
    arena_finish(&a);
    return worked ? WORKED : e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

/* At least `least` allocations are made, and denied. */
static void deny_arena(const char *what, arena_work *work, long least)
{
    struct in_arena in = { work };

    assert_true(deny_each(what, try_in_arena, &in, 2000) >= least);
}

/* ---- what an arena owns ---- */

static bool own_two(struct arena *a, struct err *e)
{
    (void)e;
    for (int i = 0; i < 2; i++) {
        char *block = malloc(10);

        if (block == NULL)
            arena_fail(a, 10);
        arena_own(a, free, block);
    }
    return true;
}

static void what_cannot_be_owned_is_released(void **state)
{
    (void)state;
    deny_arena("owned memory", own_two, 4);
}

static bool make_tree(struct arena *a, struct err *e)
{
    static const char text[] = "{\"key\":[1,2.5,\"two\",{\"a\":null}]}";
    const struct span bytes = { (const unsigned char *)text, sizeof text - 1 };
    json_t *object = json_hold(a, json_object());
    json_t *list = json_put(a, object, "list", json_array());
    json_t *copy = json_hold(a, json_object());

    for (int i = 0; i < 20; i++)
        json_add(a, list, json_integer(i));
    json_put_text(a, object, "text", "[true]");
    json_put_all(a, copy, object);
    return json_read(a, bytes, 0, e) != NULL && json_array_size(list) == 20 &&
           json_equal(copy, object) &&
           strcmp(json_text(a, json_array_get(list, 1)), "1") == 0;
}

static void trees(void **state)
{
    (void)state;
    deny_arena("JSON", make_tree, 30);
}

/* ---- files ---- */

static bool list_here(struct arena *a, struct err *e)
{
    size_t n;

    (void)e;
    return file_list(a, dir, &n) != NULL && n == 2;
}

/* The name of a link to the file is too long for the buffers of realpath. */
static bool find_real(struct arena *a, struct err *e)
{
    const char *real = file_real(a, at("link"));

    (void)e;
    return real != NULL && strcmp(real, at("file")) == 0;
}

static void folders_and_links(void **state)
{
    char far[2000];

    (void)state;
    write_file(at("file"), "x", 1);
    for (size_t i = 0; i + 6 < sizeof far; i += 2)
        strcpy(far + i, "./");
    strcat(far, "file");
    assert_int_equal(symlink(far, at("link")), 0);
    deny_arena("a folder", list_here, 3);
    deny_arena("a link", find_real, 1);
}

static bool write_to_memory(struct arena *a, struct err *e)
{
    enum { N = 50000 };
    struct memory_file f;
    bool same;

    (void)a;
    if (memory_file_open(&f) != 0)
        return err_set(e, ERR_SYSTEM, "no memory for a stream") == 0;
    for (int i = 0; i < N; i++)
        putc('a' + i % 26, f.file);
    if (memory_file_close(&f) != 0)
        return err_set(e, ERR_SYSTEM, "no memory for its bytes") == 0;
    same = f.size == N;
    for (int i = 0; same && i < N; i++)
        same = f.data[i] == 'a' + i % 26;
    free(f.data);
    return same;
}

static bool write_nothing(struct arena *a, struct err *e)
{
    struct memory_file f;
    bool empty;

    (void)a;
    if (memory_file_open(&f) != 0 || memory_file_close(&f) != 0)
        return err_set(e, ERR_SYSTEM, "no memory") == 0;
    empty = f.size == 0 && f.data != NULL;
    free(f.data);
    return empty;
}

/* The arena takes memory while the stream is open: its handler may leave then. */
static bool write_for_an_arena(struct arena *a, struct err *e)
{
    struct memory_file *f = memory_file_new(a);
    bool same;

    for (int i = 0; i < 3000; i++)
        fputs(arena_printf(a, "%0100d", i % 10), f->file);
    if (memory_file_close(f) != 0)
        return err_set(e, ERR_SYSTEM, "no memory for its bytes") == 0;
    same = f->size == 300000;
    for (size_t i = 0; same && i < f->size; i++)
        same = f->data[i] == (i % 100 < 99 ? '0' : '0' + (char)(i / 100 % 10));
    arena_release(a, f);
    return same && f->data == NULL;
}

static void streams_in_memory(void **state)
{
    (void)state;
    deny_arena("a stream in memory", write_to_memory, 5);
    deny_arena("an empty stream in memory", write_nothing, 2);
    deny_arena("a stream of an arena", write_for_an_arena, 10);
}

/* The address space has no room for a file; emulators do not limit it. */
static void a_file_that_cannot_be_mapped(void **state)
{
    struct rlimit before, small;
    struct err e;
    struct span s;
    int rc;

    (void)state;
    if (!DENIES || getenv("MHA_VIZ_EMULATOR") != NULL)
        skip();
    write_file(at("large"), "", 0);
    assert_int_equal(truncate(at("large"), (off_t)3 << 29), 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = (struct rlimit){ (rlim_t)1 << 30, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    rc = file_map(at("large"), &s, &e);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(rc, -1);
    assert_int_equal(e.kind, ERR_SYSTEM);
    assert_non_null(strstr(e.msg, "/large: cannot be mapped: Cannot allocate memory"));
}

/* ---- lines ---- */

/* A line that is longer than what is read at once. */
static enum outcome read_lines(void *self)
{
    struct err e = { ERR_NONE, "" };
    struct lines *lines = lines_open(self, &e);
    const char *line;
    size_t size = 0;
    int status = lines != NULL ? lines_next(lines, &line, &size, &e) : -1;

    lines_close(lines);
    if (status == 1)
        return size == 200000 ? WORKED : WRONG;
    return e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void lines_of_files(void **state)
{
    char *text = malloc(200001), path[400];

    (void)state;
    memset(text, 'x', 200000);
    text[200000] = '\n';
    write_file(at("lines"), text, 200001);
    free(text);
    strcpy(path, at("lines"));
    assert_true(deny_each("plain lines", read_lines, path, 2000) >= 5);
    assert_int_equal(system(strcat(strcpy(path, "gzip "), at("lines"))), 0);
    strcpy(path, at("lines.gz"));
    assert_true(deny_each("packed lines", read_lines, path, 2000) >= 6);
}

/* A pipe gives its text once: each time another one is standard input. */
static enum outcome keep_stdin(void *self)
{
    struct err e = { ERR_NONE, "" };
    int ends[2];

    (void)self;
    if (pipe(ends) != 0 || write(ends[1], "one\n", 4) != 4)
        return WRONG;
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    if (lines_keep_stdin(&e) == 0)
        return lseek(0, 0, SEEK_END) == 4 ? WORKED : WRONG;
    return e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void a_copy_of_standard_input(void **state)
{
    int kept = dup(0);

    (void)state;
    assert_true(deny_each("standard input", keep_stdin, NULL, 2000) >= 1);
    dup2(kept, 0);
    close(kept);
}

/* ---- outputs ---- */

struct output {
    char path[400];
    int flags;
    char drop[400];             /* a file that goes away first; "": none */
};

static enum outcome write_output(void *self)
{
    const struct output *output = self;
    struct err e = { ERR_NONE, "" };
    struct out o;

    unlink(output->drop);
    if (out_open(&o, output->path, output->flags, &e) != 0)
        return e.kind == ERR_SYSTEM ? REFUSED : WRONG;
    fputs("new", o.file);
    if (out_commit(&o, &e) == 0)
        return WORKED;
    return e.kind == ERR_SYSTEM ? REFUSED : WRONG;
}

static void outputs(void **state)
{
    struct output file = { .flags = OUT_DURABLE }, link = { .flags = 0 };
    struct output device = { .path = "/dev/null", .flags = OUT_SEEKABLE };
    struct output number = { .flags = 0 };
    int fd = open("/dev/null", O_WRONLY);

    (void)state;
    strcpy(file.path, at("o"));
    assert_true(deny_each("a file", write_output, &file, 2000) >= 3);
    assert_int_equal(entries(), 1);
    assert_int_equal(symlink("nowhere", at("link")), 0);
    strcpy(link.path, at("link"));
    strcpy(link.drop, at("nowhere"));
    assert_true(deny_each("a link", write_output, &link, 2000) >= 4);
    assert_int_equal(entries(), 3);
    assert_true(deny_each("a device", write_output, &device, 2000) >= 2);
    snprintf(number.path, sizeof number.path, "/dev/fd/%d", fd);
    assert_true(deny_each("a descriptor", write_output, &number, 2000) >= 1);
    close(fd);
}

/* ---- threads ---- */

static void nothing(void *self, int i, struct arena *scratch)
{
    (void)scratch;
    ((bool *)self)[i] = true;
}

static enum outcome work_in_threads(void *self)
{
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(3, &e);
    bool done[5] = { false };

    (void)self;
    if (par == NULL)
        return e.kind == ERR_SYSTEM ? REFUSED : WRONG;
    par_for(par, 5, nothing, done);
    par_free(par);
    return done[0] && done[1] && done[2] && done[3] && done[4] ? WORKED : WRONG;
}

/* Threads that cannot be started are done without; those of before would be found again. */
static void pools_without_threads(void **state)
{
    struct err e;
    struct par *par;
    bool done[5] = { false };

    (void)state;
    if (!DENIES)
        skip();
    memory.left = 2;            /* the pool and its list */
    memory.counts = true;
    par = par_new(3, &e);
    memory.counts = false;
    assert_non_null(par);
    assert_in_range(par_threads(par), 1, 2);    /* the C library may have room for one */
    par_for(par, 5, nothing, done);
    for (int i = 0; i < 5; i++)
        assert_true(done[i]);
    par_free(par);
}

static void pools(void **state)
{
    (void)state;
    assert_int_equal(deny_each("threads", work_in_threads, NULL, 2000), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_without_threads),
        cmocka_unit_test(what_cannot_be_owned_is_released), cmocka_unit_test(trees),
        cmocka_unit_test(streams_in_memory),
        IN_FOLDER(folders_and_links), IN_FOLDER(a_file_that_cannot_be_mapped),
        IN_FOLDER(lines_of_files),
        cmocka_unit_test(a_copy_of_standard_input), IN_FOLDER(outputs),
        cmocka_unit_test(pools),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
