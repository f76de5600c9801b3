/* What the labels of groups of tuples will lose: the tables of kohort.algorithms.mondrian.costs, and the groups of
   which these tell it.

   A group is the least and the greatest place in each attribute, and a bit for each place of those that are released as
   sets. The tables pass their door once in a call, and so do the ends of groups, and places that are looked at more than
   once. What else leads into the tables is looked at on the way: other places, how many values a set has, and at which
   level two leaves meet. What the tables do not know costs 0 and takes `fits` away, which the caller refuses. */

#include "core.h"

/* The kinds of label. */
enum { SPAN, SET, ANCESTOR };

typedef struct {
    Array kinds, first, starts, ends, gaps, whole, nodes, above, levels, words;
} Tables;

typedef struct {
    i64 attributes, steps, leaves, wide; /* entries of the tables of spans and sets, and of ancestors; words of a group */
    const i64 *kinds, *first, *starts, *ends, *gaps, *whole, *nodes, *above, *levels, *words;
    int fits; /* whether all costs were found where they should be */
} Costs;

/* Tuples: the place of each in each attribute, in so many bytes. */
typedef struct {
    const void *codes;
    i64 many, item;
} Places;

/* Some groups: (many, attributes) and (many, wide). */
typedef struct {
    i64 many, *low, *high;
    u64 *bits;
} Groups;

/* A loop over tuples, compiled for each width that their places may have. */
#define LOOP static inline __attribute__((always_inline))
#define BY_WIDTH(of, places, ...)                                                       \
    ((places).item == 2   ? of((Places){(places).codes, (places).many, 2}, __VA_ARGS__) \
     : (places).item == 4 ? of((Places){(places).codes, (places).many, 4}, __VA_ARGS__) \
                          : REFUSED)

/* ── The door ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How many places an attribute has: those of the next one follow. */
static inline i64 places_of(const Costs *costs, i64 attribute) {
    return (attribute + 1 < costs->attributes ? costs->first[attribute + 1] : costs->steps) - costs->first[attribute];
}

static inline int is_attribute(const Costs *costs, i64 attribute) {
    const i64 *words = costs->words + attribute, *level = costs->levels + 2 * attribute, kind = costs->kinds[attribute];
    if (!is_inside(costs->first[attribute], 1, costs->steps) || !is_inside(words[0], 0, words[1]) || words[1] > 1 << 30)
        return 0;
    const i64 size = places_of(costs, attribute);
    if (size < 1 || kind < SPAN || kind > ANCESTOR || (kind == SET && size > 64 * (words[1] - words[0])))
        return 0;
    return kind != ANCESTOR || (level[1] >= size && is_inside(level[0], level[1], costs->leaves));
}

static inline int are_costs(Costs *costs, const Array *given) {
    if (given->size != sizeof(Tables) / sizeof(Array))
        return 0;
    const Tables *of = given->at;
    const i64 d = of->kinds.size;
    if (d < 1 || d > 1 << 20 || of->first.size != d || of->gaps.size != d || of->whole.size != d || of->levels.size != 2 * d ||
        of->words.size != d + 1 || of->ends.size != of->starts.size || of->above.size != of->nodes.size)
        return 0;
    *costs = (Costs){d, of->starts.size, of->nodes.size, 1, of->kinds.at, of->first.at, of->starts.at, of->ends.at,
                     of->gaps.at, of->whole.at, of->nodes.at, of->above.at, of->levels.at, of->words.at, 1};
    for (i64 attribute = 0; attribute < d; attribute++)
        if (!is_attribute(costs, attribute))
            return 0;
    costs->wide = costs->words[d] > 1 ? costs->words[d] : 1;
    return costs->words[0] == 0;
}

/* Whether these are whole tuples, of any places. */
static inline int are_tuples(Places *places, const Costs *costs, const Array *codes) {
    *places = (Places){codes->at, codes->size / costs->attributes, codes->item};
    return codes->size % costs->attributes == 0;
}

/* Whether the tables know all places: no sign is set of what a place lacks to the last one. */
static inline int are_places(Places *places, const Costs *costs, const Array *codes) {
    i64 wrong = 0;
    if (!are_tuples(places, costs, codes) || (codes->item != 2 && codes->item != 4))
        return 0;
    for (i64 attribute = 0; attribute < costs->attributes; attribute++) {
        const i64 last = places_of(costs, attribute) - 1;
        for (i64 at = attribute; at < codes->size; at += costs->attributes)
            wrong |= last - (codes->item == 2 ? ((const u16 *)codes->at)[at] : ((const u32 *)codes->at)[at]);
    }
    return wrong >= 0;
}

