/* Room "moles", the search: transactions under other codes, candidates listed, bounded and counted.

   An item is a number below a width, a transaction the items between two starts; cohorts are bitmaps, or lists. What the
   arrays mean is said in `kohort.transactions`, beside each call; `tests/reference/mole_loops.py` has the same loops in
   Python. Each door looks once at what leads into an array; what earlier calls wrote is looked at where it is used. */

#include "lists.h"
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* Candidates: each extends a set of `size` items, which its base says, by an item. */
typedef struct {
    const i32 *sets, *item;
    const i64 *base;
    i64 size, many;
} Candidates;

enum { LONGEST = 1 << 20 };

static int are_candidates(Candidates *of, const Array *sets, i64 size, const Array *base, const Array *item, i64 width) {
    if (size < 1 || size > LONGEST || sets->size % size || base->size != item->size || !are_below(item, width))
        return 0;
    *of = (Candidates){sets->at, item->at, base->at, size, base->size};
    for (i64 at = 0; at < of->many; at++) {
        if (at > 0 && of->base[at] == of->base[at - 1])
            continue;
        if (!is_below(of->base[at], sets->size / size))
            return 0;
        for (i64 place = 0; place < size; place++)
            if (!is_below(of->sets[of->base[at] * size + place], width))
                return 0;
    }
    return 1;
}

/* The items of the base of candidate `at`. */
static const i32 *base_of(const Candidates *of, i64 at) { return of->sets + of->base[at] * of->size; }

/* How many items the base begins with as the one of the candidate before does. */
static i64 shared(const Candidates *of, i64 at) {
    if (at == 0 || of->base[at] == of->base[at - 1])
        return at == 0 ? 0 : of->size;
    const i32 *one = base_of(of, at), *before = base_of(of, at - 1);
    i64 place = 0;
    while (place < of->size && one[place] == before[place])
        place++;
    return place;
}

/* ── Transactions under other codes, and by item ─────────────────────────────────────────────────────────────────── */

/* Write the items of each transaction under their codes, those of -1 left out, and where each one starts; return how many
   items there are. One more has room, since each is written before its code is known.
   Work: one pass over the items. Trusts: nothing. */
API i64 kohort_narrow(Array starts, Array items, Array codes, Array begins, Array kept) {
    Lists rows;
    DOOR(are_lists(&rows, &starts, &items, codes.size) && begins.size == starts.size && kept.size > items.size);
    const i32 *code = codes.at;
    i64 *begin = begins.at, size = 0;
    i32 *out = kept.at;
    for (i64 row = 0; row < rows.many; row++) {
        begin[row] = size;
        for (i64 cell = rows.starts[row]; cell < rows.starts[row + 1]; cell++) {
            out[size] = code[rows.items[cell]];
            size += out[size] >= 0;
        }
    }
    begin[rows.many] = size;
    return size;
}

/* Write for each item the transactions that have it, ascending; `free` says where those of each begin, and is used up.
   Work: one pass over the items. Trusts: that `free` says where each item's begin; otherwise they are written over
   each other. */
API i64 kohort_transpose(Array starts, Array items, Array free, Array inverted) {
    Lists rows;
    DOOR(are_lists(&rows, &starts, &items, free.size));
    i64 *place = free.at;
    i32 *out = inverted.at;
    for (i64 row = 0; row < rows.many; row++)
        for (i64 cell = rows.starts[row]; cell < rows.starts[row + 1]; cell++) {
            i64 at = place[rows.items[cell]]++;
            DOOR(is_below(at, inverted.size));
            out[at] = (i32)row;
        }
    return 0;
}

/* Set to zero the counts of the items in a cohort of so many cells: all counts, where these are fewer. */
static void clear(const Lists *rows, const i32 *cohort, i64 many, i64 cells, Array counts) {
    i64 *count = counts.at;
    if (cells > counts.size) {
        memset(count, 0, (size_t)counts.size * sizeof *count);
        return;
    }
    for (i64 at = 0; at < many; at++)
        for (i64 cell = rows->starts[cohort[at]]; cell < rows->starts[cohort[at] + 1]; cell++)
            count[rows->items[cell]] = 0;
}

/* What the transactions of a cohort that share one item do not exceed: the number of some item's where that is above the limit.
   As soon as that is so, or those that are left cannot make it so, no more are looked at. Counts are zero, also after. */
