/* Room "cut", Mondrian's cuts by loss: the candidates of a partition, the best of them, and the tree.

   A candidate of an attribute is a prefix of its values, or, of one released as a set, the two groups that are left when
   its values, at most MERGED, are merged in pairs, each time the pair that this makes dearer by least. Of more than
   PLACES places, as many neighbouring ones are one value as makes PLACES of them: cutting again refines.

   A set of which the table has more than LISTED values has those of a partition numbered anew: so few are told apart
   exactly, whatever the table has. Of more, neighbours share a bit, and as many values are taken to occur as belong to the
   bits, but no more than there are records.

   The rows of a partition are put into the groups of their values, of some attributes together, block by block: each
   block is read from memory once, and what its sets have is laid out as bits. A group that grows value by value is paid
   for where it grew: of most values a prefix of some length has the others' ranges already. Groups that are merged lie in
   columns, a word for each, so that one is compared with several others at once.

   Cost per partition of m tuples, a of whose attributes vary: O(m a) rows compared, O(PLACES a^2) for prefixes, and for
   sets a times the square of the number of values that are merged. The arrays are described in
   kohort.algorithms.mondrian.loss_kernels and .costs; `tests/reference/loss.py` has the definition. */

#include "core.h"

/* The kinds of label, and the numbers of an open partition: kohort.algorithms.mondrian.costs and .by_loss. */
enum { SPAN, SET, ANCESTOR };
enum { RECORDS = 2, DEPTH, WITHIN, OPEN };

/* Values of an attribute that are told apart; values that are merged at most, and that a set has bits for: both of
   loss_kernels, with the figures behind them; attributes whose values are looked at in one pass over the rows, and the rows
   that such a pass takes at a time; bytes of codes that are compared at once. */
enum { PLACES = 128, MERGED = 64, LISTED = 256, TOGETHER = 8, BLOCK = 256, LANES = 16 };

/* Single groups: the partition, one that grows, and the last finished leaf. */
enum { WHOLE, GROWN, LAST, SINGLES };

/* Bits of a fraction by which places are multiplied to find their value: exact up to spans of 1 << (POINT / 2), and 63
   bits hold PLACES << POINT. */
enum { POINT = 55 };

/* What no joining raises; where the span of a missing number begins and ends, so far from all numbers that together
   they cost the whole; and more records than any table has. */
static const i64 NEVER = (i64)1 << 62, AWAY = -((i64)1 << 61), LARGEST = (i64)1 << 60;

/* The arrays of `Scan`. */
typedef struct {
    Array kinds, first, starts, ends, gaps, whole, nodes, above, levels, bits; /* `Costs` */
    Array words, masks, memory, spans, sides;
    Array gains, left, at; /* `Candidates` */
} Given;

/* Memory of one size for all tables. */
typedef struct {
    i64 rest[PLACES];            /* what the values from each on cost together */
    i64 slots[TOGETHER][PLACES]; /* of each attribute that is looked at, the groups whose values occur */
    u8 occurs[TOGETHER][PLACES]; /* and 1 for each such value */
    i64 first[PLACES];           /* to merge: the first value of the group that each is in; it stands for the group */
    i64 sizes[PLACES];           /* records of each group; 0 of one that was joined */
    i64 own[PLACES];             /* records times cost of each group */
    i64 raised[PLACES][PLACES];  /* by how much joining two raises that; NEVER with one that was joined */
    i64 nearest[PLACES];         /* the later one that each is best joined with */
    i64 least[PLACES];           /* by how much that raises it; NEVER where there is none */
    i64 members[PLACES];         /* values of joined sets, less one */
    i64 dear[PLACES];            /* what one costs together with each */
} Fixed;

