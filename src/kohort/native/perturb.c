/* Room "perturb".

   The loops of perturbation: the groups of MDAV, and with which rank each rank changes places.

   What the arrays mean is said in `kohort.perturbation`, beside each call; `tests/reference/perturbing_loops.py` has the same
   loops in Python. Numbers may be any: no fraction leads into an array, so only what counts or points is looked at. */

#include "core.h"
#include <math.h>

/* ── Places in a tree of boxes ───────────────────────────────────────────────────────────────────────────────────── */

/* Points of so many axes, or corners of boxes: box 1 is all, boxes 2i and 2i + 1 are the halves of box i. */
typedef struct {
    const double *points;
    double *low, *high;
    i64 axes, many, leaves;
} Tree;

static int is_tree(Tree *tree, const Array *points, const Array *low, const Array *high, i64 axes) {
    if (axes < 1 || points->size % axes || low->size % axes || high->size != low->size)
        return 0;
    const i64 boxes = low->size / axes;
    *tree = (Tree){points->at, low->at, high->at, axes, points->size / axes, boxes / 2};
    return boxes > 1 && is_power(boxes) && boxes <= INT32_MAX && tree->many <= INT32_MAX;
}

/* The first place of a box; of the one after the last of its depth, the number of places. */
static i64 box_start(i64 box, int depth, i64 places) { return ((box - ((i64)1 << depth)) * places) >> depth; }

/* The first place of a leaf, by its number among leaves. */
static i64 leaf_start(const Tree *tree, i64 leaf) { return leaf * tree->many / tree->leaves; }

/* Reorder places from `start` to `end`: none before `middle` lies higher than any from there on (Hoare). Whatever the numbers
   are, either search ends at the pivot or at what was put there instead, so neither leaves the part. */
static void part(const double *axis, i64 axes, i64 *order, i64 start, i64 end, i64 middle) {
    i64 last = end - 1;
    while (start < last) {
        const double pivot = axis[order[(start + last) / 2] * axes];
        i64 left = start, right = last;
        while (left <= right) {
            while (axis[order[left] * axes] < pivot)
                left++;
            while (axis[order[right] * axes] > pivot)
                right--;
            if (left <= right) {
                const i64 place = order[left];
                order[left++] = order[right];
                order[right--] = place;
            }
        }
        if (middle <= right)
            last = right;
        else if (middle >= left)
            start = left;
        else
            return;
    }
}

/* Put all places in order, box by box in halves across the widest side, and note the boxes. Work: n log n steps for n places.
   Trusts: that no coordinate is missing; otherwise the order is another one. */
API i64 kohort_halve(Array points, i64 axes, Array order, Array low, Array high) {
    Tree tree;
    DOOR(is_tree(&tree, &points, &low, &high, axes) && order.size == tree.many);
    i64 *place = order.at;
    int depth = 0;
    for (i64 at = 0; at < tree.many; at++)
        place[at] = at;
    for (i64 box = 1; box < 2 * tree.leaves; box++) {
        depth += box >> (depth + 1) != 0;
        const i64 start = box_start(box, depth, tree.many), end = box_start(box + 1, depth, tree.many);
        i64 widest = 0;
        double width = -1;
        for (i64 axis = 0; axis < axes; axis++) {
            double least = INFINITY, most = -INFINITY;
            for (i64 at = start; at < end; at++) {
                const double one = tree.points[place[at] * axes + axis];
                least = one < least ? one : least;
                most = one > most ? one : most;
            }
            tree.low[box * axes + axis] = least, tree.high[box * axes + axis] = most;
            if (most - least > width)
                widest = axis, width = most - least;
        }
        if (box < tree.leaves)
            part(tree.points + widest, axes, place, start, end, box_start(2 * box + 1, depth + 1, tree.many));
    }
    return 0;
}

/* ── Groups ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Places and their records: those from `next` to the end of a place have no group yet. */
typedef struct {
    Tree tree;
    const i64 *members, *ends, *place_of;
    i64 *next, records;
} Places;

/* The arrays of places as Python gives them. */
typedef struct {
    Array points, members, next, ends, place_of, low, high;
} Given;

/* Whether all numbers are from 0 to below `size`. */
static int are_inside(const Array *numbers, i64 size) {
    const i64 *one = numbers->at;
    i64 wrong = 0;
    for (i64 at = 0; at < numbers->size; at++)
        wrong |= one[at] | (size - 1 - one[at]);
    return wrong >= 0;
}