static i64 commonest(const Lists *rows, const i32 *cohort, i64 many, i64 limit, Array counts) {
    i64 *count = counts.at, top = 0, seen = 0, cells = 0;
    for (; seen < many && top <= limit && limit < top + many - seen; seen++) {
        const i64 start = rows->starts[cohort[seen]], end = rows->starts[cohort[seen] + 1];
        cells += end - start;
        for (i64 cell = start; cell < end; cell++) {
            i64 one = ++count[rows->items[cell]];
            top = one > top ? one : top;
        }
    }
    clear(rows, cohort, seen, cells, counts);
    return top > limit ? top : top + many - seen;
}

/* Bound the items of each cohort, which begins there among some and has so many transactions.
   Work: at most one pass over the items of each cohort, and one to clear. Trusts: that counts are zero. */
API i64 kohort_look(Array starts, Array items, Array cohorts, Array begins, Array sizes, Array limits, Array counts, Array tops) {
    Lists rows;
    DOOR(are_lists(&rows, &starts, &items, counts.size) && are_below(&cohorts, rows.many));
    DOOR(begins.size == sizes.size && limits.size == sizes.size && tops.size == sizes.size);
    const i64 *begin = begins.at, *size = sizes.at, *limit = limits.at;
    i64 *top = tops.at;
    for (i64 at = 0; at < sizes.size; at++)
        DOOR(is_inside(begin[at], size[at], cohorts.size));
    for (i64 at = 0; at < sizes.size; at++)
        top[at] = commonest(&rows, (const i32 *)cohorts.at + begin[at], size[at], limit[at], counts);
    return 0;
}

/* ── Candidates ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* List the candidates that extend the sets from the next one on, until there is no room for those of one more set; how many.

   A set B and an item x behind its last one are a candidate where every part of B + x is at hand: the part without B's last
   item is a sibling of B, and each other one a child of one of B's parts. What is in `seen` and `places` comes from the call
   before, or from nowhere.
   Work: for each set the children of its parts, and for each candidate its parts. Trusts: nothing that is not looked
   at where it is used. */
API i64 kohort_join(Array next, Array last, Array bounds, Array parts_of, Array children, Array seen, Array places, Array base,
                    Array item, Array tops, Array parts) {
    DOOR(next.size == 1 && seen.size > 0 && places.size % seen.size == 0 && children.size > 0);
    const i64 sets = last.size, size = places.size / seen.size, room = base.size, *child = children.at, *part_of = parts_of.at;
    DOOR(size > 0 && size < LONGEST && are_below(&last, seen.size) && bounds.size == sets && item.size == room);
    DOOR(tops.size == room && parts.size % (size + 1) == 0 && parts.size / (size + 1) == room);
    DOOR(parts_of.size % size == 0 && parts_of.size / size == sets);
    for (i64 at = 0; at < children.size; at++)
        DOOR(is_inside(child[at], 0, sets) && (at == 0 || child[at - 1] <= child[at]));
    for (i64 at = 0; at < parts_of.size; at++)
        DOOR(is_below(part_of[at], children.size - 1));
    const i32 *code = last.at;
    const i64 *bound = bounds.at;
    i64 *mark = seen.at, *place = places.at, *at = next.at, found = 0;
    DOOR(*at >= 0);
    for (; *at < sets; ++*at) {
        const i64 *own = part_of + *at * size, end = child[own[size - 1] + 1];
        if (found + end - *at > room)
            break;
        for (i64 part = 0; part < size - 1; part++)
            for (i64 one = child[own[part]]; one < child[own[part] + 1]; one++) {
                i32 x = code[one];
                if (part == 0 || mark[x] == *at * size + part - 1) {
                    mark[x] = *at * size + part;
                    place[part * seen.size + x] = one;
                }
            }
        for (i64 sibling = *at + 1; sibling < end; sibling++) {
            i32 x = code[sibling];
            if (size > 1 && mark[x] != *at * size + size - 2)
                continue;
            place[(size - 1) * seen.size + x] = sibling;
            i64 top = bound[*at], *of = (i64 *)parts.at + found * (size + 1);
            for (i64 part = 0; part < size; part++) {
                of[part] = place[part * seen.size + x];
                DOOR(is_below(of[part], sets));
                top = bound[of[part]] < top ? bound[of[part]] : top;
            }
            of[size] = *at;
            ((i64 *)base.at)[found] = *at, ((i32 *)item.at)[found] = x, ((i64 *)tops.at)[found] = top;
            found++;
        }
    }
    return found;
}