static inline int are_groups(Groups *groups, const Costs *costs, const Array *given) {
    if (given->size != 3)
        return 0;
    const Array *of = given->at;
    *groups = (Groups){of[0].size / costs->attributes, of[0].at, of[1].at, of[2].at};
    return of[0].size == groups->many * costs->attributes && of[1].size == of[0].size && of[2].size % costs->wide == 0 &&
           of[2].size / costs->wide == groups->many;
}

/* Whether the tables know the ends of all groups; not those of an empty one. */
static inline int are_known(const Groups *groups, const Costs *costs) {
    const i64 *low = groups->low, *high = groups->high;
    for (i64 one = 0; one < groups->many; one++)
        for (i64 attribute = 0; attribute < costs->attributes; attribute++, low++, high++)
            if (*low < 0 || *low > *high || *high >= places_of(costs, attribute))
                return 0;
    return 1;
}

/* ── What labels lose ────────────────────────────────────────────────────────────────────────────────────────────── */

static inline i64 least(i64 one, i64 other) { return one < other ? one : other; }

static inline i64 most(i64 one, i64 other) { return one > other ? one : other; }

static inline i64 ones(u64 word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return (i64)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

static inline i64 place_of(const Places *places, const Costs *costs, i64 row, i64 attribute) {
    const i64 at = row * costs->attributes + attribute;
    return places->item == 2 ? ((const u16 *)places->codes)[at] : ((const u32 *)places->codes)[at];
}

/* A place that has not passed the door; the first one where the tables do not know it. */
static inline i64 known_place(const Places *places, Costs *costs, i64 row, i64 attribute) {
    const i64 place = place_of(places, costs, row, attribute);
    if (place < places_of(costs, attribute))
        return place;
    costs->fits = 0;
    return 0;
}

/* The cost of a set with so many values more than one. */
static inline i64 set_cost(Costs *costs, i64 attribute, i64 more) {
    const u64 at = (u64)(costs->first[attribute] + more);
    if (at < (u64)costs->steps)
        return costs->ends[at];
    costs->fits = 0;
    return 0;
}

/* Where the level begins at which both leaves have one node, from that which begins at `at` upwards; -1 for none. */
static inline i64 level_of(Costs *costs, i64 at, i64 leaves, i64 one, i64 other) {
    for (; at <= costs->leaves - leaves; at += leaves)
        if (costs->nodes[at + one] == costs->nodes[at + other])
            return at;
    costs->fits = 0;
    return -1;
}

/* The cost of the lowest node above both leaves. */
static inline i64 ancestor_cost(Costs *costs, i64 attribute, i64 low, i64 high) {
    const i64 at = level_of(costs, costs->levels[2 * attribute], costs->levels[2 * attribute + 1], low, high);
    return at < 0 ? 0 : costs->above[at + low];
}

static inline i64 within(i64 length, i64 whole) { return least(most(length, 0), whole); }

/* The cost of a range or an interval; a missing value and numbers together leave nothing to tell. A cell of a grid may
   stand for several values by itself. */
static inline i64 span_cost(const Costs *costs, i64 attribute, i64 low, i64 high) {
    const i64 whole = costs->whole[attribute], first = costs->first[attribute];
    if (low == costs->gaps[attribute])
        return high > low ? whole : 0;
    return within(costs->ends[first + high] - costs->starts[first + low], whole);
}

/* What two groups would cost as one. */
static inline i64 joined_cost(Costs *costs, const Groups *groups, i64 one, i64 other) {
    const i64 d = costs->attributes, *low = groups->low, *high = groups->high;
    const u64 *bits = groups->bits + one * costs->wide, *others = groups->bits + other * costs->wide;
    i64 total = 0;
    for (i64 attribute = 0; attribute < d; attribute++) {
        const i64 from = least(low[one * d + attribute], low[other * d + attribute]);
        const i64 to = most(high[one * d + attribute], high[other * d + attribute]), kind = costs->kinds[attribute];
        if (kind == SPAN)
            total += span_cost(costs, attribute, from, to);
        else if (from < to && kind == ANCESTOR)
            total += ancestor_cost(costs, attribute, from, to);
        else if (from < to) {
            i64 more = -1;
            for (i64 word = costs->words[attribute]; word < costs->words[attribute + 1]; word++)
                more += ones(bits[word] | others[word]);
            total += set_cost(costs, attribute, more);
        }
    }
    return total;
}