static int are_places(Places *places, const Array *given, i64 axes) {
    if (given->size != sizeof(Given) / sizeof(Array))
        return 0;
    const Given *with = given->at;
    const i64 records = with->members.size;
    *places = (Places){.members = with->members.at, .ends = with->ends.at, .place_of = with->place_of.at,
                       .next = with->next.at, .records = records};
    return is_tree(&places->tree, &with->points, &with->low, &with->high, axes) && with->next.size == places->tree.many &&
           with->ends.size == places->tree.many && with->place_of.size == records && are_inside(&with->members, records) &&
           are_inside(&with->next, records + 1) && are_inside(&with->ends, records + 1) &&
           are_inside(&with->place_of, places->tree.many);
}

/* How far a place is from a point, squared. */
static inline double squared_distance(const Tree *tree, i64 place, const double *centre) {
    const double *point = tree->points + place * tree->axes;
    double total = 0;
    for (i64 axis = 0; axis < tree->axes; axis++) {
        const double step = point[axis] - centre[axis];
        total += step * step;
    }
    return total;
}

/* How far the nearest point of a box is from a point, squared; infinite where nothing is left. */
static inline double least_distant(const Tree *tree, i64 box, const double *centre) {
    const double *low = tree->low + box * tree->axes, *high = tree->high + box * tree->axes;
    double total = 0;
    for (i64 axis = 0; axis < tree->axes; axis++) {
        const double before = low[axis] - centre[axis], beyond = centre[axis] - high[axis];
        double step = before > 0 ? before : 0;
        step = beyond > step ? beyond : step;
        total += step * step;
    }
    return total;
}

/* How far the farthest point of a box is from a point, squared; -1 where nothing is left. */
static inline double most_distant(const Tree *tree, i64 box, const double *centre) {
    const double *low = tree->low + box * tree->axes, *high = tree->high + box * tree->axes;
    double total = 0;
    for (i64 axis = 0; axis < tree->axes; axis++) {
        const double above = centre[axis] - low[axis], below = high[axis] - centre[axis];
        const double step = above > below ? above : below;
        if (step < 0)
            return -1;
        total += step * step;
    }
    return total;
}

/* Boxes that are yet to be looked at, and what their distances do not exceed or come below. A tree of fewer than 2^31 boxes has
   at most 31 of them waiting. */
typedef struct {
    i64 box[32];
    double bound[32];
    i64 many;
} Waiting;

/* Begin with the box of all. */
static void wait_for_all(Waiting *waiting, double bound) { waiting->box[0] = 1, waiting->bound[0] = bound, waiting->many = 1; }

static void wait_for(Waiting *waiting, i64 box, double bound) {
    waiting->box[waiting->many] = box;
    waiting->bound[waiting->many++] = bound;
}

/* The place that is farthest so far, and how far it is, squared. */
typedef struct {
    i64 place;
    double distance;
} Farthest;

/* Take a place that is farther, or as far and comes first, if a record of it is left. */
static inline void measure(const Places *places, i64 place, const double *centre, Farthest *far) {
    if (places->next[place] >= places->ends[place])
        return;
    const double distance = squared_distance(&places->tree, place, centre);
    const i64 *member = places->members, *next = places->next;
    if (distance > far->distance || (distance == far->distance && member[next[place]] < member[next[far->place]]))
        *far = (Farthest){place, distance};
}

/* The place farthest from a point; -1 if there is none. */
static i64 farthest(const Places *places, const double *centre) {
    const Tree *tree = &places->tree;
    Farthest far = {-1, -1};
    Waiting waiting;
    wait_for_all(&waiting, INFINITY);
    while (waiting.many) {
        const i64 box = waiting.box[--waiting.many];
        if (waiting.bound[waiting.many] < far.distance)
            continue;
        if (box < tree->leaves) {
            const double one = most_distant(tree, 2 * box, centre), other = most_distant(tree, 2 * box + 1, centre);
            const int nearer = !(one < other);
            wait_for(&waiting, 2 * box + nearer, one < other ? one : other);
            wait_for(&waiting, 2 * box + 1 - nearer, one < other ? other : one);
            continue;
        }
        const i64 end = leaf_start(tree, box - tree->leaves + 1);
        for (i64 place = leaf_start(tree, box - tree->leaves); place < end; place++)
            measure(places, place, centre, &far);
    }
    return far.place;
}

/* Places in falling order of their distance from a point, and these distances. */
typedef struct {
    const double *from, *reaches;
    const i64 *order;
    i64 many;
} Order;

