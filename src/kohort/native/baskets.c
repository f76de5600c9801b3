/* Room "baskets".

   The loops of reading transactions: names found in basket lines, cells brought together and put in item order.

   What the arrays mean is said in `kohort.transactions.io`, beside each call; `tests/reference/basket_loops.py` has the same loops in
   Python. A name is coded as any other cell is, see `core.c`. */

#include "lists.h"

/* ── The names in basket lines ───────────────────────────────────────────────────────────────────────────────────── */

static const u64 ONES = 0x0101010101010101u, TOPS = 0x8080808080808080u, BLANKS = 0x2020202020202020u;

/* The bytes of the name at a place: up to a separator, whatever is below a blank, or the text's end.

   A byte of x is below n where (x - n) & ~x has its top bit set; borrows make that wrong only above the first such byte, and
   only the first is used. */
static i64 name_length(const u8 *text, i64 size, i64 at, i64 separator) {
    i64 end = at;
    for (; size - end >= 8; end += 8) {
        u64 word;
        memcpy(&word, text + end, 8);
        const u64 other = word ^ ONES * (u64)separator;
        const u64 stops = (((word - BLANKS) & ~word) | ((other - ONES) & ~other)) & TOPS;
        if (stops)
            return end + __builtin_ctzll(stops) / 8 - at;
    }
    while (end < size && text[end] >= ' ' && text[end] != separator)
        end++;
    return end - at;
}

enum { NONE, FAULT, OVERLONG };

/* Find names from a place on, until there is no room for one or for a line end, the text ends or is at fault: where each name
   starts, its bytes, and at each line end how many names there are so far. A blank as separator means runs of blanks and tabs.
   Returns the byte not yet looked at; told are the names, the line ends, and the kind of fault.
   Work: one pass over the bytes. Trusts: nothing. */
API i64 kohort_split(Array data, i64 at, i64 separator, i64 line_end, i64 longest, Array starts, Array lengths, Array ends,
                     Array told) {
    DOOR(is_inside(at, 0, data.size) && separator >= 0 && separator < 128 && longest >= 0 && longest <= INT32_MAX);
    DOOR(lengths.size == starts.size && told.size == 3);
    const u8 *text = data.at;
    i64 names = 0, lines = 0, kind = NONE;
    while (at < data.size && names < starts.size && lines < ends.size) {
        const i64 length = name_length(text, data.size, at, separator);
        if (length > longest) {
            kind = OVERLONG;
            break;
        }
        if (length > 0) {
            ((i64 *)starts.at)[names] = at;
            ((i32 *)lengths.at)[names++] = (i32)length;
            at += length;
            at += at < data.size && text[at] == separator;
        } else if (separator == ' ' && (text[at] == ' ' || text[at] == '\t')) {
            at++;
        } else {
            const i64 ended = line_end_at(text, data.size, at, line_end);
            if (ended == 0 || (separator != ' ' && at > 0 && text[at - 1] == separator)) {
                kind = FAULT;
                break;
            }
            ((i64 *)ends.at)[lines++] = names;
            at += ended;
        }
    }
    ((i64 *)told.at)[0] = names, ((i64 *)told.at)[1] = lines, ((i64 *)told.at)[2] = kind;
    return at;
}

/* ── Cells brought together ──────────────────────────────────────────────────────────────────────────────────────── */

/* Replace keys by numbers in the order in which they occur, in place; of each key there is a number below 0 before.
   Work: one step for each key. Trusts: that numbers are below 0 before. */
API i64 kohort_renumber(Array keys, Array numbers) {
    u32 *key = keys.at;
    i64 *number = numbers.at, used = 0;
    for (i64 at = 0; at < keys.size; at++) {
        DOOR(key[at] < numbers.size);
        i64 *own = number + key[at];
        if (*own < 0)
            *own = used++;
        key[at] = (u32)*own;
    }
    return 0;
}

/* Put each item where the cells of its transaction end so far.
   Work: one step for each cell. Trusts: that `ends` are those of transactions; otherwise cells are written over each
   other. */
API i64 kohort_scatter(Array keys, Array items, Array ends, Array cells) {
    DOOR(items.size == keys.size);
    const u32 *key = keys.at;
    i64 *end = ends.at;
    for (i64 at = 0; at < keys.size; at++) {
        DOOR(key[at] < ends.size && is_below(end[key[at]], cells.size));
        ((i32 *)cells.at)[end[key[at]]++] = ((const i32 *)items.at)[at];
    }
    return 0;
}

SHELL_SORT(sort_items, i32)

/* Replace items by their ranks, sort each transaction's and drop repeated ones, in place; how many cells are left.
   Work: sorting of each transaction's cells. Trusts: nothing. */
API i64 kohort_settle(Array starts, Array cells, Array ranks) {
    Lists rows;
    DOOR(are_lists(&rows, &starts, &cells, ranks.size));
    const i32 *rank = ranks.at;
    i64 *ends = starts.at, start = ends[0], left = 0;
    i32 *cell = cells.at;
    for (i64 row = 0; row < rows.many; row++) {
        const i64 end = ends[row + 1];
        int sorts = 1;
        i32 last = -1;
        for (i64 at = start; at < end; at++) {
            const i32 item = rank[cell[at]];
            cell[at] = item;
            sorts &= item > last;
            last = item;
        }
        if (!sorts)
            sort_items(cell + start, end - start);
        last = -1;
        for (i64 at = start; at < end; at++) {
            const i32 item = cell[at];
            if (item != last)
                cell[left++] = item;
            last = item;
        }
        ends[row + 1] = left;
        start = end;
    }
    return left;
}
