/* The loops of the lattice: keys rolled up, what is counted in classes added up, what is suppressed weighed, and the nodes
   that may be parted from a class.

   A key is some words, in which each attribute has a field; an entry of a table belongs to each value on each level. What
   the arrays mean is said in `kohort.algorithms.lattice`, beside each call; `tests/reference/lattice_loops.py` has the same
   loops in Python. Nothing is trusted: a word, shift or size is looked at once, an entry or a class where it is used. */

#include "lists.h"

/* ── Keys ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where an attribute lies in a key, and where on its level the first entry is, and how many there are up to the last of all. */
typedef struct {
    i64 word, start;
    u64 shift, mask, entries;
} Field;

/* The same of all attributes as Python has it, and room for those that are looked at. */
typedef struct {
    Array word, shift, mask, room;
} Given;

/* Write the fields of the attributes that have a start, which none below zero is; how many, REFUSED where one fits no key of so
   many words, or no table of so many entries. */
static i64 fields_of(const Given *given, const Array *starts, i64 words, i64 entries) {
    const Array *word = &given->word, *shift = &given->shift, *mask = &given->mask;
    DOOR(word->size >= starts->size && shift->size == word->size && mask->size == word->size);
    DOOR(given->room.size / (i64)(sizeof(Field) / sizeof(u64)) >= starts->size);
    i64 found = 0;
    for (i64 place = 0; place < starts->size; place++) {
        const i64 start = ((const i64 *)starts->at)[place];
        Field *field = (Field *)given->room.at + found;
        if (start < 0)
            continue;
        *field = (Field){((const i64 *)word->at)[place], start, ((const u64 *)shift->at)[place], ((const u64 *)mask->at)[place],
                         (u64)(entries - start)};
        DOOR(is_below(field->word, words) && field->shift < 64 && start <= entries);
        found++;
    }
    return found;
}

/* The words of a key, where so many classes have so many words together; 0 where these do not fit each other. */
static i64 words_of(const Array *keys, const Array *sizes) {
    return sizes->size > 0 && keys->size % sizes->size == 0 ? keys->size / sizes->size : 0;
}

/* An odd number without pattern: a product's upper bits depend on all lower bits of its factors. */
static const u64 MIX = 0x9E3779B97F4A7C15;

static inline u64 hash(const u64 *key, i64 words) {
    u64 found = 0;
    for (i64 word = 0; word < words; word++) {
        found = (found ^ key[word]) * MIX;
        found ^= found >> 32;
    }
    return found;
}

static inline int are_same(const u64 *one, const u64 *other, i64 words) {
    for (i64 word = 0; word < words; word++)
        if (one[word] != other[word])
            return 0;
    return 1;
}

/* What keys are made of, and where they go: of a slot, -1 means that it is free. */
typedef struct {
    const Field *fields;
    const u64 *keys, *stands;
    const i64 *sizes;
    i64 changed, classes;
    u64 *new_keys, last;
    i64 *new_sizes;
    i32 *merged, *slots;
} Rolling;

/* Roll up. The key of a class is made where it will stand if it is new; one of a single word in a register. */
static inline __attribute__((always_inline)) i64 roll(const Rolling *of, i64 words) {
    i64 found = 0;
    for (i64 row = 0; row < of->classes; row++) {
        u64 single, *key = words == 1 ? &single : of->new_keys + found * words;
        for (i64 word = 0; word < words; word++)
            key[word] = of->keys[row * words + word];
        for (i64 place = 0; place < of->changed; place++) {
            const Field *field = of->fields + place;
            u64 *word = key + (words == 1 ? 0 : field->word), value = (*word >> field->shift) & field->mask;
            DOOR(value < field->entries);
            *word = (*word & ~(field->mask << field->shift)) | of->stands[field->start + (i64)value];
        }
        u64 slot = hash(key, words) & of->last;
        while (of->slots[slot] >= 0 && !are_same(of->new_keys + of->slots[slot] * words, key, words))
            slot = (slot + 1) & of->last;
        if (of->slots[slot] < 0) {
            if (words == 1)
                of->new_keys[found] = single;
            of->new_sizes[found] = 0;
            of->slots[slot] = (i32)found++;
        }
        of->new_sizes[of->slots[slot]] += of->sizes[row];
        if (of->merged)
            of->merged[row] = of->slots[slot];
    }
    return found;
}

typedef struct {
    Given fields;
    Array stands, keys, sizes, merged, slots;
} Table;