/* Bound the support of each candidate C from below by sup(C - a) + sup(C - b) - sup(C - a - b), for all a and b: of the
   transactions with C - a - b, as many lack a as C - b shows, and as many lack b as C - a shows; all others have both (Calders
   and Goethals, Mining all non-derivable frequent itemsets, 2002, to the second degree).
   Work: size squared for each candidate. Trusts: nothing. */
API i64 kohort_floors(Array supports, Array below, Array parts_of, i64 size, Array parts, Array floors) {
    DOOR(size > 0 && size < LONGEST && parts.size % (size + 1) == 0 && floors.size >= parts.size / (size + 1));
    DOOR(parts_of.size % size == 0 && parts_of.size / size == supports.size);
    const i64 *support = supports.at, *under = below.at, *part_of = parts_of.at, *part = parts.at;
    i64 *least = floors.at;
    for (i64 one = 0; one < parts.size; one++)
        DOOR(is_below(part[one], supports.size));
    for (i64 at = 0; at < parts.size / (size + 1); at++, part += size + 1) {
        least[at] = 0;
        for (i64 a = 0; a <= size; a++)
            for (i64 b = a + 1; b <= size; b++) {
                i64 without = part_of[part[a] * size + b - 1];
                DOOR(is_below(without, below.size));
                i64 floor = support[part[a]] + support[part[b]] - under[without];
                least[at] = floor > least[at] ? floor : least[at];
            }
    }
    return 0;
}

/* ── What public items share with private ones ───────────────────────────────────────────────────────────────────── */

/* The lines of a table, of which each has so many entries. */
static int are_lines(const Array *table, i64 width) {
    return width > 0 ? table->size % width == 0 : width == 0 && table->size == 0;
}

static i64 lines_of(const Array *table, i64 width) { return width > 0 ? table->size / width : INT32_MAX; }

/* Count in a table of so many private items a line each pair that a transaction has.
   Work: for each transaction its public times its private items. Trusts: nothing. */
API i64 kohort_tally(Array starts, Array items, Array hidden_starts, Array hidden, i64 width, Array pairs) {
    Lists public, private;
    DOOR(are_lines(&pairs, width) && are_lists(&public, &starts, &items, lines_of(&pairs, width)));
    DOOR(are_lists(&private, &hidden_starts, &hidden, width) && public.many == private.many);
    for (i64 row = 0; row < public.many; row++)
        for (i64 cell = public.starts[row]; cell < public.starts[row + 1]; cell++) {
            i32 *line = (i32 *)pairs.at + public.items[cell] * width;
            for (i64 other = private.starts[row]; other < private.starts[row + 1]; other++)
                line[private.items[other]]++;
        }
    return 0;
}

/* Write to row i of `stack` the least entries of the first i + 1 items of a base. */
static void least_of(const i32 *pairs, i64 width, const Candidates *of, i64 at, i32 *stack) {
    for (i64 row = shared(of, at); row < of->size; row++) {
        const i32 *line = pairs + base_of(of, at)[row] * width, *above = stack + (row ? row - 1 : 0) * width;
        i32 *least = stack + row * width;
        for (i64 e = 0; e < width; e++)
            least[e] = row && above[e] < line[e] ? above[e] : line[e];
    }
}

/* Bound each candidate: the greatest of the least entries of its items.
   Work: for each candidate the private items, times the items of its base that are new. Trusts: nothing. */
API i64 kohort_bounds(Array pairs, Array sets, i64 size, Array base, Array item, Array stack, Array tops) {
    Candidates of;
    DOOR(size > 0 && stack.size % size == 0);
    const i64 width = stack.size / size;
    DOOR(are_lines(&pairs, width) && are_candidates(&of, &sets, size, &base, &item, lines_of(&pairs, width)));
    DOOR(tops.size == of.many);
    for (i64 at = 0; at < of.many; at++) {
        least_of(pairs.at, width, &of, at, stack.at);
        const i32 *line = (const i32 *)pairs.at + of.item[at] * width, *least = (const i32 *)stack.at + (size - 1) * width;
        i32 top = 0;
        for (i64 e = 0; e < width; e++) {
            i32 most = line[e] < least[e] ? line[e] : least[e];
            top = most > top ? most : top;
        }
        ((i64 *)tops.at)[at] = top;
    }
    return 0;
}

