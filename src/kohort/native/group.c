/* Room "group": equal rows as groups, and how many records of a group have the same value. */

#include "core.h"

/* ── Equal rows ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Number equal rows of `width` words from row done[0] on, where done[1] groups are known: of each row its group, of
   each group its first row. Ends where there is no room for one more group, and leaves in `done` how far it came.
   Work: one hash and mostly one comparison a row. Trusts: that the table and the first rows are as earlier calls left
   them, -1 where a place is free. */
API i64 kohort_group(Array words, i64 width, Array of, Array first, Array table, Array done) {
    const u64 *word = words.at;
    i64 *heads = first.at, *reached = done.at, rows = of.size;
    i32 *slots = table.at;
    DOOR(width > 0 && words.size % width == 0 && words.size / width == rows && rows <= INT64_MAX / 64);
    DOOR((of.item == 4 || of.item == 8) && done.size == 2 && is_power(table.size) && table.size > first.size);
    i64 row = reached[0], groups = reached[1];
    u64 mask = (u64)table.size - 1;
    DOOR(is_inside(row, 0, rows) && is_inside(groups, 0, first.size) && first.size <= INT32_MAX);
    while (row < rows) {
        u64 place[BATCH];
        i64 some = rows - row < BATCH ? rows - row : BATCH, each;
        for (each = 0; each < some; each++) {
            u64 state = 0;
            for (i64 k = 0; k < width; k++)
                state = mixed(state, word[(row + each) * width + k]);
            place[each] = state & mask;
            __builtin_prefetch(slots + place[each]);
        }
        for (each = 0; each < some; each++, row++) {
            u64 slot = place[each];
            const u64 *own = word + row * width;
            for (i64 tried = 0; slots[slot] >= 0; tried++, slot = (slot + 1) & mask) {
                DOOR(tried < table.size && slots[slot] < groups && is_inside(heads[slots[slot]], 1, rows));
                if (memcmp(word + heads[slots[slot]] * width, own, 8 * (size_t)width) == 0)
                    break;
            }
            if (slots[slot] < 0) {
                if (groups == first.size) {
                    reached[0] = row, reached[1] = groups;
                    return 0;
                }
                heads[groups] = row;
                slots[slot] = (i32)groups++;
            }
            if (of.item == 4)
                ((u32 *)of.at)[row] = (u32)slots[slot];
            else
                ((i64 *)of.at)[row] = slots[slot];
        }
    }
    reached[0] = row, reached[1] = groups;
    return 0;
}

/* How many records of its group have each record's value; 0 where it is beyond those that are `seen`, all of them zero.
   Work: two passes over the records. Trusts: that `seen` is zero; otherwise counts are wrong. */
API i64 kohort_shared(Array values, Array starts, Array seen, Array shared) {
    const i64 *start = starts.at;
    u64 *last = seen.at; /* of each value the group that had it last, its number plus one above how often */
    u32 *found = shared.at;
    DOOR(shared.size == values.size && starts.size < INT32_MAX && values.size < INT32_MAX);
    for (i64 group = 1; group < starts.size; group++) {
        const i64 first = start[group - 1], end = start[group];
        DOOR(first >= 0 && first <= end && end <= values.size);
        for (i64 row = first; row < end; row++) {
            u64 value = number(&values, row);
            if (value < (u64)seen.size)
                last[value] = (last[value] >> 32 == (u64)group ? last[value] : (u64)group << 32) + 1;
        }
        for (i64 row = first; row < end; row++) {
            u64 value = number(&values, row);
            found[row] = value < (u64)seen.size ? (u32)last[value] : 0;
        }
    }
    return 0;
}