/* Generalize every key and merge the equal ones, numbered as they appear; return how many there are.

   `given` is a Table: the fields, who stands for each entry, and room for as many classes, and for a hash table at most half
   full, which is emptied first. Where it is told, `merged` gets the new class of each. One hash, some slots and a step for each
   change, for each class. */
API i64 kohort_roll(Array given, Array keys, Array sizes, Array starts, i64 is_told) {
    DOOR(given.size == sizeof(Table) / sizeof(Array));
    const Table *table = given.at;
    const i64 classes = sizes.size, words = words_of(&keys, &sizes);
    i64 slots = 1;
    if (classes == 0)
        return 0;
    DOOR(words > 0 && classes < INT32_MAX && table->keys.size >= keys.size && table->sizes.size >= classes);
    while (slots <= 2 * classes)
        slots *= 2;
    DOOR(table->slots.size >= slots && (!is_told || table->merged.size >= classes));
    const i64 changed = fields_of(&table->fields, &starts, words, table->stands.size);
    DOOR(changed != REFUSED);
    memset(table->slots.at, -1, (size_t)slots * sizeof(i32));
    const Rolling of = {.fields = table->fields.room.at, .keys = keys.at, .stands = table->stands.at, .sizes = sizes.at,
                        .changed = changed, .classes = classes, .new_keys = table->keys.at, .new_sizes = table->sizes.at,
                        .merged = is_told ? table->merged.at : NULL, .slots = table->slots.at, .last = (u64)slots - 1};
    return words == 1 ? roll(&of, 1) : roll(&of, words);
}

/* ── What is counted in classes ──────────────────────────────────────────────────────────────────────────────────── */

#define ADD_ROWS(KIND)                                                                 \
    for (i64 row = 0; row < into.size; row++) {                                        \
        DOOR(is_below(of[row], lines));                                                \
        const KIND *from = (const KIND *)rows.at + row * width;                        \
        KIND *to = (KIND *)out.at + of[row] * width;                                   \
        for (i64 column = 0; column < once; column++)                                  \
            to[column] += from[column] > 0;                                            \
        for (i64 column = once; column < width; column++)                              \
            to[column] += from[column];                                                \
    }

/* Add every row to the one it goes into; in the first columns, `once` of them, as one if there is any. One step for each cell. */
API i64 kohort_add_rows(Array rows, Array into, i64 once, Array out) {
    if (into.size == 0 || rows.size == 0)
        return 0;
    DOOR(rows.item == out.item && rows.size % into.size == 0);
    const i64 width = rows.size / into.size, lines = out.size / width;
    DOOR(out.size % width == 0 && is_inside(0, once, width));
    const i32 *of = into.at;
    if (rows.item == 4) {
        ADD_ROWS(i32)
    } else {
        ADD_ROWS(i64)
    }
    return 0;
}

/* Return how many records the chosen classes have. One step for each class. */
API i64 kohort_total(Array sizes, Array chosen) {
    DOOR(chosen.size == sizes.size);
    const i64 *size = sizes.at;
    const u8 *is_chosen = chosen.at;
    i64 records = 0;
    for (i64 row = 0; row < sizes.size; row++)
        records += size[row] & -(i64)(is_chosen[row] != 0);
    return records;
}

typedef struct {
    Given fields;
    Array said;
} Weighing;

/* Add up what is said of the values of the chosen classes: three sums for each attribute, of which each entry has the terms of
   two. The third is what the rounding of the second has left out (Kahan, Further Remarks on Reducing Truncation Errors, CACM
   1965): a hundred thousand equal terms, plainly added, would be wrong in the twelfth digit, by which ties are told, and
   differently so for each order of the classes. One step for each chosen class and attribute. */
API i64 kohort_weigh(Array given, Array keys, Array sizes, Array chosen, Array starts, Array sums) {
    DOOR(given.size == sizeof(Weighing) / sizeof(Array) && chosen.size == sizes.size && sums.size % 3 == 0 && sums.size / 3 == starts.size);
    const Weighing *table = given.at;
    const Array *said = &table->said;
    const i64 words = words_of(&keys, &sizes);
    if (sizes.size == 0)
        return 0;
    DOOR(said->size % 2 == 0 && words > 0);
    DOOR(fields_of(&table->fields, &starts, words, said->size / 2) == starts.size);
    const u8 *is_chosen = chosen.at;
    const Field *fields = table->fields.room.at;
    for (i64 row = 0; row < sizes.size; row++) {
        if (!is_chosen[row])
            continue;
        const u64 *key = (const u64 *)keys.at + row * words;
        const double records = (double)((const i64 *)sizes.at)[row];
        for (i64 place = 0; place < starts.size; place++) {
            const Field *field = fields + place;
            const u64 value = (key[field->word] >> field->shift) & field->mask;
            DOOR(value < field->entries);
            const double *of_entry = (const double *)said->at + 2 * (field->start + (i64)value);
            double *sum = (double *)sums.at + 3 * place;
            sum[0] += records * of_entry[0];
            const double told = records * of_entry[1] - sum[2], total = sum[1] + told;
            sum[2] = (total - sum[1]) - told;
            sum[1] = total;
        }
    }
    return 0;
}