/* ── Cohorts as bitmaps ──────────────────────────────────────────────────────────────────────────────────────────── */

/* The transactions in both of two cohorts. Where the processor can, ones are counted in several words at once, which is some
   five times as fast; the number is the same. */
#define TOGETHER(name)                                                   \
    name(const u64 *one, const u64 *other, i64 words) {                  \
        i64 common = 0;                                                  \
        for (i64 word = 0; word < words; word++)                         \
            common += __builtin_popcountll(one[word] & other[word]);     \
        return common;                                                   \
    }

typedef i64 Together(const u64 *, const u64 *, i64);

static i64 TOGETHER(by_word)

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512vl,avx512vpopcntdq"))) static i64 TOGETHER(by_words)

/* By a table of the ones in four bits. */
__attribute__((target("avx2"))) static i64 by_table(const u64 *one, const u64 *other, i64 words) {
    const __m256i ones = _mm256_setr_epi64x(0x0302020102010100, 0x0403030203020201, 0x0302020102010100, 0x0403030203020201);
    const __m256i low = _mm256_set1_epi8(15), none = _mm256_setzero_si256();
    __m256i sums = none;
    i64 word = 0, by[4];
    for (; word + 4 <= words; word += 4) {
        const __m256i both = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(one + word)),
                                              _mm256_loadu_si256((const __m256i *)(other + word)));
        const __m256i under = _mm256_shuffle_epi8(ones, _mm256_and_si256(both, low));
        const __m256i over = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(both, 4), low));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(under, over), none));
    }
    memcpy(by, &sums, sizeof by);
    return by[0] + by[1] + by[2] + by[3] + by_word(one + word, other + word, words - word);
}

/* What the processor has, and the system keeps when it changes tasks: asked by hand, for not every compiler's own way is right. */
static Together *counter(void) {
#if defined(COUNTER) /* as the tests choose it */
    return COUNTER;
#endif
    enum { AVX = 0x6, AVX512 = 0xE6 };
    u32 a, b, c, d, kept, more;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return by_word;
    __asm__("xgetbv" : "=a"(kept), "=d"(more) : "c"(0));
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return by_word;
    if ((kept & AVX512) == AVX512 && (b & bit_AVX512F) && (b & bit_AVX512VL) && (c & bit_AVX512VPOPCNTDQ))
        return by_words;
    return (kept & AVX) == AVX && (b & bit_AVX2) ? by_table : by_word;
}
#else
static Together *counter(void) { return by_word; }
#endif

/* Set the bit of each of some transactions in the bitmaps of its items.
   Work: one pass over the items. Trusts: that the bitmaps are zero. */
API i64 kohort_mark(Array starts, Array items, Array among, Array bits) {
    Lists rows;
    const i64 words = (among.size + 63) / 64;
    DOOR(are_lines(&bits, words) && are_lists(&rows, &starts, &items, lines_of(&bits, words)) && are_below(&among, rows.many));
    for (i64 at = 0; at < among.size; at++) {
        const i32 row = ((const i32 *)among.at)[at];
        u64 *word = (u64 *)bits.at + (at >> 6), bit = (u64)1 << (at & 63);
        for (i64 cell = rows.starts[row]; cell < rows.starts[row + 1]; cell++)
            word[rows.items[cell] * words] |= bit;
    }
    return 0;
}

/* Count the transactions of each public with each private item.
   Work: the words of a bitmap for each pair of a public and a private item. Trusts: nothing. */
API i64 kohort_cross(Array public, Array private, i64 words, Array pairs) {
    DOOR(words > 0 && are_lines(&public, words) && are_lines(&private, words));
    const i64 ours = public.size / words, theirs = private.size / words;
    DOOR(theirs ? are_lines(&pairs, theirs) && pairs.size / theirs == ours : pairs.size == 0);
    Together *const together = counter();
    for (i64 x = 0; x < ours; x++)
        for (i64 e = 0; e < theirs; e++)
            ((i32 *)pairs.at)[x * theirs + e] =
                (i32)together((const u64 *)public.at + x * words, (const u64 *)private.at + e * words, words);
    return 0;
}