/* More than distances differ by rounding. */
static const double ROUNDING = 1 + 1e-11;

/* The place farthest from a point near that of an order, of which places from `start` on are left; -1 if there is none. `stop`
   is where the looking ended: the point moved by s, so that a place's distance differs by s at most. */
static i64 farthest_of_order(const Places *places, const Order *by, const double *centre, i64 start, i64 *stop) {
    Farthest far = {-1, -1};
    double moved = 0;
    for (i64 axis = 0; axis < places->tree.axes; axis++)
        moved += (centre[axis] - by->from[axis]) * (centre[axis] - by->from[axis]);
    moved = sqrt(moved);
    i64 at = start;
    for (; at < by->many; at++) {
        const double reach = (by->reaches[at] + moved) * ROUNDING;
        if (reach * reach * ROUNDING < far.distance)
            break;
        measure(places, by->order[at], centre, &far);
    }
    *stop = at;
    return far.place;
}

/* The records nearest to a point, in the order of distance, and of their own where that is the same; there is room for k. */
typedef struct {
    double *distances;
    i64 *records, held, k;
} Nearest;

/* Take a record if it is one of the nearest. */
static void hold(Nearest *nearest, double distance, i64 record) {
    double *near = nearest->distances;
    i64 *held = nearest->records, at = nearest->held - 1;
    if (nearest->held < nearest->k)
        at = nearest->held++;
    else if (distance > near[at] || (distance == near[at] && record > held[at]))
        return;
    for (; at > 0 && (near[at - 1] > distance || (near[at - 1] == distance && held[at - 1] > record)); at--)
        near[at] = near[at - 1], held[at] = held[at - 1];
    near[at] = distance, held[at] = record;
}

/* Find the records nearest to a point. */
static void find_nearest(const Places *places, const double *centre, Nearest *nearest) {
    const Tree *tree = &places->tree;
    Waiting waiting;
    wait_for_all(&waiting, 0);
    nearest->held = 0;
    while (waiting.many) {
        const i64 box = waiting.box[--waiting.many];
        if (nearest->held == nearest->k && waiting.bound[waiting.many] > nearest->distances[nearest->k - 1])
            continue;
        if (box < tree->leaves) {
            const double one = least_distant(tree, 2 * box, centre), other = least_distant(tree, 2 * box + 1, centre);
            const int farther = !(one > other);
            wait_for(&waiting, 2 * box + farther, one > other ? one : other);
            wait_for(&waiting, 2 * box + 1 - farther, one > other ? other : one);
            continue;
        }
        const i64 end = leaf_start(tree, box - tree->leaves + 1);
        for (i64 place = leaf_start(tree, box - tree->leaves); place < end; place++) {
            const double distance = squared_distance(tree, place, centre);
            const i64 next = places->next[place], left = places->ends[place] - next;
            for (i64 at = 0; at < left && at < nearest->k; at++)
                hold(nearest, distance, places->members[next + at]);
        }
    }
}

/* Fit the boxes around a place of which no record is left. */
static void shrink(const Places *places, i64 place) {
    const Tree *tree = &places->tree;
    const i64 axes = tree->axes, leaf = ((place + 1) * tree->leaves - 1) / tree->many, end = leaf_start(tree, leaf + 1);
    i64 box = leaf + tree->leaves;
    for (i64 axis = 0; axis < axes; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (i64 at = leaf_start(tree, leaf); at < end; at++) {
            const double one = tree->points[at * axes + axis];
            if (places->next[at] < places->ends[at])
                least = one < least ? one : least, most = one > most ? one : most;
        }
        tree->low[box * axes + axis] = least, tree->high[box * axes + axis] = most;
    }
    for (int changed = 1; changed && box > 1;) {
        box /= 2, changed = 0;
        for (i64 axis = 0; axis < axes; axis++) {
            double *low = tree->low + box * axes + axis, *high = tree->high + box * axes + axis;
            const double *one = tree->low + 2 * box * axes + axis, *other = tree->high + 2 * box * axes + axis;
            const double least = one[axes] < one[0] ? one[axes] : one[0], most = other[axes] > other[0] ? other[axes] : other[0];
            changed |= least > *low || most < *high;
            *low = least, *high = most;
        }
    }
}