/* What is known while a partition is looked at. */
typedef struct {
    i64 attributes, chunks, packs, width, room; /* chunks of codes, and words, of a row; candidates that there is room for */
    const i64 *kinds, *first, *starts, *ends, *gaps, *whole, *nodes, *above, *levels, *words;
    const u64 *masks;
    i64 steps, leaves; /* how many entries the tables of spans and sets, and those of ancestors, have */
    i64 *spans, *sides, *gains, *left, *at;
    Fixed *fixed;
    i64 *many;        /* (d,) of sets, how many values are numbered */
    u64 estimated;    /* not 0 where some of these share bits */
    u64 *block;       /* (BLOCK chunks,) some rows in chunks */
    u32 *marks;       /* numbers of the values of a set */
    i64 *dear;        /* (d,) what the grown group costs by attribute */
    i64 *looked[2];   /* (d + 1,) how many attributes vary that are no sets, then which, the dearest first; and sets */
    i64 *low, *high;  /* (d PLACES,) to merge: where the range of each group begins and ends, of ancestors as a place */
    u64 *bits;        /* (chunks PLACES,) the words of its sets */
    u64 *single;      /* (SINGLES groups) */
    u64 *values;      /* (TOGETHER PLACES groups) the values of some attributes */
    int fits;         /* whether all costs were found where they should be */
} Scan;

/* What is wanted of a partition: its records, those that each side of a cut needs, records times cost, and whether all
   candidates are wanted, not the best alone. */
typedef struct {
    i64 records, least, whole;
    int every;
} Asked;

/* What is wanted of a table: its records, those that each leaf needs, and whether the side that is nearer to the last
   finished leaf comes first; else the left one does. And the places of its tuples, whatever rows call them. */
typedef struct {
    i64 records, least;
    int to_and_fro;
    Array places;
} Carving;

/* Of a candidate: records times cost of the partition less that of both sides, records on the left, and which cut it is:
   the last value on the left, or PLACES for the two groups of a set. */
typedef struct {
    i64 gain, left, attribute, value;
} Cut;

typedef struct {
    i64 low, high;
} Ends;

/* The arrays of `Ranked`. */
typedef struct {
    Array ends, coarse, spans, at, left, groups;
} Ranked;

/* Which candidates of which partitions are asked for. */
typedef struct {
    i64 *asked, many;
} Asking;

/* Who has which sensitive value: the arrays of `Held`, and how many tuples these are. */
typedef struct {
    Array codes, starts;
    i64 tuples;
} Held;

/* Where histograms are counted: records and histogram of each side, and the line of each value. */
typedef struct {
    i64 *sizes, *histograms, *lines, cells;
} Counted;

/* Whether these are rows of so many, and at least one. */
static int are_rows(i64 first, i64 last, i64 tuples) { return first >= 0 && first < last && last <= tuples; }

/* Whether a value is on the right of a candidate that is two groups. */
static i64 is_right(const Ranked *ranked, i64 candidate, i64 value) {
    return (i64)(((const u64 *)ranked->groups.at)[2 * candidate + value / 64] >> value % 64 & 1);
}

/* ── Costs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static inline i64 ones(u64 word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (i64)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

static inline Ends around(Ends one, Ends other) {
    return (Ends){one.low < other.low ? one.low : other.low, one.high > other.high ? one.high : other.high};
}

/* The cost of a set of so many bits that so many records have. */
static inline i64 listed_cost(Scan *scan, i64 attribute, i64 members, i64 records) {
    if (scan->many[attribute] > LISTED) {
        members = members * scan->many[attribute] / LISTED;
        members = members < records ? members : records;
    }
    u64 at = (u64)(scan->first[attribute] + members - 1);
    if (at < (u64)scan->steps)
        return scan->ends[at];
    scan->fits = 0;
    return 0;
}

/* The cost of the lowest node above both leaves. */
static inline i64 ancestor_cost(Scan *scan, i64 attribute, Ends ends) {
    i64 at = scan->levels[2 * attribute], leaves = scan->levels[2 * attribute + 1];
    while (scan->nodes[at + ends.low] != scan->nodes[at + ends.high]) {
        if (scan->leaves - at < 2 * leaves) {
            scan->fits = 0;
            return 0;
        }
        at += leaves;
    }
    return scan->above[at + ends.low];
}

/* The cost of a range or an interval; a missing value and numbers together leave nothing to tell. A cell of a grid may
   stand for several values by itself. */
static inline i64 span_cost(const Scan *scan, i64 attribute, Ends ends) {
    i64 whole = scan->whole[attribute], first = scan->first[attribute];
    if (ends.low == scan->gaps[attribute])
        return ends.high > ends.low ? whole : 0;
    i64 length = scan->ends[first + ends.high] - scan->starts[first + ends.low];
    length = length > 0 ? length : 0;
    return length < whole ? length : whole;
}

