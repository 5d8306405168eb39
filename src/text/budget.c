/* SPDX-License-Identifier: MIT
 * Bytes of texts -> limits of work and memory, and the work used. */
#include "text/budget.h"

enum { MIB = 1 << 20 };

void budget_read(struct budget *budget, uint64_t n)
{
    budget->read += n;
}

static uint64_t left(const struct budget *budget)
{
    return (budget->base > 0 ? budget->base : BUDGET_BASE) + BUDGET_A_BYTE * budget->read -
           budget->spent;
}

bool budget_spend(struct budget *budget, uint64_t work)
{
    uint64_t most;

    if (budget == NULL)
        return true;
    most = left(budget);
    budget->spent += work < most ? work : most;
    return work <= most;
}

struct budget budget_part(const struct budget *budget, int n)
{
    enum { MEMORY = 16 * MIB };
    uint64_t base = left(budget) / (uint64_t)n + 1;

    return (struct budget){ .base = base < BUDGET_BASE ? base : BUDGET_BASE, .memory = MEMORY };
}

bool budget_take(struct budget *budget, const struct budget *part)
{
    struct budget after = *budget;

    budget_read(&after, part->read);
    if (!budget_spend(&after, part->spent))
        return false;
    *budget = after;
    return true;
}

/* NFKD makes 33 bytes of 3, the byte alphabet 2 of 1; long texts do not consist of those. */
size_t budget_text(size_t n)
{
    enum { GROWTH = 64, GROWTH_OF_LONG = 2 };
    size_t small = GROWTH * (n + GROWTH), large = 32 * (size_t)MIB + GROWTH_OF_LONG * n;

    return small < large ? small : large;
}

size_t budget_items(size_t n)
{
    size_t by_size = MIB + 2 * n;

    return by_size < BUDGET_MOST_ITEMS ? by_size : BUDGET_MOST_ITEMS;
}

size_t budget_labels(size_t n)
{
    return 4 * (size_t)MIB + 64 * n;
}

size_t budget_memory(const struct budget *budget, size_t n)
{
    size_t by_size = 64 * (size_t)MIB + 1024 * n;

    return budget->memory > 0 && budget->memory < by_size ? budget->memory : by_size;
}
