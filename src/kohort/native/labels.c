/* Room "verify": how records fit into the labels that were published for them.

   The verifier alone calls these: with the search it shares nothing here but core.h. */

#include "core.h"

/* ── Records and their labels ────────────────────────────────────────────────────────────────────────────────────── */

/* What the labels of a column stand for: the least and the greatest rank of each, and where the values that it lists
   begin, ascending; and the rank of each value. */
typedef struct {
    Array ranks, low, high, first, listed;
} Meaning;

static int lists(const Meaning *meaning, u64 label, u64 value) {
    const u32 *listed = meaning->listed.at;
    const i64 *first = (const i64 *)meaning->first.at + label;
    i64 at = first[0];
    if (at < 0 || first[1] < at || first[1] > meaning->listed.size)
        return REFUSED;
    i64 left = first[1] - at;
    for (i64 half; left > 1; left -= half) { /* no branch that could be guessed wrong */
        half = left / 2;
        at += listed[at + half] <= value ? half : 0;
    }
    return left > 0 && listed[at] == value;
}

/* How many records have a value outside of their label; a bit for each that has the least, or the greatest, of a span.
   Work: for each record some loads, and a binary search where its label lists values. Trusts: that listed values
   ascend. */
API i64 kohort_fit(Array values, Array lineage, Array labels, Array table, Array at_low, Array at_high) {
    const Meaning *meaning = table.at;
    u8 *least = at_low.at, *most = at_high.at;
    i64 outside = 0;
    DOOR(table.size == 5 && lineage.size == labels.size && at_low.size == at_high.size);
    DOOR(meaning->low.size == meaning->high.size && meaning->first.size == meaning->low.size + 1);
    DOOR(labels.size / 8 + (labels.size % 8 > 0) == at_low.size);
    for (i64 row = 0, some; row < labels.size; row += some) { /* values of some records first: each is elsewhere in memory */
        u64 value[BATCH];
        u32 lowest = 0, highest = 0;
        some = labels.size - row < BATCH ? labels.size - row : BATCH;
        for (i64 each = 0; each < some; each++) {
            u64 source = number(&lineage, row + each), label = number(&labels, row + each);
            DOOR(source < (u64)values.size && label < (u64)meaning->low.size);
            value[each] = number(&values, (i64)source);
            __builtin_prefetch((const i32 *)meaning->low.at + label);
            __builtin_prefetch((const i32 *)meaning->high.at + label);
            __builtin_prefetch((const i64 *)meaning->first.at + label);
        }
        for (i64 each = 0; each < some && meaning->listed.size > 0; each++) {
            i64 at = ((const i64 *)meaning->first.at)[number(&labels, row + each)];
            if (is_inside(at, 0, meaning->listed.size))
                __builtin_prefetch((const u32 *)meaning->listed.at + at);
        }
        for (i64 each = 0; each < some; each++) {
            u64 label = number(&labels, row + each);
            DOOR(value[each] < (u64)meaning->ranks.size && label < (u64)meaning->low.size);
            i32 rank = ((const i32 *)meaning->ranks.at)[value[each]];
            i32 low = ((const i32 *)meaning->low.at)[label], high = ((const i32 *)meaning->high.at)[label];
            if (rank < low || high < rank) {
                int listed = lists(meaning, label, value[each]);
                DOOR(listed != REFUSED);
                outside += !listed;
            } else {
                u32 is_span = low >= 0 && low < high;
                lowest |= (is_span & (rank == low)) << (BATCH - 1 - each);
                highest |= (is_span & (rank == high)) << (BATCH - 1 - each);
            }
        }
        for (i64 byte = 0; byte < (some + 7) / 8; byte++) {
            least[row / 8 + byte] = (u8)(lowest >> (BATCH - 8 - 8 * byte));
            most[row / 8 + byte] = (u8)(highest >> (BATCH - 8 - 8 * byte));
        }
    }
    return outside;
}

/* Of records with a bit: how many of each group there are, 2 standing for more, and which are the only one of theirs.
   Work: two passes over the bits that are set. Trusts: that `found` is zero; otherwise too few are told. */
API i64 kohort_only(Array bits, Array of, Array found, Array only) {
    const u8 *bit = bits.at;
    u8 *count = found.at, *alone = only.at;
    DOOR(only.size == of.size && bits.size == of.size / 8 + (of.size % 8 > 0));
    for (int counted = 0; counted < 2; counted++)
        for (i64 byte = 0; byte < bits.size; byte++)
            for (u32 left = bit[byte]; left; left &= left - 1) {
                i64 row = 8 * byte + 7 - __builtin_ctz(left);
                DOOR(row < of.size);
                u64 group = number(&of, row);
                DOOR(group < (u64)found.size);
                if (!counted)
                    count[group] = (u8)(count[group] + (count[group] < 2));
                else if (count[group] == 1)
                    alone[row] = 1; /* and never 0: other columns mark the same records meanwhile */
            }
    return 0;
}