static inline i64 range_cost(Scan *scan, i64 attribute, Ends ends) {
    return scan->kinds[attribute] == SPAN ? span_cost(scan, attribute, ends) : ancestor_cost(scan, attribute, ends);
}

/* Whether the tables know a place of an attribute, and so all lower ones. */
static inline int is_priced(const Scan *scan, i64 attribute, i64 place) {
    if (scan->kinds[attribute] == ANCESTOR)
        return place < scan->levels[2 * attribute + 1];
    return scan->kinds[attribute] == SET || place < scan->steps - scan->first[attribute];
}

/* ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How the places of an attribute become values of a partition: from the least on, and the fraction by which they are
   multiplied, 0 where that is not exact. */
typedef struct {
    i64 low, span, factor;
} Values;

static inline Values values_of(const i64 *span) {
    i64 factor = span[1] <= PLACES ? (i64)1 << POINT : ((i64)PLACES << POINT) / span[1] + 1;
    return (Values){span[0], span[1], span[1] <= (i64)1 << POINT / 2 ? factor : 0};
}

/* Which of at most PLACES values a place is: (place - low) PLACES / span, where there are more. Rounding the factor up adds
   less than (place - low) / 2^POINT to the quotient, which is below 1 / span. */
static inline i64 value_of(const Values *values, i64 place) {
    place -= values->low;
    return values->factor ? place * values->factor >> POINT : place * PLACES / values->span;
}

/* Whether some attribute of the partition spans more places than are told apart. */
static int is_coarse(const Scan *scan) {
    for (i64 attribute = 0; attribute < scan->attributes; attribute++)
        if (scan->spans[2 * attribute + 1] > PLACES)
            return 1;
    return 0;
}

/* Let the values of sets be those that the table has. */
static void number_all(Scan *scan) {
    for (i64 attribute = 0; attribute < scan->attributes; attribute++)
        scan->many[attribute] = scan->levels[2 * attribute + 1];
}

/* List the values that occur; how many these are. */
static i64 list(Scan *scan, i64 column) {
    i64 values = 0;
    for (i64 first = 0; first < PLACES; first += 8) {
        u64 occurs;
        memcpy(&occurs, scan->fixed->occurs[column] + first, sizeof occurs);
        for (; occurs; occurs &= occurs - 1)
            scan->fixed->slots[column][values++] = column * PLACES + first + __builtin_ctzll(occurs) / 8;
    }
    return values;
}

/* ── Candidates ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static i64 away(i64 left, i64 records) { return 2 * left < records ? records - 2 * left : 2 * left - records; }

/* Keep a candidate, unless the best alone is wanted and it is not; how many there are now. The best is that of greatest
   gain, where none gains that nearest to the middle; of equals that whose attribute comes first, then that of the smaller
   value, the two groups of a set last. */
static i64 offer(Scan *scan, const Asked *asked, Cut cut, i64 found) {
    if (found > 0 && !asked->every) {
        i64 even = away(cut.left, asked->records), evenest = away(scan->left[0], asked->records);
        if (cut.gain < scan->gains[0])
            return 1;
        if (cut.gain == scan->gains[0]) {
            if (cut.gain == 0 && even != evenest) {
                if (even > evenest)
                    return 1;
            } else if (cut.attribute > scan->at[0] || (cut.attribute == scan->at[0] && cut.value > scan->at[1]))
                return 1;
        }
        found = 0;
    }
    scan->gains[found] = cut.gain, scan->left[found] = cut.left;
    scan->at[2 * found] = cut.attribute, scan->at[2 * found + 1] = cut.value;
    return found + 1;
}

/* Whether a candidate gains more; where none gains, is nearer to the middle; of equals, stands first in the schema. */
static int is_better(const Scan *scan, i64 one, i64 other, i64 records) {
    const i64 *gains = scan->gains, *left = scan->left, *at = scan->at;
    if (gains[one] != gains[other])
        return gains[one] > gains[other];
    i64 even = away(left[one], records), evener = away(left[other], records);
    if (gains[one] == 0 && even != evener)
        return even < evener;
    if (at[2 * one] != at[2 * other])
        return at[2 * one] < at[2 * other];
    return at[2 * one + 1] < at[2 * other + 1];
}

