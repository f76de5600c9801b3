/* Room "verify".

   What the verifier counts anew: hashes of texts, the cohorts of released transactions, and where these came from.

   The verifier is a program of its own: nothing here is called by the search, and no function of the search is called here.
   What the arrays mean is said in `kohort.verify.aggregates` and `kohort.transactions.verify`, beside each call;
   `tests/reference/verify_loops.py` has the same loops in Python. */

#include "lists.h"

/* ── Hashes of texts ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* MD5: Rivest, RFC 1321 (1992). The constant of each step is 2^32 · |sin(step)|, from 1 up. */
static const u32 SINES[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af,
    0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
    0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97,
    0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

enum { BLOCK = 64 };

static inline u32 turned(u32 word, int bits) { return word << bits | word >> (32 - bits); }

#define STEP(a, b, how, step, at, bits) a = b + turned(a + (how) + SINES[step] + word[(at) % 16], bits)

/* Four steps, each of which mixes another of the four words. */
#define STEPS(mixed, step, first, stride, one, two, three, four)                                        \
    do {                                                                                                \
        STEP(a, b, mixed(b, c, d), step, first, one);                                                   \
        STEP(d, a, mixed(a, b, c), (step) + 1, (first) + (stride), two);                                \
        STEP(c, d, mixed(d, a, b), (step) + 2, (first) + 2 * (stride), three);                          \
        STEP(b, c, mixed(c, d, a), (step) + 3, (first) + 3 * (stride), four);                           \
    } while (0)

#define CHOSEN(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define OTHERWISE(x, y, z) CHOSEN(z, x, y)
#define ADDED(x, y, z) ((x) ^ (y) ^ (z))
#define CROSSED(x, y, z) ((y) ^ ((x) | ~(z)))

static void mix(u32 *digest, const u8 *block) {
    u32 word[16], a = digest[0], b = digest[1], c = digest[2], d = digest[3];
    memcpy(word, block, BLOCK);
    for (int at = 0; at < 16; at += 4)
        STEPS(CHOSEN, at, at, 1, 7, 12, 17, 22);
    for (int at = 0; at < 16; at += 4)
        STEPS(OTHERWISE, 16 + at, 5 * at + 1, 5, 5, 9, 14, 20);
    for (int at = 0; at < 16; at += 4)
        STEPS(ADDED, 32 + at, 3 * at + 5, 3, 4, 11, 16, 23);
    for (int at = 0; at < 16; at += 4)
        STEPS(CROSSED, 48 + at, 7 * at, 7, 6, 10, 15, 21);
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d;
}

/* The number that the first 16 hexadecimal digits of the digest of a text say. */
static u64 first_half(const u8 *text, i64 size) {
    u32 digest[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const i64 whole = size / BLOCK * BLOCK, rest = size - whole;
    for (i64 at = 0; at < whole; at += BLOCK)
        mix(digest, text + at);
    u8 last[2 * BLOCK] = {0};
    const i64 padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK; /* a byte and the number of bits follow the text */
    const u64 bits = (u64)size * 8;
    if (rest > 0)
        memcpy(last, text + whole, (size_t)rest);
    last[rest] = 0x80;
    memcpy(last + padded - 8, &bits, 8);
    for (i64 at = 0; at < padded; at += BLOCK)
        mix(digest, last + at);
    return (u64)__builtin_bswap32(digest[0]) << 32 | __builtin_bswap32(digest[1]);
}

/* Hash texts that stand one after the other, each up to its end. Work: their bytes.
   Trusts: nothing. */
API i64 kohort_hash(Array text, Array ends, Array halves) {
    DOOR(halves.size == ends.size);
    const i64 *end = ends.at;
    i64 start = 0;
    for (i64 at = 0; at < ends.size; start = end[at], at++) {
        DOOR(is_inside(start, end[at] - start, text.size));
        ((u64 *)halves.at)[at] = first_half((const u8 *)text.at + start, end[at] - start);
    }
    return 0;
}

/* ── Where transactions came from ────────────────────────────────────────────────────────────────────────────────── */

/* How many transactions stand before one of smaller content. Work: a step for each transaction, and for each item that it
   begins with as the one before does.
   Trusts: nothing. */
API i64 kohort_descents(Array starts, Array items) {
    Lists rows;
    DOOR(are_lists(&rows, &starts, &items, INT32_MAX));
    i64 found = 0;
    for (i64 row = 1; row < rows.many; row++) {
        i64 before = rows.starts[row - 1], at = rows.starts[row];
        const i64 start = at, end = rows.starts[row + 1];
        while (before < start && at < end && rows.items[before] == rows.items[at])
            before++, at++;
        found += before < start && (at == end || rows.items[at] < rows.items[before]);
    }
    return found;
}

/* Origins whose items are fetched at once: enough for the waits to overlap, few enough to stay in the nearest cache. */
enum { AHEAD = 64 };

/* Walk through each transaction and its origin side by side. A code is the number here of each of the source's items, -1 if it
   is none; what it means if the item is missing is 2 if it may be, 1 if it may not and is not public, else 0. Write how many
   transactions are not what they may be, and how many items are missing that are not public. Work: the items of both.
   Trusts: that items ascend in each transaction; otherwise more differ. */
API i64 kohort_hold(Array starts, Array items, Array source_starts, Array source_items, Array lineage, Array codes, Array missing,
                    Array found) {
    Lists rows, source;
    DOOR(are_lists(&rows, &starts, &items, INT32_MAX) && are_lists(&source, &source_starts, &source_items, codes.size));
    DOOR(lineage.size == rows.many && missing.size == codes.size && found.size == 2);
    const i64 *origin = lineage.at;
    const i32 *code = codes.at, *means = missing.at;
    i64 changed = 0, lost = 0;
    for (i64 row = 0; row < rows.many; row++)
        DOOR(is_below(origin[row], source.many));
    for (i64 row = 0; row < rows.many; row++) {
        if (row % AHEAD == 0)
            for (i64 next = row; next < row + AHEAD && next < rows.many; next++)
                __builtin_prefetch(source.items + source.starts[origin[next]]);
        const i64 end = rows.starts[row + 1];
        i64 place = rows.starts[row];
        int wrong = 0;
        for (i64 at = source.starts[origin[row]]; at < source.starts[origin[row] + 1]; at++) {
            const i32 item = source.items[at];
            if (place < end && rows.items[place] == code[item])
                place++;
            else if (means[item] == 1)
                lost++;
            else
                wrong |= means[item] == 0;
        }
        changed += wrong || place < end; /* what is left over was never met: it was added */
    }
    ((i64 *)found.at)[0] = changed, ((i64 *)found.at)[1] = lost;
    return 0;
}

/* ── Cohorts ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The FNV prime of 64 bits, which spreads items over a hash table. */
static const u64 PRIME = 1099511628211;

/* Numbers groups of equal sets, which are written one after the other. */
typedef struct {
    i32 *table;
    const i32 *sets;
    const i64 *ends;
    u64 mask;
    i64 many;
} Numbering;

/* The group of a set, the last that was written, which ends there; a new one has the number of those before. */
static i64 group_of(Numbering *of, i64 start, i64 end, u64 spread) {
    for (u64 slot = spread ^ spread >> 29;; slot++) {
        const i64 group = of->table[slot & of->mask] - 1;
        if (group < 0) {
            of->table[slot & of->mask] = (i32)of->many + 1;
            return of->many;
        }
        const i64 first = of->ends[group], size = of->ends[group + 1] - first;
        if (size == end - start && memcmp(of->sets + first, of->sets + start, (size_t)size * sizeof(i32)) == 0)
            return group;
    }
}

/* Group transactions with the same public items, of which each has one at least, in the order of the first of each group. A code
   is the number of each item: public ones from 0 up, those below `public`, private ones after them up to the end of `behind`, -1
   for others. Return how many groups there are.

   Written: where each group's items start, and the last one's end; the items, public ones, private ones, and the first number
   that is no item's; how many of the group's transactions have each; how many public items follow each one in all groups. The
   others are room: a table of a power of two, sets and their ends, the last transaction of a group, the one before each, counts
   of items. Work: the items, and a search in the table for each transaction.
   Trusts: that items ascend in each transaction; otherwise groups are others. */
API i64 kohort_group_cohorts(Array starts, Array items, Array codes, i64 public, Array table, Array sets, Array ends, Array latest,
                             Array earlier, Array had, Array begins, Array found, Array times, Array behind) {
    Lists rows;
    const i64 many = behind.size;
    DOOR(are_lists(&rows, &starts, &items, codes.size) && is_inside(public, 0, many) && many < INT32_MAX);
    DOOR(is_power(table.size) && table.size > rows.many && ends.size > rows.many && begins.size > rows.many);
    DOOR(latest.size == rows.many && earlier.size == rows.many && had.size == many && times.size == found.size);
    const i32 *code = codes.at;
    i32 *set = sets.at, *last = latest.at, *former = earlier.at, *count = had.at, *item = found.at, *time = times.at;
    i64 *end = ends.at, *begin = begins.at, *follow = behind.at, top = 0;
    memset(table.at, 0, (size_t)table.size * sizeof(i32));
    memset(count, 0, (size_t)many * sizeof *count);
    memset(follow, 0, (size_t)many * sizeof *follow);
    Numbering of = {table.at, set, end, (u64)table.size - 1, 0};
    end[0] = 0;
    for (i64 row = 0; row < rows.many; row++) {
        const i64 start = end[of.many];
        i64 stop = start;
        u64 spread = 0;
        for (i64 cell = rows.starts[row]; cell < rows.starts[row + 1]; cell++) {
            const i32 number = code[rows.items[cell]];
            if (number < 0 || number >= public)
                continue;
            DOOR(stop < sets.size);
            set[stop++] = number;
            spread = (spread ^ ((u64)number + 1)) * PRIME;
        }
        if (stop == start)
            continue;
        const i64 group = group_of(&of, start, stop, spread);
        former[row] = group < of.many ? last[group] : -1;
        last[group] = (i32)row;
        if (group == of.many)
            end[++of.many] = stop;
    }
    for (i64 group = 0; group < of.many; group++) {
        const i64 size = end[group + 1] - end[group];
        i64 private = top + size;
        i32 weight = 0;
        DOOR(private < found.size);
        begin[group] = top;
        for (i64 row = last[group]; row >= 0; row = former[row], weight++)
            for (i64 cell = rows.starts[row]; cell < rows.starts[row + 1]; cell++) {
                const i32 number = code[rows.items[cell]];
                if (number < public)
                    continue;
                DOOR(number < many && private < found.size - 1);
                if (count[number]++ == 0)
                    item[private++] = number;
            }
        for (i64 place = 0; place < size; place++) {
            item[top + place] = set[end[group] + place];
            time[top + place] = weight;
            follow[item[top + place]] += size - place - 1;
        }
        for (i64 place = top + size; place < private; place++) {
            time[place] = count[item[place]];
            count[item[place]] = 0;
        }
        item[private] = (i32)many, time[private] = 0;
        top = private + 1;
    }
    begin[of.many] = top;
    return of.many;
}

/* Sets that wait, five numbers each: its items, where its occurrences start and end, its transactions, and a number that no
   private item's transactions among these exceed. */
typedef struct {
    i64 depth, low, high, support, most;
} Set;

/* Groups, and what is counted of each item while a set has its turn: how often it occurs, in how many transactions, where the
   occurrences end that were dealt to it; and the items that were met. */
typedef struct {
    const i32 *items, *times;
    i64 *often, *supports, *ends, *seen, public, many;
} Search;

/* Count the items that follow some occurrences of a set: public ones, and private ones if these matter. Return how many. */
static i64 count(const Search *of, const i64 *places, const Set *set, int matters) {
    const i64 stop = matters ? of->many : of->public;
    i64 met = 0;
    for (i64 at = set->low; at < set->high; at++) {
        i64 place = places[at];
        const i64 weight = of->times[place]; /* of a public item it is the group's */
        for (; of->items[place] < of->public; place++) {
            const i32 item = of->items[place];
            if (of->supports[item] == 0)
                of->seen[met++] = item;
            of->often[item]++;
            of->supports[item] += weight;
        }
        for (; of->items[place] < stop; place++) {
            const i32 item = of->items[place];
            if (of->supports[item] == 0)
                of->seen[met++] = item;
            of->supports[item] += of->times[place];
        }
    }
    return met;
}

/* Deal out the places behind each item that follows some occurrences of a set; where none may follow these, all public items are
   passed over. */
static void deal(const Search *of, i64 *places, const Set *set, int last) {
    for (i64 at = set->low; at < set->high; at++) {
        i64 behind = places[at];
        while (of->items[behind] < of->public)
            behind++;
        for (i64 place = places[at]; place < behind; place++) {
            const i32 item = of->items[place];
            if (of->ends[item] >= 0)
                places[of->ends[item]++] = last ? behind : place + 1;
        }
    }
}

/* Count every set of at most `p` public items, depth first: a set's turn comes, then that of the sets with one later item more;
   no further, where a cohort is below `least`. Items and times are those of `kohort_group_cohorts`. The occurrences of the empty
   set are at the bottom of `places`, itself at that of `waiting`; both are stacks. Counts are as many as items, and room.
   Written: how many sets there are, the transactions of the smallest cohort; of a cohort the transactions with one private item
   and all, where that share is greatest. Work: the items behind each occurrence of each set of fewer than p items.
   Trusts: that groups are as `kohort_group_cohorts` left them. */
API i64 kohort_count_cohorts(Array items, Array times, Array places, Array waiting, Array often, Array supports, Array ends,
                             Array seen, i64 public, i64 p, i64 least, Array found) {
    const i64 many = supports.size;
    const i32 *item = items.at, *time = times.at;
    Search of = {item, time, often.at, supports.at, ends.at, seen.at, public, many};
    i64 *place = places.at, top = 1;
    Set *wait = waiting.at;
    DOOR(is_inside(public, 0, many) && many < INT32_MAX && are_below(&items, many + 1) && times.size == items.size);
    DOOR(items.size > 0 && item[items.size - 1] == many && often.size == many && ends.size == many && seen.size == many);
    DOOR(waiting.size >= 5 && waiting.size % 5 == 0 && found.size == 4);
    for (i64 at = 0; at < items.size; at++)
        DOOR(item[at] == many || time[at] > 0);
    DOOR(wait[0].low >= 0 && wait[0].low <= wait[0].high && wait[0].high <= places.size);
    for (i64 at = wait[0].low; at < wait[0].high; at++)
        DOOR(is_below(place[at], items.size));
    memset(of.often, 0, (size_t)many * sizeof(i64));
    memset(of.supports, 0, (size_t)many * sizeof(i64));
    i64 sets = 1, smallest = wait[0].support, together = wait[0].most, all = smallest;
    while (top > 0 && smallest >= least) {
        Set set = wait[--top];
        const int matters = set.most * all > together * set.support, last = set.depth + 1 >= p;
        const i64 met = count(&of, place, &set, matters);
        if (matters) {
            set.most = 0;
            for (i64 one = 0; one < met; one++)
                if (of.seen[one] >= public && of.supports[of.seen[one]] > set.most)
                    set.most = of.supports[of.seen[one]];
            if (set.most * all > together * set.support)
                together = set.most, all = set.support;
        }
        i64 end = set.high;
        for (i64 one = 0; one < met; one++) {
            const i64 of_item = of.seen[one], support = of.supports[of_item], times_met = of.often[of_item];
            of.ends[of_item] = -1;
            of.often[of_item] = of.supports[of_item] = 0;
            if (of_item >= public)
                continue;
            sets++;
            smallest = support < smallest ? support : smallest;
            if (!last || set.most * all > together * support) {
                DOOR(top < waiting.size / 5 && times_met <= places.size - end);
                wait[top++] = (Set){set.depth + 1, end, end + times_met, support, set.most};
                of.ends[of_item] = end;
                end += times_met;
            }
        }
        if (end > set.high)
            deal(&of, place, &set, last);
    }
    i64 *told = found.at;
    told[0] = sets, told[1] = smallest, told[2] = together, told[3] = all;
    return 0;
}