/* Write the cohort of the first i + 1 items of a base to row i of `stack`; those it shares with the base before are there. */
static const u64 *meet(const u64 *bits, i64 words, const Candidates *of, i64 at, u64 *stack) {
    for (i64 row = shared(of, at); row < of->size; row++) {
        const u64 *other = bits + base_of(of, at)[row] * words, *above = stack + (row ? row - 1 : 0) * words;
        u64 *cohort = stack + row * words;
        for (i64 word = 0; word < words; word++)
            cohort[word] = row ? above[word] & other[word] : other[word];
    }
    return stack + (of->size - 1) * words;
}

/* Write a candidate's cohort to the row of `stack` below that of its base. */
static const u64 *narrowed(const u64 *bits, i64 words, const Candidates *of, i64 at, u64 *stack) {
    const u64 *base = meet(bits, words, of, at, stack), *other = bits + of->item[at] * words;
    u64 *cohort = stack + of->size * words;
    for (i64 word = 0; word < words; word++)
        cohort[word] = base[word] & other[word];
    return cohort;
}

/* The words of each row of a stack of so many; 0 where it does not fit the bitmaps, or the candidates do not. */
static i64 words_for(Candidates *of, const Array *bits, const Array *sets, i64 size, const Array *base, const Array *item,
                     const Array *stack, i64 rows) {
    if (rows < 1 || rows > LONGEST || stack->size % rows)
        return 0;
    const i64 words = stack->size / rows;
    return are_lines(bits, words) && are_candidates(of, sets, size, base, item, lines_of(bits, words)) ? words : 0;
}

/* Count the cohort of each candidate.
   Work: the words of a bitmap for each candidate, and for each new item of a base. Trusts: nothing. */
API i64 kohort_count_bits(Array bits, Array sets, i64 size, Array base, Array item, Array stack, Array supports) {
    Candidates of;
    const i64 words = words_for(&of, &bits, &sets, size, &base, &item, &stack, size);
    DOOR(words > 0 && supports.size == of.many);
    Together *const together = counter();
    for (i64 at = 0; at < of.many; at++) {
        const u64 *cohort = meet(bits.at, words, &of, at, stack.at);
        ((i64 *)supports.at)[at] = together(cohort, (const u64 *)bits.at + of.item[at] * words, words);
    }
    return 0;
}

/* Write the transactions of each candidate's cohort, where it begins.
   Work: the words of a bitmap for each candidate, and its cohort. Trusts: nothing. */
API i64 kohort_unpack(Array bits, Array sets, i64 size, Array base, Array item, Array begins, Array stack, Array among,
                      Array dealt) {
    Candidates of;
    const i64 words = words_for(&of, &bits, &sets, size, &base, &item, &stack, size + 1), *begin = begins.at;
    DOOR(words > 0 && begins.size == of.many);
    const i32 *row = among.at;
    for (i64 at = 0; at < of.many; at++) {
        const u64 *cohort = narrowed(bits.at, words, &of, at, stack.at);
        i64 filled = begin[at];
        for (i64 word = 0; word < words; word++)
            for (u64 left = cohort[word]; left; left &= left - 1, filled++) {
                i64 place = 64 * word + __builtin_ctzll(left);
                DOOR(place < among.size && is_below(filled, dealt.size));
                ((i32 *)dealt.at)[filled] = row[place];
            }
    }
    return 0;
}

/* Bound the private items in each candidate's cohort, one after the other, until the share of it is exceeded. Those that are
   within the share by their pairs with the candidate's items are passed over.
   Work: the words of a bitmap for each candidate, and for each private item that its pairs do not settle. Trusts:
   that supports are counts, whose products fit. */
API i64 kohort_meet(Array bits, Array private, Array pairs, Array sets, i64 size, Array base, Array item, Array supports,
                   i64 numerator, i64 denominator, Array stack, Array least, Array tops) {
    Candidates of;
    const i64 words = words_for(&of, &bits, &sets, size, &base, &item, &stack, size + 1);
    DOOR(words > 0 && are_lines(&private, words) && supports.size == of.many && tops.size == of.many);
    const i64 width = private.size / words, *support = supports.at;
    Together *const together = counter();
    DOOR(least.size == width * size && pairs.size == width * (bits.size / words));
    for (i64 at = 0; at < of.many; at++) {
        const u64 *cohort = narrowed(bits.at, words, &of, at, stack.at);
        least_of(pairs.at, width, &of, at, least.at);
        const i32 *own = (const i32 *)pairs.at + of.item[at] * width, *last = (const i32 *)least.at + (size - 1) * width;
        const i64 limit = support[at] * numerator;
        i64 top = 0;
        for (i64 e = 0; e < width && top * denominator <= limit; e++) {
            i64 most = own[e] < last[e] ? own[e] : last[e];
            if (most > top && most * denominator > limit)
                most = together(cohort, (const u64 *)private.at + e * words, words);
            top = most > top ? most : top;
        }
        ((i64 *)tops.at)[at] = top;
    }
    return 0;
}

