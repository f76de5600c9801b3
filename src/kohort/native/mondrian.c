/* Room "cut", Mondrian's strict cuts: the whole search where only sizes count, and what lies between the models' judgements where they
   ask for more. The arrays are described in kohort.algorithms.mondrian.sizes and .waves. */

#include "core.h"

/* The arrays of `Rule`, `Buffer`, `Work` and `Leaves`, and the numbers of the first. */
typedef struct {
    Array positions, starts, factors, ratios;
} Scales;

typedef struct {
    Scales scales;
    i64 k, nearest, by;
    u64 seed;
} Rule;

typedef struct {
    Array codes, words, tuples, counts;
} Rows;

typedef struct {
    Array low, high, widths, values, counts, tally, stack;
} Work;

typedef struct {
    Array sizes, depths, low, high;
} Leaves;

/* The arrays of `Values`, `Cuts`, `Sensitive` and `Profiles`, and the numbers of an open partition. */
typedef struct {
    Array codes, upto, tally, lines, low, high;
} Values;

typedef struct {
    Array of, at;
} Cuts;

typedef struct {
    Array places;
    i64 person;
} Sensitive;

typedef struct {
    i64 *sizes, *histograms, cells;
} Profiles;

/* Codes of a row; 0 where there are no rows. */
static inline i64 width_of(const Rows *rows) { return rows->tuples.size ? rows->codes.size / rows->tuples.size : 0; }

enum { RECORDS = 2, DEPTH, TRIED, WITHIN, WIDTHS };

enum { BY_WIDTH, BY_VALUES, BY_CHANCE, FEW = 32, PLACES = 1024 };

/* Codes per row from which values are sorted, or searched for, rather than looked up in a place for each code; and cuts that
   a partition proposes first. */
enum { SPARSE = 8, FIRST = 4 };

/* Relative difference of two estimates from which they decide. */
static const double DECIDED = 1e-9;

/* Whether p/q > r/s, exactly, of positive numbers: their continued fractions compared term by term. */
static int greater(i64 p, i64 q, i64 r, i64 s) {
    while (p / q == r / s) {
        i64 left = p % q, right = r % s, turned = q;
        if (left == 0 || right == 0)
            return left > 0;
        p = s, q = right, r = turned, s = left; /* p/q > r/s where the inverse of what is left of it is less */
    }
    return p / q > r / s;
}

/* The dimension of the greatest relative width, the first of equals; -1 where every width is 0. */
static i64 widest(const i64 *widths, const Rule *rule) {
    const double *factors = rule->scales.factors.at;
    const i64 *ratios = rule->scales.ratios.at, d = rule->scales.starts.size;
    i64 best = -1;
    double best_share = 0;
    for (i64 each = 0; each < d; each++) {
        double share = (double)widths[each] * factors[each];
        if (widths[each] <= 0 || share <= best_share * (1 - DECIDED))
            continue;
        if (best >= 0 && share < best_share * (1 + DECIDED)) {
            const i64 *ratio = ratios + 2 * (each * d + best);
            if (!greater(widths[each], widths[best], ratio[1], ratio[0]))
                continue;
        }
        best = each, best_share = share;
    }
    return best;
}

/* splitmix64. */
static u64 stirred(u64 state) {
    state += 0x9E3779B97F4A7C15u;
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    state = (state ^ state >> 27) * 0x94D049BB133111EBu;
    return state ^ state >> 31;
}

/* Whether these are rows of one half of the buffer, and at least one. */
static int is_part(const Rows *rows, const i64 *part) {
    const i64 half = rows->tuples.size / 2;
    return part[0] >= 0 && part[0] < part[1] && part[1] <= 2 * half && (part[0] >= half || part[1] <= half);
}

/* Sort some codes, each with its count, by Shell's method: they are few. */
static void sort(i64 *codes, i64 *counts, i64 size) {
    i64 gap = 1;
    while (3 * gap < size)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (i64 row = gap; row < size; row++) {
            i64 code = codes[row], count = counts[row], place = row;
            for (; place >= gap && codes[place - gap] > code; place -= gap)
                codes[place] = codes[place - gap], counts[place] = counts[place - gap];
            codes[place] = code, counts[place] = count;
        }
}

/* How many cuts to propose: after the first, as many as take no longer to judge than a pass over the rows. */
static i64 batch(i64 tried, i64 rows, i64 cells) {
    i64 most = rows / (cells > FIRST ? cells : FIRST);
    return tried == 0 ? FIRST : 2 * tried > most ? 2 * tried : most;
}

/* The first of the cuts first..last, ascending, that the code is left of; `last` where it is right of all. */
static inline i64 after(const i64 *at, i64 first, i64 last, i64 code) {
    for (i64 size = last - first; size > 0; size /= 2) { /* a step more than there need be, but none to be guessed */
        i64 half = (size + 1) / 2;
        first += half * (at[2 * (first + half - 1)] <= code);
    }
    return first;
}

