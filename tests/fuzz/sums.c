/* SPDX-License-Identifier: MIT
 * Any bytes as the sums of a part, whose checksum is mended: refused with a message, or
 * reported. */
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "task/parts/parts.h"

extern const struct parts_kind ablate_parts, stats_parts, types_parts;

static unsigned char *mended(struct arena *a, const uint8_t *data, size_t size)
{
    unsigned char *bytes = arena_alloc(a, size, 1);

    memcpy(bytes, data, size);
    if (size > 4)
        bytes_put(bytes + size - 4, crc32_z(0, bytes, size - 4), 4);
    return bytes;
}

/* By the command that its header names; stats where it names none. */
static const struct parts_kind *kind_of(const struct sums *part)
{
    const char *name = json_string_value(json_object_get(part->run, "command"));

    return name != NULL && strcmp(name, "types") == 0 ? &types_parts :
           name != NULL && strcmp(name, "ablate") == 0 ? &ablate_parts : &stats_parts;
}

static int report(struct arena *a, struct span bytes, struct err *e)
{
    const struct env env = { .arena = a };
    const struct common_args args = { .output = { .path = "/dev/null" } };
    struct sums part;

    if (sums_read_memory(a, bytes, &part, e) != 0)
        return -1;
    part.path = "f";
    return parts_report(kind_of(&part), &args, &part, &part, 1, &env, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct err e = { 0 };
    jmp_buf out;

    if (size == 0)
        return 0;
    arena_init(&a, fuzz_full, &out);
    if (setjmp(out) == 0 && report(&a, (struct span){ mended(&a, data, size), size }, &e) != 0)
        assert(e.kind == ERR_INPUT || (e.kind == ERR_USAGE && strstr(e.msg, "--by") != NULL));
    arena_finish(&a);
    return 0;
}