/* ── Nodes that may be parted from a class ───────────────────────────────────────────────────────────────────────── */

/* The hierarchy of an attribute: where the nodes of its leaves begin, level by level, and how many leaves it has. */
typedef struct {
    i64 at, leaves;
} Tree;

/* A class of so many tuples: the leaves of each, its records, and the tuples by their leaf in each attribute. Hulls tell the least
   and the greatest leaf in each attribute that is looked at: of the first so many tuples, of all but these, and of those below. */
typedef struct {
    const Array *places;
    const i64 *counts, *order, *looked, *nodes, *above;
    const Tree *trees;
    i64 tuples, attributes, many, last; /* `last` is where the last node is */
    u32 *before, *after, *below;
} Class;

static inline u32 leaf(const Class *of, i64 tuple, i64 attribute, i64 item) {
    const Array places = {of->places->at, of->places->size, item};
    return (u32)number(&places, tuple * of->attributes + attribute);
}

/* Make of a hull that of one more tuple; each of none is empty: its least leaf is beyond any. */
static inline void widen(const Class *of, u32 *hull, i64 tuple, i64 item) {
    for (i64 place = 0; place < of->many; place++) {
        const u32 one = leaf(of, tuple, of->looked[place], item);
        hull[2 * place] = one < hull[2 * place] ? one : hull[2 * place];
        hull[2 * place + 1] = one > hull[2 * place + 1] ? one : hull[2 * place + 1];
    }
}

static inline void empty(const Class *of, u32 *hull) {
    for (i64 place = 0; place < of->many; place++)
        hull[2 * place] = UINT32_MAX, hull[2 * place + 1] = 0;
}

/* Where two leaves have one node: the lowest level that is so, or the last one there is. */
static inline i64 level_of(const Class *of, Tree tree, u32 low, u32 high) {
    while (of->nodes[tree.at + low] != of->nodes[tree.at + high] && tree.at <= of->last - 2 * tree.leaves + 1)
        tree.at += tree.leaves;
    return tree.at;
}

/* What both hulls cost as one: that of the lowest node above each attribute's leaves. */
static inline i64 joined_cost(const Class *of, const u32 *one, const u32 *other) {
    i64 total = 0;
    for (i64 place = 0; place < of->many; place++, one += 2, other += 2) {
        const u32 low = one[0] < other[0] ? one[0] : other[0], high = one[1] > other[1] ? one[1] : other[1];
        if (low < high)
            total += of->above[level_of(of, of->trees[of->looked[place]], low, high) + low];
    }
    return total;
}

/* Write the hulls of all tuples before each place of an attribute's order, and from it on. */
static inline void write_hulls(const Class *of, i64 attribute, i64 item) {
    const size_t size = 2 * (size_t)of->many * sizeof(u32);
    const i64 step = 2 * of->many, *order = of->order + attribute;
    empty(of, of->before);
    for (i64 place = 0; place < of->tuples; place++) {
        memcpy(of->before + (place + 1) * step, of->before + place * step, size);
        widen(of, of->before + (place + 1) * step, order[place * of->attributes], item);
    }
    empty(of, of->after + of->tuples * step);
    for (i64 place = of->tuples - 1; place >= 0; place--) {
        memcpy(of->after + place * step, of->after + (place + 1) * step, size);
        widen(of, of->after + place * step, order[place * of->attributes], item);
    }
}

/* What it saves to part the tuples from the first to before the last place of an order, which have so many records, from all. */
static inline i64 saved(const Class *of, const i64 *order, i64 first, i64 last, i64 size, i64 records, i64 item) {
    const i64 step = 2 * of->many;
    empty(of, of->below);
    for (i64 place = first; place < last; place++)
        widen(of, of->below, order[place * of->attributes], item);
    return records * joined_cost(of, of->after, of->after) - size * joined_cost(of, of->below, of->below) -
           (records - size) * joined_cost(of, of->before + first * step, of->after + last * step);
}