/* The cuts that come next, after those already tried, nearest to the middle; written by value. How many there are then. */
static i64 choose(const Values *values, i64 size, const i64 *state, const Rule *rule, i64 most, const Cuts *cuts, i64 cut) {
    const i64 *codes = values->codes.at, *upto = values->upto.at, records = state[RECORDS], tried = state[TRIED], k = rule->k;
    i64 *at = cuts->at.at, middle = 0;
    while (middle < size - 1 && 2 * upto[middle] < records) /* the value of the lower median */
        middle++;
    i64 left = middle - 1, right = middle, inner_left = left, inner_right = right;
    for (i64 done = 0; done < tried + most;) {
        int goes_left = rule->nearest && left >= 0 && upto[left] >= k;
        int goes_right = right < size && records - upto[right] >= k && (rule->nearest || (done == 0 && upto[right] >= k));
        if (!goes_left && !goes_right)
            break;
        if (goes_left && !(goes_right && 2 * upto[right] - records < records - 2 * upto[left]))
            left--;
        else
            right++;
        if (++done == tried)
            inner_left = left, inner_right = right;
    }
    for (i64 place = left + 1; place < right; place++)
        if (place <= inner_left || place >= inner_right) {
            DOOR(cut < cuts->at.size / 2);
            at[2 * cut] = codes[place] + 1, at[2 * cut + 1] = upto[place];
            cut++;
        }
    return cut;
}

#define CODE u16
#define NAME(of) of##_16
#include "carve.h"
#include "waves.h"
#undef CODE
#undef NAME
#define CODE u32
#define NAME(of) of##_32
#include "carve.h"
#include "waves.h"

/* ── What Python calls ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether the arrays of a buffer fit each other; rows are moved as words. */
static int is_buffer(const Rows *rows) {
    const i64 twice = rows->tuples.size, width = width_of(rows);
    return ((uintptr_t)rows->codes.at & 7) == 0 && twice > 0 && twice % 2 == 0 && width > 0 && width % 4 == 0 && rows->codes.size == twice * width &&
           (rows->counts.size == 0 || rows->counts.size == twice);
}

/* Whether the arrays of a rule fit each other, and rows of so many codes. */
static int is_rule(const Rule *rule, i64 width) {
    const i64 d = rule->scales.starts.size, *starts = rule->scales.starts.at, *ratios = rule->scales.ratios.at;
    if (d > width || rule->k <= 0 || rule->scales.factors.size != d || rule->scales.ratios.size != 2 * d * d)
        return 0;
    for (i64 each = 0; each < d; each++)
        if (!is_inside(starts[each], 0, rule->scales.positions.size))
            return 0;
    for (i64 each = 0; each < 2 * d * d; each++)
        if (ratios[each] <= 0)
            return 0;
    return 1;
}

/* Cut one partition down to its leaves, where only sizes count. Returns how many leaves there are; their rows lie in
   the buffer one leaf after another.
   Work: rows times codes for each level of the tree. Trusts: that each dimension's positions ascend; otherwise other
   cuts are made. */
API i64 kohort_carve(Array buffer, Array exact, i64 k, i64 nearest, i64 by, i64 seed, Array room, Array found, i64 first,
                     i64 last, i64 records, i64 levels) {
    DOOR(buffer.size == 4 && exact.size == 4 && room.size == 7 && found.size == 4);
    const Rows *rows = buffer.at;
    const Scales *scales = exact.at;
    const Work *work = room.at;
    const Leaves *leaves = found.at;
    const Rule made = {*scales, k, nearest, by, (u64)seed}, *rule = &made;
    const i64 d = scales->starts.size, item = rows->codes.item, width = width_of(rows), *counts = rows->counts.at;
    const i64 most = leaves->sizes.size, part[4] = {first, last, records, levels};
    DOOR(is_buffer(rows) && is_rule(rule, width) && is_part(rows, part));
    DOOR(work->low.item == item && work->high.item == item && work->values.item == item);
    DOOR(leaves->low.item == item && leaves->high.item == item);
    DOOR(records > 0 && records < (i64)1 << 60 && levels >= 0);
    DOOR(work->low.size == width && work->high.size == width && work->widths.size == d && work->stack.size >= 8);
    DOOR(work->values.size >= last - first && (rows->counts.size == 0 || work->counts.size >= last - first));
    DOOR(most > 0 && leaves->depths.size == most && leaves->low.size == most * width && leaves->high.size == most * width);
    DOOR(work->tally.size == rule->scales.positions.size);
    i64 counted = rows->counts.size ? 0 : last - first;
    for (i64 row = first; rows->counts.size && row < last; row++) {
        DOOR(counts[row] > 0 && counts[row] <= records - counted);
        counted += counts[row];
    }
    DOOR(counted == records);
    return BY_ITEM(item, carve, rows, rule, work, leaves, part);
}

/* Whether so many arrays are the memory of a wave, for rows of so many codes. */
static int is_memory(const Array *given, i64 width, i64 item) {
    const Values *values = given->at;
    return given->size == sizeof(Values) / sizeof(Array) && values->low.size == width && values->high.size == width &&
           values->low.item == item && values->high.item == item && values->upto.size == values->codes.size;
}