static void swap(i64 *items, i64 one, i64 other) {
    i64 kept = items[one];
    items[one] = items[other];
    items[other] = kept;
}

/* Put the best candidate first, by Shell's method: they are few. */
static void sort(Scan *scan, i64 number, i64 records) {
    i64 gap = 1;
    while (3 * gap < number)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (i64 one = gap; one < number; one++)
            for (i64 place = one; place >= gap && is_better(scan, place, place - gap, records); place -= gap) {
                swap(scan->gains, place, place - gap);
                swap(scan->left, place, place - gap);
                swap(scan->at, 2 * place, 2 * (place - gap));
                swap(scan->at, 2 * place + 1, 2 * (place - gap) + 1);
            }
}

/* ── Values merged in pairs ──────────────────────────────────────────────────────────────────────────────────────── */

/* Add what a span costs that holds those of one group and of another, for some others. */
static void add_spans(i64 *restrict dear, const i64 *restrict low, const i64 *restrict high, i64 one, i64 first, i64 last,
                      i64 whole) {
    const i64 lower = low[one], upper = high[one];
    for (i64 other = first; other < last; other++) {
        i64 least = low[other] < lower ? low[other] : lower, most = high[other] > upper ? high[other] : upper;
        i64 length = most - least;
        length = length > 0 ? length : 0;
        dear[other] += length < whole ? length : whole;
    }
}

/* Add how many of these bits any of two words has, for one word and some others. */
static void add_members(i64 *restrict members, const u64 *restrict bits, i64 one, i64 first, i64 last, u64 mask) {
    for (i64 other = first; other < last; other++)
        members[other] += ones((bits[other] | bits[one]) & mask);
}

/* What a group would cost together with each of these, as far as attributes are looked at. */
static void compare(Scan *scan, i64 one, i64 first, i64 last) {
    i64 *dear = scan->fixed->dear, *members = scan->fixed->members, *sizes = scan->fixed->sizes;
    memset(dear + first, 0, sizeof(i64) * (size_t)(last - first));
    for (i64 number = 1; number <= scan->looked[0][0]; number++) {
        i64 attribute = scan->looked[0][number];
        const i64 *low = scan->low + (number - 1) * PLACES, *high = scan->high + (number - 1) * PLACES;
        if (scan->kinds[attribute] == SPAN)
            add_spans(dear, low, high, one, first, last, scan->whole[attribute]);
        else
            for (i64 other = first; other < last; other++)
                dear[other] += ancestor_cost(scan, attribute, around((Ends){low[one], high[one]}, (Ends){low[other], high[other]}));
    }
    for (i64 number = 1; number <= scan->looked[1][0]; number++) {
        i64 attribute = scan->looked[1][number];
        for (i64 other = first; other < last; other++)
            members[other] = 0;
        for (i64 word = scan->words[2 * attribute]; word < scan->words[2 * attribute + 1]; word++)
            add_members(members, scan->bits + word * PLACES, one, first, last, scan->masks[attribute]);
        for (i64 other = first; other < last; other++)
            dear[other] += listed_cost(scan, attribute, members[other], sizes[one] + (other == one ? 0 : sizes[other]));
    }
}

/* By how much joining two groups of values raises the sum of records times cost; one has just been compared. */
static inline i64 raised(const Fixed *fixed, i64 one, i64 other) {
    return (fixed->sizes[one] + fixed->sizes[other]) * fixed->dear[other] - fixed->own[one] - fixed->own[other];
}

/* The later group that a group is best joined with, the first of equals. */
static void find_nearest(Fixed *fixed, i64 one, i64 values) {
    i64 best = 0, least = NEVER;
    for (i64 other = one + 1; other < values; other++)
        if (fixed->raised[one][other] < least)
            best = other, least = fixed->raised[one][other];
    fixed->nearest[one] = best, fixed->least[one] = least;
}