/* ── Cohorts as lists ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Write the transactions that have all of some items; return how many, or REFUSED where there is no room for them. Those of
   the first item, the rarest, are looked for among those of each other one, in strides that double. */
static i64 cohort_of(const Lists *tids, const i32 *wanted, i64 items, i32 *cohort, i64 room) {
    const i64 *firsts = tids->starts, first = firsts[wanted[0]];
    i64 size = firsts[wanted[0] + 1] - first;
    if (size > room)
        return REFUSED;
    memcpy(cohort, tids->items + first, (size_t)size * sizeof *cohort);
    for (i64 one = 1; one < items; one++) {
        i64 low = firsts[wanted[one]], last = firsts[wanted[one] + 1], kept = 0;
        for (i64 at = 0; at < size; at++) {
            const i32 row = cohort[at];
            i64 step = 1;
            for (; low + step < last && tids->items[low + step] < row; step *= 2)
                low += step;
            i64 high = low + step < last ? low + step : last;
            while (low < high) {
                i64 middle = (low + high) / 2;
                if (tids->items[middle] < row)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < last && tids->items[low] == row)
                cohort[kept++] = row;
        }
        size = kept;
    }
    return size;
}

/* Mark the transactions that have one of the sets.
   Work: for each set the transactions of its first item, times a search in each other one's. Trusts: that each item's
   transactions ascend. */
API i64 kohort_mark_cohorts(Array firsts, Array tids, Array sets, i64 size, Array room, Array found) {
    Lists by_item;
    DOOR(are_lists(&by_item, &firsts, &tids, found.size) && size > 0 && sets.size % size == 0);
    DOOR(are_below(&sets, by_item.many));
    const i32 *set = sets.at, *cohort = room.at;
    for (i64 number = 0; number < sets.size / size; number++) {
        const i64 many = cohort_of(&by_item, set + number * size, size, room.at, room.size);
        DOOR(many != REFUSED);
        for (i64 at = 0; at < many; at++)
            ((u8 *)found.at)[cohort[at]] = 1;
    }
    return 0;
}

/* Transactions by item, candidates, and room for the cohorts of the bases with one parent: where each ends, by last item. */
typedef struct {
    Lists rows, tids;
    Candidates of;
    const i64 *supports, *parents;
    Array cohort, ends, cohorts;
} Search;

/* The arrays of a search as Python gives them. */
typedef struct {
    Array starts, items, firsts, tids, sets, supports, parents, cohort, ends, cohorts;
} Given;

static int is_search(Search *search, const Array *given, i64 size, const Array *base, const Array *item) {
    if (given->size != sizeof(Given) / sizeof(Array))
        return 0;
    const Given *with = given->at;
    const i64 width = with->ends.size;
    *search = (Search){.supports = with->supports.at, .parents = with->parents.at, .cohort = with->cohort, .ends = with->ends,
                       .cohorts = with->cohorts};
    return are_lists(&search->rows, &with->starts, &with->items, width) && with->firsts.size == width + 1 &&
           are_lists(&search->tids, &with->firsts, &with->tids, search->rows.many) &&
           are_candidates(&search->of, &with->sets, size, base, item, width) &&
           with->supports.size == with->sets.size / size && with->parents.size == with->supports.size;
}

/* Write each transaction of a cohort once for each item beyond `after` for which a place is free. */
static i64 deal(const Lists *rows, const i32 *cohort, i64 many, i32 after, i64 *free, const Array *dealt) {
    for (i64 at = 0; at < many; at++) {
        const i32 row = cohort[at];
        DOOR(is_below(row, rows->many));
        for (i64 cell = rows->starts[row + 1] - 1; cell >= rows->starts[row] && rows->items[cell] > after; cell--) {
            i64 *place = free + rows->items[cell];
            if (*place >= 0) {
                DOOR(*place < dealt->size);
                ((i32 *)dealt->at)[(*place)++] = row;
            }
        }
    }
    return 0;
}

