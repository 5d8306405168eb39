/* SPDX-License-Identifier: MIT
 * Codes of bitsandbytes, 4 bits by block and 8 by row -> weights. */
#include <jansson.h>
#include <limits.h>

#include "base/json.h"
#include "base/json_field.h"
#include "weights/quantised/quant_priv.h"

enum { MOST_BLOCK = 1 << 24 };

/* ---- 4 bits ---- */

struct nibbles {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q;
    float map[16];
    const unsigned char *largest;       /* of each block: F32, or U8 where nested */
    const unsigned char *nested, *nested_map;   /* F32 [blocks / nested_block], [256] */
    int block, nested_block;            /* nested_block 0: largest is F32 */
    float offset;
    float (*round)(float x);
};

static float as_it_is(float x)
{
    return x;
}

static float to_half(float x)
{
    return half_to_float(half_bits(x));
}

static float bnb_largest_of(const struct nibbles *nibbles, int64_t block)
{
    if (nibbles->nested_block == 0)
        return quant_float(nibbles->largest, block);
    return quant_float(nibbles->nested_map, nibbles->largest[block]) *
               quant_float(nibbles->nested, block / nibbles->nested_block) + nibbles->offset;
}

static void read_codes(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct nibbles *codes = maker;

    while (n > 0) {
        int64_t left = codes->block - first % codes->block, count = left < n ? left : n;
        float largest = bnb_largest_of(codes, first / codes->block);

        for (int64_t i = first; i < first + count; i++) {
            int q = (i & 1) == 0 ? codes->q[i / 2] >> 4 : codes->q[i / 2] & 15;

            *out++ = codes->round(codes->map[q] * largest);
        }
        first += count;
        n -= count;
    }
}

static void bnb_group_of(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct nibbles *c = self;

    for (int i = 0; i < n; i++) {
        zero[i] = 0;
        scale[i] = bnb_largest_of(c, ((o + i) * c->codes.in + k) / c->block);
    }
}

/* What the state's JSON says. */
struct state {
    int shape[2];
    int block, nested_block;
    double offset;
    const char *dtype;
};

static int read_state(struct unpacker *unpacker, const json_t *root, bool nested,
                      struct state *state)
{
    const char *dtype;
    int *shape, n;
    size_t n_dtype;

    if (json_field_ints(unpacker->w->a, root, "shape", 1, INT_MAX, &shape, &n, unpacker->e) != 0 ||
        json_field_int(root, "blocksize", 2, MOST_BLOCK, &state->block, unpacker->e) != 0 ||
        json_field_text(root, "dtype", &dtype, &n_dtype, unpacker->e) != 0)
        return -1;
    if (n != 2)
        return json_field_wrong("shape", json_object_get(root, "shape"), "two numbers",
                                unpacker->e);
    memcpy(state->shape, shape, sizeof state->shape);
    state->dtype = arena_strdup(unpacker->w->a, dtype);
    if (!nested)
        return 0;
    return json_field_int(root, "nested_blocksize", 1, MOST_BLOCK, &state->nested_block,
                          unpacker->e) != 0 ?
               -1 :
               json_field_real(root, "nested_offset", -1e30, 1e30, &state->offset, unpacker->e);
}