/* What joining the grown group `one` with others raises, and what is nearest to them now that `other` is gone. */
static void compare_again(Fixed *fixed, i64 one, i64 other, i64 values) {
    for (i64 group = 0; group < values; group++) {
        if (group == one || fixed->sizes[group] == 0)
            continue;
        i64 more = raised(fixed, one, group), nearest = fixed->nearest[group];
        if (group > one) {
            fixed->raised[one][group] = more;
            if (group < other && nearest == other)
                find_nearest(fixed, group, values);
            continue;
        }
        fixed->raised[group][one] = more;
        if (nearest == one || nearest == other)
            find_nearest(fixed, group, values);
        else if (more < fixed->least[group] || (more == fixed->least[group] && one < nearest))
            fixed->nearest[group] = one, fixed->least[group] = more;
    }
    find_nearest(fixed, one, values);
}

/* Join two groups; what joining them with others raises, and what is nearest to these now. */
static void merge(Scan *scan, i64 one, i64 other, i64 values) {
    Fixed *fixed = scan->fixed;
    fixed->own[one] += fixed->own[other] + fixed->least[one];
    fixed->sizes[one] += fixed->sizes[other];
    fixed->sizes[other] = 0, fixed->least[other] = NEVER;
    for (i64 row = 0; row < scan->looked[0][0] * PLACES; row += PLACES) {
        i64 *low = scan->low + row, *high = scan->high + row;
        Ends ends = around((Ends){low[one], high[one]}, (Ends){low[other], high[other]});
        low[one] = ends.low, high[one] = ends.high;
    }
    for (i64 row = 0; row < scan->chunks * PLACES; row += PLACES)
        scan->bits[row + one] |= scan->bits[row + other];
    for (i64 value = other; value < values; value++)
        if (fixed->first[value] == other)
            fixed->first[value] = one;
    for (i64 group = 0; group < other; group++)
        fixed->raised[group][other] = NEVER;
    compare(scan, one, 0, values);
    compare_again(fixed, one, other, values);
}

/* The two groups of a set of three values or more that are left after merging; the values lie in columns. */
static i64 merged(Scan *scan, const Asked *asked, i64 column, i64 attribute, i64 values, i64 found) {
    Fixed *fixed = scan->fixed;
    for (i64 one = values - 1; one >= 0; one--) {
        compare(scan, one, one, values);
        fixed->own[one] = fixed->sizes[one] * fixed->dear[one];
        for (i64 other = one + 1; other < values; other++)
            fixed->raised[one][other] = raised(fixed, one, other);
        find_nearest(fixed, one, values);
    }
    for (i64 left = values; left > 2; left--) {
        i64 one = 0;
        for (i64 group = 1; group < values; group++)
            if (fixed->least[group] < fixed->least[one])
                one = group;
        merge(scan, one, fixed->nearest[one], values);
    }
    i64 second = values - 1; /* the first group is that of the least value */
    while (second > 0 && fixed->sizes[second] == 0)
        second--;
    for (i64 value = 0; value < values; value++)
        scan->sides[attribute * PLACES + fixed->slots[column][value] - column * PLACES] = fixed->first[value] == second;
    i64 left = fixed->sizes[0];
    if (left < asked->least || asked->records - left < asked->least)
        return found;
    return offer(scan, asked, (Cut){asked->whole - fixed->own[0] - fixed->own[second], left, attribute, PLACES}, found);
}

/* ── Histograms of both sides ────────────────────────────────────────────────────────────────────────────────────── */

/* The line of each value: left of the first prefix that it is in, else right of the last, which is returned; -1 where there
   is no prefix. */
static i64 lines_of(const i64 *at, i64 attribute, i64 first, i64 last, i64 base, i64 *lines) {
    i64 end = -1, line = -1;
    for (i64 value = 0; value < PLACES; value++)
        lines[value] = -1;
    for (i64 candidate = first; candidate < last; candidate++)
        if (at[2 * candidate] == attribute && at[2 * candidate + 1] < PLACES)
            lines[at[2 * candidate + 1]] = base + 2 * (candidate - first);
    for (i64 value = PLACES - 1; value >= 0; value--) {
        if (lines[value] >= 0) {
            line = lines[value];
            end = end < 0 ? line : end;
        }
        lines[value] = line;
    }
    for (i64 value = 0; value < PLACES; value++)
        lines[value] = lines[value] < 0 ? end + 1 : lines[value];
    return end;
}