/* Give the nearest records a group, and take them out of places, boxes and sums. */
static void form(const Places *places, const Nearest *nearest, i64 group, i64 *groups, double *sums) {
    const i64 axes = places->tree.axes;
    for (i64 at = 0; at < nearest->k; at++) {
        const i64 record = nearest->records[at], place = places->place_of[record];
        groups[record] = group;
        for (i64 axis = 0; axis < axes; axis++)
            sums[axis] -= places->tree.points[place * axes + axis];
        if (++places->next[place] == places->ends[place])
            shrink(places, place);
    }
}

/* Places that may be looked at, as a multiple of those left, before they are sorted again. */
enum { PATIENCE = 4 };

/* Number groups of k records until fewer than 2k are left, or places must be sorted again; which is the next group. `from` is
   the mean when places were sorted, `sums` are those of the points that are left; centre, near and nearest are room.
   Work: a search in the tree of boxes for each record, and sorting again as often as that pays. Trusts: that the
   places are as `kohort_halve` left them; otherwise groups are others. */
API i64 kohort_form_groups(Array given, i64 group, Array groups, Array sums, Array from, Array order, Array reaches,
                           Array centre, Array near, Array nearest) {
    Places places;
    const i64 axes = sums.size, k = nearest.size;
    DOOR(are_places(&places, &given, axes) && groups.size == places.records && from.size == axes && centre.size == axes);
    DOOR(are_inside(&order, places.tree.many) && reaches.size == order.size && k > 0 && near.size == k);
    DOOR(group >= 0 && group <= places.records / k);
    const Order by = {from.at, reaches.at, order.at, order.size};
    Nearest found = {near.at, nearest.at, 0, k};
    double *sum = sums.at, *middle = centre.at;
    i64 count = places.records - group * k, seen = 0, start = 0, stop = 0;
    while (count >= 2 * k && seen <= PATIENCE * by.many) {
        for (i64 axis = 0; axis < axes; axis++)
            middle[axis] = sum[axis] / (double)count;
        while (start < by.many && places.next[by.order[start]] >= places.ends[by.order[start]])
            start++;
        i64 far = farthest_of_order(&places, &by, middle, start, &stop);
        seen += stop - start;
        const int turns = count >= 3 * k ? 2 : 1;
        for (int turn = 0; turn < turns; turn++, count -= k) {
            DOOR(far >= 0);
            memcpy(middle, places.tree.points + far * axes, (size_t)axes * sizeof *middle);
            if (turn == 0)
                far = farthest(&places, middle);
            find_nearest(&places, middle, &found);
            DOOR(found.held == k);
            form(&places, &found, group++, groups.at, sum);
        }
    }
    return group;
}

/* ── Ranks ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Take a rank out of a Fenwick tree of those that are free. */
static void take(i64 *free, i64 ranks, i64 rank) {
    for (i64 at = rank + 1; at <= ranks; at += at & -at)
        free[at]--;
}

/* Write with which rank each rank changes places: from the first on, each that is free draws by a number below 1 among the free
   ones up to so many ranks further on. The tree is room, for one more than there are ranks. Work: n log n steps for n.
   Trusts: that draws are below 1, and not negative. */
API i64 kohort_draw_partners(Array partners, Array tree, Array draws, i64 reach) {
    const i64 ranks = partners.size;
    DOOR(ranks < INT64_MAX && tree.size == ranks + 1 && draws.size == ranks && reach >= 0);
    const double *draw = draws.at;
    i64 *partner = partners.at, *free = tree.at, top = 1;
    for (i64 rank = 0; rank < ranks; rank++)
        partner[rank] = rank;
    for (i64 at = 0; at <= ranks; at++)
        free[at] = at & -at; /* all are free */
    while (top * 2 <= ranks)
        top *= 2;
    for (i64 rank = 0; rank < ranks; rank++) {
        if (partner[rank] != rank)
            continue;
        take(free, ranks, rank); /* all below are taken, so that counting from 0 counts from here */
        i64 within = 0, other = 0;
        for (i64 at = (reach < ranks - 1 - rank ? rank + reach : ranks - 1) + 1; at > 0; at &= at - 1)
            within += free[at];
        if (within == 0)
            continue;
        DOOR(draw[rank] >= 0 && draw[rank] < 1);
        i64 left = (i64)(draw[rank] * (double)within);
        for (i64 half = top; half > 0; half /= 2)
            if (other + half <= ranks && free[other + half] <= left) {
                other += half;
                left -= free[other];
            }
        DOOR(other < ranks);
        take(free, ranks, other);
        partner[rank] = other, partner[other] = rank;
    }
    return 0;
}
