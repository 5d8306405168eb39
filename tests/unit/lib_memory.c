/* SPDX-License-Identifier: MIT
 * The library when memory runs out: the heap has a limit, or the process is denied
 * address space.  An error comes back, handles can be closed, nothing is lost. */
#include "check.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mhaviz.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITISED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITISED 1
#endif
#endif

#ifndef SANITISED
/* ---- the allocator of this process, for all libraries: with a limit ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static atomic_llong held;               /* bytes that are not freed yet */
static atomic_llong limit = LLONG_MAX;  /* of them */
static atomic_llong until = LLONG_MAX;  /* allocations before one that fails alone */

#pragma GCC visibility push(default)
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);
#pragma GCC visibility pop

static bool fails(size_t size)
{
    if (held + (long long)size <= limit && --until != 0)
        return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *p)
{
    held += (long long)malloc_usable_size(p);
    return p;
}

void *malloc(size_t size)
{
    return fails(size) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails(n * size) ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
    long long before = (long long)malloc_usable_size(p);
    void *q = fails(size) ? NULL : __libc_realloc(p, size);

    if (q != NULL)
        held += (long long)malloc_usable_size(q) - before;
    return q;
}

void free(void *p)
{
    held -= (long long)malloc_usable_size(p);
    __libc_free(p);
}
#endif

/* ---- what a program does ---- */

static int take(void *self, const struct mhaviz_rows *rows)
{
    *(double *)self += (double)rows->weights[0];
    return 0;
}

static const char VIT[] = "tests/ref/media/vit", WHISPER[] = "tests/ref/media/whisper";

/* What the model reads. */
static enum mhaviz_status open_text(struct mhaviz_model *model, const char *path, const char *pair,
                                    struct mhaviz_text **text, struct mhaviz_error *error)
{
    return path == VIT ? mhaviz_text_open_image(model, "tests/ref/media/rgb.png", text, error) :
           path == WHISPER ?
               mhaviz_text_open_audio(model, "tests/ref/media/voice.wav", pair, text, error) :
               mhaviz_text_open(model, "the key is in the door", pair, text, error);
}

/* Opens, runs, counts; closes what it could open.  The first error, or MHAVIZ_OK. */
static enum mhaviz_status use(const char *path, const char *pair, int n_threads,
                              struct mhaviz_error *error)
{
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_stats *stats = NULL;
    enum mhaviz_status status = mhaviz_model_open(&model, path, n_threads, error);
    double sum = 0;

    if (status == MHAVIZ_OK)
        status = open_text(model, path, pair, &text, error);
    if (status == MHAVIZ_OK)
        status = mhaviz_run(model, text, NULL, take, &sum, error);
    if (status == MHAVIZ_OK)
        status = mhaviz_stats_open(model, text, NULL, &stats, error);
    mhaviz_stats_close(&stats);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
    return status;
}

/* ---- a heap that may not grow beyond a limit ---- */

#ifndef SANITISED
enum { STEPS = 60 };

/* With ever more memory until there is enough; lost: bytes that an error leaves are errors. */
static void limit_each(const char *path, const char *pair, int n_threads, bool lost)
{
    struct mhaviz_error error;
    enum mhaviz_status status;
    long long before;
    int n_errors = 0;

    /* What other libraries keep is there from the first time. */
    if (use(path, pair, n_threads, &error) != MHAVIZ_OK)
        fail_msg("%s", error.message);
    before = held;
    for (long long more = 128;; more += more / STEPS + 64) {
        limit = before + more;
        status = use(path, pair, n_threads, &error);
        limit = LLONG_MAX;
        if (status == MHAVIZ_OK)
            break;
        n_errors++;
        if (status != MHAVIZ_SYSTEM || error.message[0] == '\0')
            fail_msg("%s, %lld bytes: status %d, \"%s\"", path, more, (int)status,
                     error.message);
        if (lost && held != before)
            fail_msg("%s, %lld bytes: %lld are lost (\"%s\")", path, more, held - before,
                     error.message);
    }
    assert_true(n_errors > 50);
}