/* Add to what is left of a prefix what is left of shorter ones; what is right of it is the rest of all. */
static void add_up(const i64 *at, i64 attribute, i64 first, i64 last, i64 base, i64 end, const Counted *out) {
    const i64 cells = out->cells;
    i64 before = -1;
    for (i64 value = 0; value < PLACES; value++) {
        i64 line = out->lines[value];
        if (line == before || line == end + 1)
            continue;
        for (i64 cell = 0; before >= 0 && cell < cells; cell++)
            out->histograms[line * cells + cell] += out->histograms[before * cells + cell];
        before = line;
    }
    const i64 *most = out->histograms + end * cells, *rest = most + cells;
    for (i64 candidate = first; candidate < last; candidate++) {
        i64 *left = out->histograms + (base + 2 * (candidate - first)) * cells, *right = left + cells;
        if (at[2 * candidate] == attribute && at[2 * candidate + 1] < PLACES && left != most)
            for (i64 cell = 0; cell < cells; cell++)
                right[cell] = most[cell] + rest[cell] - left[cell];
    }
}

#define CODE u16
#define NAME(of) of##_16
#include "loss.h"
#undef CODE
#undef NAME
#define CODE u32
#define NAME(of) of##_32
#include "loss.h"

/* ── What Python calls ───────────────────────────────────────────────────────────────────────────────────────────── */

enum { CHUNK = LANES / 8 + 2, OF_GROUP = 2 * LANES / 8 + 2 }; /* words of a row's and of a group's */

/* Words of the memory to look at a partition of so many attributes whose groups have so many chunks; the broadest set has
   so many values.
   Work: none. Trusts: nothing. */
API i64 kohort_loss_memory(i64 attributes, i64 chunks, i64 values) {
    DOOR(attributes > 0 && chunks > 0 && attributes < 1 << 20 && chunks < 1 << 20 && is_inside(values, 0, LARGEST));
    i64 groups = SINGLES + PLACES * (attributes < TOGETHER ? attributes : TOGETHER);
    i64 columns = 2 * attributes + 2 * (attributes + 1) + PLACES * (2 * attributes + chunks);
    return (i64)sizeof(Fixed) / 8 + columns + OF_GROUP * chunks * groups + CHUNK * chunks * BLOCK + (values + 1) / 2;
}

static int fit(const Given *given, i64 item, Scan *scan) {
    const i64 d = given->kinds.size, steps = given->starts.size < given->ends.size ? given->starts.size : given->ends.size;
    i64 lanes = LANES / item, packs = (d + lanes - 1) / lanes, chunks = packs, values = 0;
    const i64 *words = given->words.at, *levels = given->levels.at, *first = given->first.at, *kinds = given->kinds.at;
    if (d <= 0 || given->first.size != d || given->gaps.size != d || given->whole.size != d || given->levels.size != 2 * d ||
        given->words.size != 2 * d || given->masks.size != d || given->spans.size != 2 * d || given->sides.size != d * PLACES ||
        given->above.size != given->nodes.size || given->left.size != given->gains.size ||
        given->at.size != 2 * given->gains.size || given->gains.size < d * PLACES)
        return 0;
    for (i64 each = 0; each < d; each++) {
        i64 start = levels[2 * each], leaves = levels[2 * each + 1];
        int listed = kinds[each] == SET, tree = kinds[each] == ANCESTOR;
        if (kinds[each] < SPAN || kinds[each] > ANCESTOR || !is_inside(first[each], 0, steps))
            return 0;
        if (tree && (leaves <= 0 || !is_inside(start, leaves, given->nodes.size)))
            return 0;
        if (words[2 * each] < 0 || words[2 * each + 1] < words[2 * each] || words[2 * each + 1] > 1 << 20)
            return 0;
        u64 mask = ((const u64 *)given->masks.at)[each];
        if (listed && (!mask || leaves <= 0 || leaves > 1 << 30 || __builtin_ctzll(mask) + (leaves < LISTED ? leaves : LISTED) > 64 * (words[2 * each + 1] - words[2 * each])))
            return 0;
        values = listed && leaves > values ? leaves : values;
        chunks = listed && words[2 * each + 1] > chunks ? words[2 * each + 1] : chunks;
    }
    if (given->memory.size != kohort_loss_memory(d, chunks, values))
        return 0;
    u64 *memory = given->memory.at;
    *scan = (Scan){
        .attributes = d, .chunks = chunks, .packs = packs, .width = LANES / 8 * packs + 2, .room = given->gains.size,
        .kinds = kinds, .first = first, .starts = given->starts.at, .ends = given->ends.at, .gaps = given->gaps.at,
        .whole = given->whole.at, .nodes = given->nodes.at, .above = given->above.at, .levels = levels, .words = words,
        .masks = given->masks.at, .steps = steps, .leaves = given->nodes.size, .spans = given->spans.at,
        .sides = given->sides.at, .gains = given->gains.at, .left = given->left.at, .at = given->at.at, .fits = 1,
    };
    scan->fixed = (Fixed *)memory;
    scan->dear = (i64 *)memory + sizeof(Fixed) / 8;
    scan->looked[0] = scan->dear + d, scan->looked[1] = scan->looked[0] + d + 1;
    scan->low = scan->looked[1] + d + 1, scan->high = scan->low + d * PLACES;
    scan->bits = (u64 *)scan->high + d * PLACES;
    scan->single = scan->bits + chunks * PLACES;
    scan->values = scan->single + OF_GROUP * chunks * SINGLES;
    scan->block = scan->values + OF_GROUP * chunks * PLACES * (d < TOGETHER ? d : TOGETHER);
    scan->many = (i64 *)scan->block + CHUNK * chunks * BLOCK;
    scan->marks = (u32 *)(scan->many + d);
    number_all(scan);
    return 1;
}