/* Deal the cohorts of the bases, from that of candidate `at` on, that have the same parent; return where they end. */
static i64 gather(const Search *search, i64 at) {
    const Candidates *of = &search->of;
    const i64 last = of->size - 1, parent = search->parents[of->base[at]];
    i64 *ends = search->ends.at, end = at, place = 0;
    for (; end < of->many && search->parents[of->base[end]] == parent; end++) {
        const i32 item = base_of(of, end)[last];
        if (last == 0)
            ends[item] = search->tids.starts[item + 1];
        else if (ends[item] < 0) {
            ends[item] = place;
            place += search->supports[of->base[end]];
        }
    }
    if (last > 0) {
        const i32 *wanted = base_of(of, at);
        const i64 size = cohort_of(&search->tids, wanted, last, search->cohort.at, search->cohort.size);
        DOOR(size != REFUSED);
        DOOR(deal(&search->rows, search->cohort.at, size, wanted[last - 1], ends, &search->cohorts) == 0);
    }
    return end;
}

/* The cohort of the base of candidate `at`, which is taken out of those gathered; none where it does not lie there. */
static const i32 *taken(const Search *search, i64 at) {
    i64 *end = (i64 *)search->ends.at + base_of(&search->of, at)[search->of.size - 1];
    const i64 size = search->supports[search->of.base[at]], start = *end - size;
    *end = -1;
    return is_inside(start, size, search->cohorts.size) ? (const i32 *)search->cohorts.at + start : NULL;
}

/* Count the cohort of each candidate: of all that extend one base at once. Counts are zero, also after.
   Work: the items of each base's cohort. Trusts: that supports, parents and order are those of the search; cohorts
   that do not lie where they should are refused. */
API i64 kohort_count_lists(Array given, i64 size, Array base, Array item, Array counts, Array supports) {
    Search search;
    DOOR(is_search(&search, &given, size, &base, &item) && counts.size == search.ends.size);
    DOOR(supports.size == base.size);
    const Lists *rows = &search.rows;
    const Candidates *of = &search.of;
    i64 *count = counts.at, at = 0, end = 0;
    while (at < of->many) {
        if (at == end)
            DOOR((end = gather(&search, at)) != REFUSED);
        const i64 one = of->base[at], many = search.supports[one];
        const i32 last = base_of(of, at)[size - 1], *cohort = taken(&search, at);
        DOOR(cohort);
        i64 cells = 0;
        for (i64 each = 0; each < many; each++) {
            const i32 row = cohort[each];
            DOOR(is_below(row, rows->many));
            const i64 start = rows->starts[row];
            cells += rows->starts[row + 1] - start;
            for (i64 cell = rows->starts[row + 1] - 1; cell >= start && rows->items[cell] > last; cell--)
                count[rows->items[cell]]++;
        }
        for (; at < end && of->base[at] == one; at++)
            ((i64 *)supports.at)[at] = count[of->item[at]];
        clear(rows, cohort, many, cells, counts);
    }
    return 0;
}

/* Write the cohort of each candidate, where it begins: a base's cohort is dealt to its candidates.
   Work: the items of each base's cohort. Trusts: as above. */
API i64 kohort_deal(Array given, i64 size, Array base, Array item, Array begins, Array free, Array dealt) {
    Search search;
    DOOR(is_search(&search, &given, size, &base, &item) && free.size == search.ends.size && begins.size == base.size);
    const Candidates *of = &search.of;
    i64 *place = free.at, at = 0, end = 0;
    while (at < of->many) {
        if (at == end)
            DOOR((end = gather(&search, at)) != REFUSED);
        const i64 first = at, one = of->base[at], many = search.supports[one];
        const i32 *cohort = taken(&search, at);
        DOOR(cohort);
        for (; at < end && of->base[at] == one; at++)
            place[of->item[at]] = ((const i64 *)begins.at)[at];
        DOOR(deal(&search.rows, cohort, many, base_of(of, first)[size - 1], place, &dealt) == 0);
        for (i64 candidate = first; candidate < at; candidate++)
            place[of->item[candidate]] = -1;
    }
    return 0;
}