/* Whether the cuts of each partition are behind those of the one before it. */
static int are_cuts(const Array *given, i64 partitions) {
    const Cuts *cuts = given->at;
    if (given->size != 2 || cuts->of.size != 3 * partitions || cuts->at.size % 2)
        return 0;
    i64 first = 0;
    for (i64 partition = 0; partition < partitions; partition++) {
        i64 last = ((const i64 *)cuts->of.at)[3 * partition + 1];
        if (last < first || last > cuts->at.size / 2)
            return 0;
        first = last;
    }
    return 1;
}

/* Propose cuts of the open partitions for models to judge, as far as there is room. Returns how many partitions have
   had their turn.
   Work: rows times dimensions for a partition that is new, rows for another one. Trusts: as above. */
API i64 kohort_propose_cuts(Array buffer, Array exact, i64 k, i64 nearest, i64 by, i64 seed, Array memory, Array open, Array of,
                            Array at, i64 cells) {
    DOOR(buffer.size == 4 && exact.size == 4);
    const Rows *rows = buffer.at;
    const Values *values = memory.at;
    const Rule made = {*(const Scales *)exact.at, k, nearest, by, (u64)seed}, *rule = &made;
    const i64 item = rows->codes.item, wide = WIDTHS + rule->scales.starts.size;
    DOOR(is_buffer(rows) && is_rule(rule, width_of(rows)) && wide > WIDTHS);
    DOOR(is_memory(&memory, width_of(rows), item) && values->tally.size == rule->scales.positions.size);
    DOOR(open.size % wide == 0 && of.size == open.size / wide * 3 && at.size % 2 == 0 && at.size > 0);
    const Cuts cuts = {of, at};
    return BY_ITEM(item, propose, rows, rule, values, &open, &cuts, cells);
}

/* Count for both sides of each proposed cut the records, or people, and who has which sensitive value.
   Work: rows times sensitive attributes for each partition, and the cells of each cut; for people, the square of each
   one's rows. Trusts: that a person's rows follow each other, and that cuts ascend. */
API i64 kohort_profile_cuts(Array buffer, Array memory, Array open, i64 dimensions, Array proposed, Array places, i64 person,
                            Array sizes, Array histograms) {
    DOOR(buffer.size == 4 && dimensions > 0 && dimensions < 1 << 20 && open.size % (WIDTHS + dimensions) == 0);
    const Rows *rows = buffer.at;
    const Sensitive sensitive = {places, person};
    const Profiles out = {sizes.at, histograms.at, sizes.size ? histograms.size / sizes.size : 0};
    DOOR(is_buffer(rows) && is_memory(&memory, width_of(rows), rows->codes.item));
    const i64 wide = WIDTHS + dimensions, width = width_of(rows), *place = places.at;
    DOOR(are_cuts(&proposed, open.size / wide) && person < width && places.size % 3 == 0);
    const Cuts *cuts = proposed.at;
    if (cuts->at.size == 0)
        return 0;
    DOOR(sizes.size == cuts->at.size && histograms.size == sizes.size * out.cells && (person < 0 || out.cells > 0));
    for (i64 one = 0; one < places.size; one += 3) {
        DOOR(is_inside(place[one], 1, width) && is_inside(place[one + 2], place[one + 1], out.cells));
        DOOR(place[one] != person || place[one + 2] < out.cells);
    }
    return BY_ITEM(rows->codes.item, profile, rows, memory.at, &open, wide, cuts, &sensitive, &out);
}

/* Make the allowed cut nearest the middle of each partition that proposed some. Returns how many partitions are open
   after it.
   Work: one pass over the rows of partitions that are cut. Trusts: that `allowed` is the models' answer. */
API i64 kohort_settle_cuts(Array buffer, Array open, i64 dimensions, Array proposed, Array allowed, Array out) {
    DOOR(buffer.size == 4 && dimensions > 0 && dimensions < 1 << 20 && open.size % (WIDTHS + dimensions) == 0);
    const Rows *rows = buffer.at;
    const i64 wide = WIDTHS + dimensions;
    DOOR(is_buffer(rows) && are_cuts(&proposed, open.size / wide) && out.size == 2 * open.size);
    const Cuts *cuts = proposed.at;
    DOOR(2 * allowed.size == cuts->at.size);
    return BY_ITEM(rows->codes.item, settle, rows, &open, wide, cuts, allowed.at, out.at);
}

/* Write the least and the greatest code of each leaf in each dimension.
   Work: one pass over the rows of the leaves. Trusts: nothing. */
API i64 kohort_corners(Array buffer, Array leaves, Array memory, Array low, Array high) {
    DOOR(buffer.size == 4 && leaves.size % 4 == 0 && low.size == high.size);
    const Rows *rows = buffer.at;
    const i64 item = rows->codes.item, many = leaves.size / 4;
    DOOR(is_buffer(rows) && is_memory(&memory, width_of(rows), item) && low.item == item && high.item == item);
    DOOR(many ? low.size % many == 0 && low.size / many <= width_of(rows) : low.size == 0);
    return BY_ITEM(item, corners, rows, &leaves, memory.at, &low, &high);
}