/* The rows of an array of codes, where they are whole rows; else none. */
static i64 rows_in(const Array *codes, const Scan *scan) {
    i64 bytes = codes->size * codes->item, width = 8 * scan->width;
    return ((uintptr_t)codes->at & 7) || bytes % width ? 0 : bytes / width;
}

#define OPENED(rows)                                                              \
    Scan opened, *scan = &opened;                                                 \
    DOOR(given.size == sizeof(Given) / sizeof(Array) && fit(given.at, (rows).item, scan)); \
    const i64 tuples = rows_in(&(rows), scan)

/* Find the candidates of one partition; the best one, or every one. Returns how many there are.
   Work: see the head of this file. Trusts: that `Costs` are those of the table; other costs lead to other cuts, and
   places that they do not know are refused. */
API i64 kohort_propose(Array given, Array rows, i64 first, i64 last, i64 records, i64 least, i64 every) {
    OPENED(rows);
    DOOR(are_rows(first, last, tuples) && records < LARGEST && least > 0 && least < LARGEST);
    return BY_ITEM(rows.item, propose, scan, rows.at, first, last, records, least, every != 0);
}

/* Cut a table down to its leaves by what cuts save. Returns how many leaves there are.
   Work: the work of `kohort_propose` for each node of the tree, and one pass over its rows. Trusts: as above. */
API i64 kohort_carve_by_loss(Array given, Array rows, Array spare, i64 records, i64 least, i64 to_and_fro, Array places,
                             Array stack, Array leaves) {
    OPENED(rows);
    const Carving asked = {records, least, to_and_fro != 0, places};
    DOOR(places.size == tuples * scan->attributes);
    DOOR(tuples > 0 && spare.item == rows.item && rows_in(&spare, scan) == tuples && records < LARGEST);
    DOOR(least > 0 && least < LARGEST && stack.size >= 4);
    i64 open = stack.size / 4, most = leaves.size / 4;
    return BY_ITEM(rows.item, carve_by_loss, scan, rows.at, spare.at, tuples, &asked, stack.at, open, leaves.at, most);
}

/* Whether these are the candidates of all open partitions, or room for them: arrays that fit each other. */
static int are_ranked(const Array *given, const Array *open, const Scan *scan) {
    const Ranked *ranked = given->at;
    if (given->size != sizeof(Ranked) / sizeof(Array) || open->size % OPEN)
        return 0;
    i64 candidates = ranked->left.size, partitions = open->size / OPEN;
    return ranked->ends.size == partitions && ranked->coarse.size == partitions && ranked->at.size == 2 * candidates &&
           ranked->spans.size == 2 * scan->attributes * partitions && ranked->groups.size == 2 * candidates;
}