static void limited_heap(void **state)
{
    static const struct { const char *path, *pair; } models[] = {
        { NULL, NULL }, { "tests/ref/bert", "river" }, { "tests/ref/gguf_llama", NULL },
        { "tests/ref/bart", "river" }, { "tests/ref/gpt2", NULL }, { VIT, NULL },
        { WHISPER, NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        limit_each(models[i].path, models[i].pair, 1, true);
        limit_each(models[i].path, models[i].pair, 3, false);
    }
}

/* One allocation fails and all others succeed, as when another thread took the memory. */
static void fails_once(void **state)
{
    static const char *const models[] = { NULL, "tests/ref/bert", "tests/ref/gguf_llama" };

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        for (long long n = 1, left = 0; left <= 0; n++) {
            struct mhaviz_model *model = NULL;
            struct mhaviz_error error;
            enum mhaviz_status status;

            until = n;
            status = mhaviz_model_open(&model, models[i], 1, &error);
            left = until;
            until = LLONG_MAX;
            mhaviz_model_close(&model);
            if (status != MHAVIZ_OK && status != MHAVIZ_SYSTEM)
                fail_msg("%s, allocation %lld: status %d, \"%s\"", models[i], n,
                         (int)status, error.message);
        }
}

/* The same handles, when there is memory again. */
static void used_again(void **state)
{
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_stats *stats = NULL;
    double first = 0, again = 0;
    int n_errors = 0;

    (void)state;
    assert_int_equal(mhaviz_model_open(&model, NULL, 3, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(model, "the cat", NULL, &text, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_run(model, text, NULL, take, &first, NULL), MHAVIZ_OK);
    for (long long more = 64; more < 1 << 21; more *= 2) {
        limit = held + more;
        n_errors += mhaviz_stats_open(model, text, NULL, &stats, NULL) == MHAVIZ_SYSTEM;
        limit = LLONG_MAX;
        again = 0;
        mhaviz_stats_close(&stats);
        assert_int_equal(mhaviz_run(model, text, NULL, take, &again, NULL), MHAVIZ_OK);
        assert_true(fabs(first - again) < 1e-9);
    }
    assert_true(n_errors > 5);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

static int open_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += lseek(fd, 0, SEEK_CUR) >= 0;
    return n;
}

/* A task that ends in the midst leaves neither memory nor files, and the handles are good. */
static void limited_task(const char *name, const char *word)
{
    const char *const options[] = { word, NULL };
    const struct mhaviz_task task = { .struct_size = sizeof task, .name = name,
                                      .options = options };
    struct mhaviz_model *model = NULL;
    struct mhaviz_text *text = NULL;
    struct mhaviz_error error;
    void *data, *first;
    size_t size, n;
    int n_errors = 0, files;
    long long before;

    assert_int_equal(mhaviz_model_open(&model, "tests/ref/gpt2", 1, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_text_open(model, "the cat", NULL, &text, NULL), MHAVIZ_OK);
    assert_int_equal(mhaviz_make(model, text, &task, &first, &n, NULL), MHAVIZ_OK);
    before = held;
    files = open_files();
    for (long long more = 128;; more += more / STEPS + 64) {
        enum mhaviz_status status;

        limit = before + more;
        status = mhaviz_make(model, text, &task, &data, &size, &error);
        limit = LLONG_MAX;
        if (status == MHAVIZ_OK)
            break;
        n_errors++;
        if (status != MHAVIZ_SYSTEM || data != NULL || held != before || open_files() != files)
            fail_msg("%s, %lld bytes: status %d, \"%s\", %lld bytes and %d files are lost", name,
                     more, (int)status, error.message, held - before, open_files() - files);
    }
    if (n_errors < 20 || size != n)
        fail_msg("%s: %d errors, %zu bytes, expected %zu", name, n_errors, size, n);
    assert_memory_equal(data, first, n);
    free(data);
    free(first);
    mhaviz_text_close(&text);
    mhaviz_model_close(&model);
}

static void limited_tasks(void **state)
{
    (void)state;
    limited_task("stats", "--json");
    limited_task("ablate", "--json");
    limited_task("report", "--page-precision=8");
}
#endif

/* ---- a process that may not grow ---- */

static long long size_of_process(void)
{
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lld", &pages), 1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

/* The child prints the error and exits with 0, or 1 where there was none. */
static int denied(long long bytes)
{
    struct rlimit room = { (rlim_t)(size_of_process() + bytes), RLIM_INFINITY };
    struct mhaviz_error error;
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_AS, &room);
        if (use(NULL, NULL, 3, &error) == MHAVIZ_OK)
            _exit(1);
        printf("# %lld kB: %s\n", bytes >> 10, error.message);
        fflush(stdout);
        _exit(error.status == MHAVIZ_SYSTEM && error.message[0] != '\0' ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
        fail_msg("%lld kB: status %x", bytes >> 10, (unsigned)status);
    return WEXITSTATUS(status);
}

static void denied_memory(void **state)
{
    int n_errors = 0;

    (void)state;
#ifdef SANITISED
    skip();                         /* their own memory is address space too */
#endif
    for (long long kb = 16; kb <= 1 << 20; kb += kb / 2)
        n_errors += denied(kb << 10) == 0;
    assert_true(n_errors > 5);
    assert_int_equal(denied(1LL << 30), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denied_memory),        /* before the heap has what others gave back */
#ifndef SANITISED
        cmocka_unit_test(limited_heap), cmocka_unit_test(fails_once),
        cmocka_unit_test(used_again), cmocka_unit_test(limited_tasks),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
