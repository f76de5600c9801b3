/* Lists in one array, and the door that each of them passes: where it starts, and what codes are in it. */

#include "core.h"

static inline int is_below(i64 code, i64 width) { return code >= 0 && code < width; }

/* Whether all of some codes are below `width`: no sign is set, of a code or of what it lacks to the last one. */
static inline int are_below(const Array *codes, i64 width) {
    const i32 *code = codes->at, last = (i32)((width < INT32_MAX ? width : INT32_MAX) - 1);
    i32 wrong = 0;
    if (width < 1)
        return codes->size == 0;
    for (i64 at = 0; at < codes->size; at++)
        wrong |= code[at] | (last - code[at]);
    return wrong >= 0;
}

/* The items of each transaction; likewise the transactions of each item. */
typedef struct {
    const i64 *starts;
    const i32 *items;
    i64 many;
} Lists;

/* Whether starts ascend within so many items: no sign is set, of a start or of what it lacks to the next. */
static inline int are_starts(const Array *starts, i64 size) {
    const i64 *start = starts->at, many = starts->size - 1;
    if (many < 0 || many >= INT32_MAX)
        return 0;
    i64 wrong = start[0];
    for (i64 at = 0; at < many; at++)
        wrong |= start[at + 1] | (start[at + 1] - start[at]);
    return wrong >= 0 && start[many] <= size;
}

static inline int are_lists(Lists *lists, const Array *starts, const Array *items, i64 width) {
    *lists = (Lists){starts->at, items->at, starts->size - 1};
    return are_starts(starts, items->size) && are_below(items, width);
}

/* A function that sorts some numbers of a type by Shell's method, which of few is plain insertion. */
#define SHELL_SORT(name, type)                                                                                  \
    static void name(type *numbers, i64 many) {                                                                 \
        i64 gap = 1;                                                                                            \
        while (9 * gap < many)                                                                                  \
            gap = 3 * gap + 1;                                                                                  \
        for (; gap > 0; gap /= 3)                                                                               \
            for (i64 place = gap; place < many; place++) {                                                      \
                const type number = numbers[place];                                                             \
                i64 hole = place;                                                                               \
                for (; hole >= gap && numbers[hole - gap] > number; hole -= gap)                                \
                    numbers[hole] = numbers[hole - gap];                                                        \
                numbers[hole] = number;                                                                         \
            }                                                                                                   \
    }