/* Find all candidates of the open partitions, as far as there is room, the best of each first. Returns how many
   partitions have had their turn.
   Work: that of `kohort_propose` for each partition, and sorting. Trusts: as above. */
API i64 kohort_rank(Array given, Array rows, Array open, i64 least, Array room) {
    OPENED(rows);
    DOOR(are_ranked(&room, &open, scan) && least > 0 && least < LARGEST);
    return BY_ITEM(rows.item, rank, scan, rows.at, tuples, &open, least, room.at);
}

/* Whether what is asked for are candidates, and partitions of so many tuples; how many candidates, or REFUSED. */
static i64 asked_for(const Asking *asking, const Array *open, const Ranked *ranked, i64 tuples, const Scan *scan) {
    const i64 *at = ranked->at.at, *parts = open->at, most = ranked->left.size;
    i64 all = 0;
    for (i64 one = 0; one < asking->many; one++) {
        const i64 *asked = asking->asked + 3 * one;
        DOOR(is_inside(asked[0], 1, open->size / OPEN) && is_inside(asked[1], 0, most) && asked[1] <= asked[2] && asked[2] <= most);
        const i64 *part = parts + OPEN * asked[0];
        DOOR(are_rows(part[0], part[1], tuples));
        for (i64 each = 2 * asked[1]; each < 2 * asked[2]; each += 2)
            DOOR(is_inside(at[each], 1, scan->attributes) && is_inside(at[each + 1], 0, PLACES));
        DOOR(asked[2] - asked[1] <= ((i64)1 << 40) - all);
        all += asked[2] - asked[1];
    }
    return all;
}

/* Count for both sides of the candidates that are asked for the records, and who has which sensitive value.
   Work: rows times sensitive attributes for each attribute that has candidates, and the cells of each candidate.
   Trusts: that candidates are as `kohort_rank` left them, each partition's in their order. */
API i64 kohort_count_sides(Array given, Array rows, Array open, Array ranked, Array asked, Array codes, Array starts,
                           Array sizes, Array histograms) {
    OPENED(rows);
    const Asking asking = {asked.at, asked.size / 3};
    const i64 kinds = starts.size - 1, *start = starts.at;
    i64 lines[PLACES];
    DOOR(are_ranked(&ranked, &open, scan) && asked.size % 3 == 0 && kinds >= 0);
    i64 all = asked_for(&asking, &open, ranked.at, tuples, scan);
    DOOR(all != REFUSED && sizes.size == 2 * all);
    const Held held = {codes, starts, kinds ? codes.size / kinds : INT64_MAX};
    const Counted out = {sizes.at, histograms.at, lines, all ? histograms.size / (2 * all) : 0};
    DOOR(histograms.size == 2 * all * out.cells && codes.size == (kinds ? held.tuples * kinds : 0) && start[0] == 0);
    for (i64 one = 0; one < kinds; one++)
        DOOR(start[one] <= start[one + 1] && start[one + 1] <= out.cells);
    return BY_ITEM(rows.item, count_sides, scan, rows.at, &open, ranked.at, &asking, &held, &out);
}

/* Make the best allowed candidate of each partition that asks. Returns how many partitions are open after it.
   Work: one pass over the rows of partitions that are cut. Trusts: that `allowed` is the models' answer. */
API i64 kohort_cut(Array given, Array rows, Array spare, Array open, Array ranked, Array asked, Array allowed, Array out) {
    OPENED(rows);
    const Asking asking = {asked.at, asked.size / 3};
    DOOR(are_ranked(&ranked, &open, scan) && asked.size % 3 == 0);
    DOOR(spare.item == rows.item && rows_in(&spare, scan) == tuples);
    DOOR(asked_for(&asking, &open, ranked.at, tuples, scan) == allowed.size && out.size == 2 * OPEN * asking.many);
    return BY_ITEM(rows.item, cut_some, scan, rows.at, spare.at, &open, ranked.at, &asking, allowed.at, out.at);
}