static int choose_round(struct unpacker *unpacker, const struct state *state,
                        struct nibbles *nibbles)
{
    static const struct {
        const char *name;
        float (*round)(float x);
        enum packed_round how;
    } row[] = {
        { "float32", as_it_is, PACKED_EXACT }, { "float16", to_half, PACKED_F16 },
        { "bfloat16", bf16_round, PACKED_BF16 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (strcmp(row[i].name, state->dtype) == 0) {
            nibbles->round = row[i].round;
            nibbles->codes.round = row[i].how;
            return 0;
        }
    return err_set(unpacker->e, ERR_INPUT, "dtype: found \"%s\", expected float32, float16 or "
                   "bfloat16", str_shown(unpacker->w->a, state->dtype));
}

static int open_state(struct unpacker *unpacker, const struct tensor *tensor, bool nested,
                      struct nibbles *nibbles, struct state *state)
{
    struct span bytes = { tensor->data, (size_t)tensor->n_elements };
    json_t *root = json_read(unpacker->w->a, bytes, 0, unpacker->e);
    int status;

    if (root == NULL)
        return err_under(unpacker->e, "%s: %s", tensor->file,
                         str_shown(unpacker->w->a, tensor->name));
    status = read_state(unpacker, root, nested, state);
    if (status == 0)
        status = choose_round(unpacker, state, nibbles);
    json_drop(unpacker->w->a, root);
    return status == 0 ? 0 :
           err_under(unpacker->e, "%s: %s", tensor->file, str_shown(unpacker->w->a, tensor->name));
}

/* How large the blocks are, by which the codes are multiplied. */
static int open_nested(struct unpacker *unpacker, struct nibbles *nibbles, int64_t n_blocks,
                       const struct tensor *largest, const struct tensor *nested)
{
    const struct tensor *map = quant_part(unpacker, ".weight.nested_quant_map");

    if (map == NULL || quant_check(unpacker, largest, DTYPE_U8, n_blocks, -1) != 0 ||
        quant_check(unpacker, map, DTYPE_F32, 256, -1) != 0 ||
        quant_check(unpacker, nested, DTYPE_F32, (n_blocks - 1) / nibbles->nested_block + 1, -1) !=
            0)
        return -1;
    nibbles->nested = nested->data;
    nibbles->nested_map = map->data;
    return 0;
}

static int open_blocks(struct unpacker *unpacker, struct nibbles *nibbles,
                       const struct state *state, const struct tensor *tensor,
                       const struct tensor *largest, const struct tensor *nested)
{
    int64_t n = (int64_t)state->shape[0] * state->shape[1], n_blocks = (n - 1) / state->block + 1;

    nibbles->block = state->block;
    nibbles->nested_block = state->nested_block;
    nibbles->offset = (float)state->offset;
    nibbles->q = tensor->data;
    nibbles->largest = largest->data;
    if (quant_check(unpacker, tensor, DTYPE_U8, n / 2 + n % 2, 1) != 0)
        return -1;
    return nested != NULL ? open_nested(unpacker, nibbles, n_blocks, largest, nested) :
           quant_check(unpacker, largest, DTYPE_F32, n_blocks, -1);
}

/* For those who unpack in vectors: blocks end where rows end, or rows where blocks do. */
static void bnb_describe(struct nibbles *nibbles, int64_t out, int64_t in)
{
    int64_t group = in < nibbles->block ? in : nibbles->block;

    nibbles->codes.in = in;
    if (group % 8 != 0 || in % group != 0 || nibbles->block % group != 0)
        return;
    nibbles->codes.lie = PACKED_ALONG;
    nibbles->codes.q = nibbles->q;
    nibbles->codes.stride = in / 2;
    nibbles->codes.out = out;
    nibbles->codes.group = group;
    nibbles->codes.bits = 4;
    nibbles->codes.high_first = true;
    nibbles->codes.value = nibbles->map;
    nibbles->codes.group_of = bnb_group_of;
    nibbles->maker.codes = &nibbles->codes;
}

int quant_bnb4(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct nibbles *codes = arena_alloc(unpacker->w->a, 1, sizeof *codes);
    const struct tensor *q = quant_part(unpacker, ".weight");
    const struct tensor *map = quant_part(unpacker, ".weight.quant_map");
    const struct tensor *nested = quant_find(unpacker, ".weight.nested_absmax");
    const struct tensor *nested_map = quant_find(unpacker, ".weight.nested_quant_map");
    const struct tensor *nf4 = quant_find(unpacker, ".weight.quant_state.bitsandbytes__nf4");
    const struct tensor *fp4 = quant_find(unpacker, ".weight.quant_state.bitsandbytes__fp4");
    const struct tensor *json = nf4 != NULL ? nf4 : fp4;
    struct state state = { .block = 0 };

    if (json == NULL)
        json = quant_part(unpacker, ".weight.quant_state.bitsandbytes__nf4");
    if (q == NULL || map == NULL || json == NULL ||
        quant_check_dims(unpacker, json, DTYPE_U8, 1) != 0 ||
        open_state(unpacker, json, nested != NULL, codes, &state) != 0 ||
        quant_check(unpacker, map, DTYPE_F32, 16, -1) != 0 ||
        open_blocks(unpacker, codes, &state, q, packed, nested) != 0)
        return -1;
    for (int i = 0; i < 16; i++)
        codes->map[i] = quant_float(map->data, i);
    codes->maker.read = read_codes;
    codes->maker.how = arena_printf(unpacker->w->a, "bitsandbytes, %s in blocks of %d",
                                   json == nf4 ? "NF4" : "FP4", state.block);
    codes->maker.n_parts = nested != NULL ? 6 : 4;
    codes->maker.part = quant_parts(unpacker, (const struct tensor *[]){
        q, packed, map, json, nested, nested_map }, codes->maker.n_parts);
    bnb_describe(codes, state.shape[0], state.shape[1]);
    quant_fill(out, &codes->maker, state.shape[0], state.shape[1]);
    return 0;
}

/* ---- 8 bits ---- */

struct bytes_by_row {
    struct maker maker;
    struct packed_codes codes;
    const unsigned char *q, *largest;   /* I8 [out, in]; F32 [out] */
    int64_t in;
};

static void bnb_read_bytes(const void *maker, float *out, int64_t first, int64_t n)
{
    const struct bytes_by_row *b = maker;

    for (int64_t i = first; i < first + n; i++)
        *out++ = (float)(int8_t)b->q[i] * quant_float(b->largest, i / b->in) *
                 (1.0f / 127);
}

static void bytes_group(const void *self, float *zero, float *scale, int64_t o, int n, int64_t k)
{
    const struct bytes_by_row *b = self;

    (void)k;
    for (int i = 0; i < n; i++) {
        zero[i] = 0;
        scale[i] = quant_float(b->largest, o + i);
    }
}

/* For those who unpack in vectors: whole words of four inputs. */
static void describe_bytes(struct bytes_by_row *row, int64_t out)
{
    if (row->in % 4 != 0)
        return;
    row->codes = (struct packed_codes){ .lie = PACKED_ALONG, .q = row->q, .stride = row->in,
                                        .out = out,
                                        .in = row->in, .group = row->in, .bits = 8,
                                        .is = PACKED_INT8, .group_of = bytes_group };
    row->maker.codes = &row->codes;
}

int quant_bnb8(struct unpacker *unpacker, const struct tensor *packed, struct tensor *out)
{
    struct bytes_by_row *bytes = arena_alloc(unpacker->w->a, 1, sizeof *bytes);
    const struct tensor *q = quant_part(unpacker, ".weight");
    const struct tensor *format = quant_find(unpacker, ".weight_format");
    const struct tensor *part[2] = { q, packed };

    if (q == NULL || quant_check_dims(unpacker, q, DTYPE_I8, 2) != 0 ||
        quant_check(unpacker, packed, DTYPE_F32, q->shape[0], -1) != 0)
        return -1;
    if (format != NULL && (format->dtype != DTYPE_U8 || format->n_elements != 1 ||
                           format->data[0] != 0))
        return err_set(unpacker->e, ERR_INPUT, "%s: %s: another order than that of rows is not "
                       "supported, expected one U8 of 0", format->file,
                       str_shown(unpacker->w->a, format->name));
    bytes->q = q->data;
    bytes->largest = packed->data;
    bytes->in = q->shape[1];
    bytes->maker = (struct maker){ .read = bnb_read_bytes, .how = "bitsandbytes, 8 bits by row",
                                 .part = quant_parts(unpacker, part, 2), .n_parts = 2 };
    describe_bytes(bytes, q->shape[0]);
    quant_fill(out, &bytes->maker, q->shape[0], bytes->in);
    return 0;
}