typedef struct {
    i64 attribute, first, last;
} Node;

/* Write the nodes of an attribute from the leaves up, behind those found already; how many there are then. */
static inline i64 propose(const Class *of, i64 attribute, i64 records, i64 least, Node *nodes, i64 *gains, i64 room, i64 found,
                          i64 item) {
    const i64 *order = of->order + attribute, d = of->attributes, start = of->trees[attribute].at;
    Tree tree = of->trees[attribute];
    const u32 low = leaf(of, order[0], attribute, item), high = leaf(of, order[(of->tuples - 1) * d], attribute, item);
    const i64 top = level_of(of, tree, low, high);
    int is_known = 0;
    for (; tree.at < top; tree.at += tree.leaves) {
        const i64 lower = tree.at == start ? tree.at : tree.at - tree.leaves;
        for (i64 first = 0, last = 0; first < of->tuples; first = last) {
            const u32 one = leaf(of, order[first * d], attribute, item);
            u32 other = one;
            i64 size = 0;
            for (; last < of->tuples; last++) {
                const u32 next = leaf(of, order[last * d], attribute, item);
                if (of->nodes[tree.at + next] != of->nodes[tree.at + one])
                    break;
                size += of->counts[order[last * d]], other = next;
            }
            const int is_child = lower < tree.at && of->nodes[lower + one] == of->nodes[lower + other];
            if (size < least || records - size < least || is_child)
                continue;
            if (!is_known)
                write_hulls(of, attribute, item);
            is_known = 1;
            const i64 gain = saved(of, order, first, last, size, records, item);
            if (gain > 0) {
                DOOR(found < room);
                nodes[found] = (Node){attribute, first, last};
                gains[found++] = gain;
            }
        }
    }
    return found;
}

static inline __attribute__((always_inline)) i64 propose_all(const Class *of, i64 least, const Array *at, const Array *gains,
                                                             i64 item) {
    i64 records = 0, found = 0;
    for (i64 place = 0; place < of->many; place++)
        for (i64 tuple = 0; tuple < of->tuples; tuple++) {
            const i64 attribute = of->looked[place];
            DOOR(leaf(of, tuple, attribute, item) < of->trees[attribute].leaves);
            DOOR(is_below(of->order[tuple * of->attributes + attribute], of->tuples));
        }
    for (i64 tuple = 0; tuple < of->tuples; tuple++)
        records += of->counts[tuple];
    for (i64 place = 0; place < of->many && found != REFUSED; place++)
        found = propose(of, of->looked[place], records, least, at->at, gains->at, gains->size, found, item);
    return found;
}

/* Write every node below which, and outside which, there are at least so many records, and what it saves to part these; how many
   there are. They come attribute by attribute, from the leaves up, and on each level in leaf order. A node that has the same
   records below it as one of its children is left out, and so is what saves nothing.

   A step is (tuples) x (attributes looked at) for each attribute, and for each level (tuples), and for each node that is large
   enough (its tuples) x (attributes looked at). The last level of a tree is taken for its root. */
API i64 kohort_propose_nodes(Array places, Array counts, Array order, Array looked, Array nodes, Array above, Array trees, Array hulls,
                             i64 least, Array at, Array gains) {
    const i64 tuples = counts.size, attributes = trees.size / 2, step = 2 * looked.size;
    if (tuples == 0 || looked.size == 0)
        return 0;
    DOOR(trees.size % 2 == 0 && places.size % tuples == 0 && places.size / tuples == attributes && order.size == places.size);
    DOOR(above.size == nodes.size && at.size / 3 >= gains.size && hulls.size / step >= 2 * tuples + 3);
    const Class of = {.places = &places, .counts = counts.at, .order = order.at, .looked = looked.at, .nodes = nodes.at,
                      .above = above.at, .trees = trees.at, .tuples = tuples, .attributes = attributes, .many = looked.size,
                      .last = nodes.size - 1, .before = hulls.at, .after = (u32 *)hulls.at + (tuples + 1) * step,
                      .below = (u32 *)hulls.at + (2 * tuples + 2) * step};
    for (i64 place = 0; place < looked.size; place++) {
        DOOR(is_below(of.looked[place], attributes));
        const Tree tree = of.trees[of.looked[place]];
        DOOR(tree.leaves > 0 && is_inside(tree.at, tree.leaves, nodes.size));
    }
    return places.item == 2 ? propose_all(&of, least, &at, &gains, 2) : propose_all(&of, least, &at, &gains, 4);
}
