/* Mondrian's cuts by loss for one width of codes: loss.c includes this for u16 and for u32, as CODE.

   A row is its codes, in so many times LANES bytes as hold them, its records and the number of its tuple. In chunks it
   is so many codes as LANES fill, 64 bits of sets, and the records, which every chunk repeats. A group keeps the greatest codes, and of the least their complement: so it grows
   by greatest values alone, and one of zeros is empty. */

enum { NAME(OF_LANES) = LANES / sizeof(CODE) };

typedef struct {
    CODE codes[NAME(OF_LANES)];
    u64 bits;
    i64 records;
} NAME(Row);

typedef struct {
    CODE under[NAME(OF_LANES)], most[NAME(OF_LANES)];
    u64 bits;
    i64 records;
} NAME(Group);

#define ROW NAME(Row)
#define GROUP NAME(Group)
#define LANE NAME(OF_LANES)

/* ── Groups ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef CODE NAME(Lanes) __attribute__((vector_size(LANES)));

/* Let every lane of the first hold the greater code of both. */
static inline void NAME(raise)(CODE *most, NAME(Lanes) others) {
    NAME(Lanes) held, greater;
    memcpy(&held, most, sizeof held);
    greater = (NAME(Lanes))(others > held);
    held = (others & greater) | (held & ~greater);
    memcpy(most, &held, sizeof held);
}

static inline void NAME(add)(GROUP *group, const ROW *row) {
    NAME(Lanes) codes;
    memcpy(&codes, row->codes, sizeof codes);
    NAME(raise)(group->under, ~codes);
    NAME(raise)(group->most, codes);
    group->bits |= row->bits;
    group->records += row->records;
}

static inline void NAME(join)(GROUP *group, const GROUP *other) {
    NAME(Lanes) under, most;
    memcpy(&under, other->under, sizeof under);
    memcpy(&most, other->most, sizeof most);
    NAME(raise)(group->under, under);
    NAME(raise)(group->most, most);
    group->bits |= other->bits;
    group->records += other->records;
}

static inline i64 NAME(code)(const u64 *row, i64 attribute) { return ((const CODE *)row)[attribute]; }

static inline GROUP *NAME(single)(const Scan *scan, i64 which) { return (GROUP *)scan->single + which * scan->chunks; }

static inline GROUP *NAME(value)(const Scan *scan, i64 slot) { return (GROUP *)scan->values + slot * scan->chunks; }

static inline void NAME(empty)(const Scan *scan, GROUP *group) { memset(group, 0, sizeof *group * (size_t)scan->chunks); }

/* Lay out some rows in chunks; broad sets have the values that rows number, or, where these are given, all places. */
static void NAME(unpack)(Scan *scan, const u64 *rows, i64 many, const Array *places) {
    const i64 chunks = scan->chunks, width = scan->width;
    ROW *block = (ROW *)scan->block;
    for (i64 row = 0; row < many; row++)
        for (i64 chunk = 0; chunk < chunks; chunk++) {
            ROW *into = block + row * chunks + chunk;
            if (chunk < scan->packs)
                memcpy(into->codes, rows + row * width + LANES / 8 * chunk, LANES);
            else
                memset(into->codes, 0, LANES);
            into->bits = 0, into->records = (i64)rows[row * width + width - 2];
        }
    for (i64 attribute = 0; attribute < scan->attributes; attribute++) {
        if (scan->kinds[attribute] != SET)
            continue;
        const i64 shift = __builtin_ctzll(scan->masks[attribute]), most = scan->many[attribute];
        const i64 factor = ((i64)(most < LISTED ? most : LISTED) << POINT / 2) / most;
        ROW *first = block + scan->words[2 * attribute];
        for (i64 row = 0; row < many; row++) {
            const u64 *words = rows + row * width;
            u64 place = (u64)NAME(code)(words, attribute), at = words[width - 1] * (u64)scan->attributes + (u64)attribute;
            if (places && most > LISTED)
                place = at < (u64)places->size ? number(places, (i64)at) : (u64)most;
            scan->fits &= place < (u64)most;
            i64 bit = (place < (u64)most ? (i64)place * factor >> POINT / 2 : 0) + shift;
            first[row * chunks + (bit >> 6)].bits |= (u64)1 << (bit & 63);
        }
    }
}

/* Put the rows first..last into a group, which was empty. */
static GROUP *NAME(gathered)(Scan *scan, i64 which, const u64 *rows, i64 first, i64 last, const Array *places) {
    GROUP *group = NAME(single)(scan, which);
    NAME(empty)(scan, group);
    for (i64 start = first, some; start < last; start += some) {
        some = last - start < BLOCK ? last - start : BLOCK;
        NAME(unpack)(scan, rows + start * scan->width, some, places);
        for (i64 row = 0; row < some; row++)
            for (i64 chunk = 0; chunk < scan->chunks; chunk++)
                NAME(add)(group + chunk, (const ROW *)scan->block + row * scan->chunks + chunk);
    }
    return group;
}

/* Number the values of broad sets that occur in the rows first..last, in their order. */
static int NAME(number_values)(Scan *scan, u64 *rows, i64 first, i64 last) {
    const i64 each = scan->width * 8 / (i64)sizeof(CODE);
    u32 *marks = scan->marks;
    scan->estimated = 0;
    for (i64 attribute = 0; attribute < scan->attributes; attribute++) {
        const i64 size = scan->levels[2 * attribute + 1];
        if (scan->kinds[attribute] != SET || size <= LISTED)
            continue;
        CODE *codes = (CODE *)rows + attribute, most = 0;
        for (i64 row = first; row < last; row++)
            most = codes[row * each] > most ? codes[row * each] : most;
        DOOR(most < size);
        memset(marks, 0, sizeof *marks * ((size_t)most + 1));
        for (i64 row = first; row < last; row++)
            marks[codes[row * each]] = 1;
        u32 values = 0;
        for (i64 place = 0; place <= most; place++) {
            u32 occurs = marks[place];
            marks[place] = values;
            values += occurs;
        }
        for (i64 row = first; row < last; row++)
            codes[row * each] = (CODE)marks[codes[row * each]];
        scan->many[attribute] = values;
        scan->estimated |= values > LISTED;
    }
    return 0;
}

static inline i64 NAME(size)(const Scan *scan, i64 slot) { return NAME(value)(scan, slot)->records; }

static inline Ends NAME(ends)(const GROUP *group, i64 attribute) {
    const u64 place = (u64)attribute; /* whose quotient is a shift */
    const GROUP *chunk = group + place / LANE;
    return (Ends){(CODE)~chunk->under[place % LANE], chunk->most[place % LANE]};
}

/* The cost of the set of both groups' values of an attribute. */
static inline i64 NAME(set_cost)(Scan *scan, const GROUP *one, const GROUP *other, i64 attribute) {
    i64 members = 0;
    u64 mask = scan->masks[attribute];
    for (i64 word = scan->words[2 * attribute]; word < scan->words[2 * attribute + 1]; word++)
        members += ones((one[word].bits | other[word].bits) & mask);
    return listed_cost(scan, attribute, members, one->records + (one == other ? 0 : other->records));
}

/* What two groups would cost as one, as far as attributes are looked at. */
static i64 NAME(joined_cost)(Scan *scan, const GROUP *one, const GROUP *other) {
    i64 total = 0;
    for (i64 number = 1; number <= scan->looked[0][0]; number++) {
        i64 attribute = scan->looked[0][number];
        total += range_cost(scan, attribute, around(NAME(ends)(one, attribute), NAME(ends)(other, attribute)));
    }
    for (i64 number = 1; number <= scan->looked[1][0]; number++)
        total += NAME(set_cost)(scan, one, other, scan->looked[1][number]);
    return total;
}

/* What the grown group costs; from here on it can be extended. */
static i64 NAME(cost_by_attribute)(Scan *scan) {
    const GROUP *grown = NAME(single)(scan, GROWN);
    i64 total = 0;
    for (i64 number = 1; number <= scan->looked[0][0]; number++) {
        i64 attribute = scan->looked[0][number];
        total += scan->dear[attribute] = range_cost(scan, attribute, NAME(ends)(grown, attribute));
    }
    for (i64 number = 1; number <= scan->looked[1][0]; number++) {
        i64 attribute = scan->looked[1][number];
        total += scan->dear[attribute] = NAME(set_cost)(scan, grown, grown, attribute);
    }
    return total;
}

/* Put the rows of a value into the grown group; by how much that makes it dearer, where its ranges or sets grew. */
static i64 NAME(extend)(Scan *scan, i64 slot) {
    GROUP *grown = NAME(single)(scan, GROWN);
    const GROUP *value = NAME(value)(scan, slot);
    i64 raised = 0, first = 0;
    u64 sets = scan->estimated;
    for (i64 chunk = 0; chunk < scan->chunks; chunk++, first += LANE) {
        GROUP before = grown[chunk];
        CODE wider[LANE];
        u64 half[LANES / 8];
        NAME(join)(grown + chunk, value + chunk);
        sets |= grown[chunk].bits ^ before.bits;
        for (int lane = 0; lane < LANE; lane++)
            wider[lane] = (CODE)((grown[chunk].under[lane] ^ before.under[lane]) | (grown[chunk].most[lane] ^ before.most[lane]));
        memcpy(half, wider, sizeof half);
        for (int each = 0; each < LANES / 8; each++)
            while (half[each]) {
                i64 lane = __builtin_ctzll(half[each]) / (8 * (i64)sizeof(CODE));
                i64 attribute = first + each * (LANE / (LANES / 8)) + lane;
                half[each] &= ~((u64)(CODE)-1 << 8 * (i64)sizeof(CODE) * lane);
                if (attribute >= scan->attributes || scan->kinds[attribute] == SET)
                    continue;
                i64 dear = range_cost(scan, attribute, NAME(ends)(grown, attribute));
                raised += dear - scan->dear[attribute];
                scan->dear[attribute] = dear;
            }
    }
    for (i64 number = 1; sets && number <= scan->looked[1][0]; number++) {
        i64 attribute = scan->looked[1][number], dear = NAME(set_cost)(scan, grown, grown, attribute);
        raised += dear - scan->dear[attribute];
        scan->dear[attribute] = dear;
    }
    return raised;
}

/* Let the grown group hold the values from the first to the last, both included, by such steps. */
static void NAME(grow)(Scan *scan, const i64 *slots, i64 first, i64 last, i64 step) {
    GROUP *grown = NAME(single)(scan, GROWN);
    NAME(empty)(scan, grown);
    for (i64 value = first; value != last + step; value += step) {
        const GROUP *of = NAME(value)(scan, slots[value]);
        for (i64 chunk = 0; chunk < scan->chunks; chunk++)
            NAME(join)(grown + chunk, of + chunk);
    }
}

/* ── The candidates of a partition ───────────────────────────────────────────────────────────────────────────────── */

/* Look at an attribute that varies; those that cost most come first, for their cuts are likely to save most. */
static void NAME(look_at)(Scan *scan, i64 attribute, Ends ends) {
    const GROUP *whole = NAME(single)(scan, WHOLE);
    int kind = scan->kinds[attribute] == SET;
    i64 *looked = scan->looked[kind], *dear = scan->dear, at = ++looked[0];
    dear[attribute] = kind ? NAME(set_cost)(scan, whole, whole, attribute) : range_cost(scan, attribute, ends);
    for (; at > 1 && dear[looked[at - 1]] < dear[attribute]; at--)
        looked[at] = looked[at - 1];
    looked[at] = attribute;
}

/* Put some rows, which are laid out, into the groups of their values in an attribute, which are in this column of the memory. */
static inline void NAME(tally)(Scan *scan, const u64 *rows, i64 many, i64 column, i64 attribute) {
    const Values values = values_of(scan->spans + 2 * attribute);
    const i64 width = scan->width, chunks = scan->chunks;
    GROUP *groups = NAME(value)(scan, column * PLACES);
    u8 *occurs = scan->fixed->occurs[column], of[BLOCK];
    for (i64 row = 0; row < many; row++) {
        of[row] = (u8)value_of(&values, NAME(code)(rows + row * width, attribute));
        if (!occurs[of[row]])
            NAME(empty)(scan, groups + of[row] * chunks);
        occurs[of[row]] = 1;
    }
    for (i64 chunk = 0; chunk < chunks; chunk++)
        for (i64 row = 0; row < many; row++)
            NAME(add)(groups + of[row] * chunks + chunk, (const ROW *)scan->block + row * chunks + chunk);
}

/* What the tuples of each value are like that occurs, of some attributes. */
static void NAME(summarize)(Scan *scan, const u64 *rows, i64 first, i64 last, const i64 *attributes, i64 many) {
    memset(scan->fixed->occurs, 0, sizeof scan->fixed->occurs);
    for (i64 start = first, some; start < last; start += some) {
        some = last - start < BLOCK ? last - start : BLOCK;
        NAME(unpack)(scan, rows + start * scan->width, some, NULL);
        for (i64 column = 0; column < many; column++)
            NAME(tally)(scan, rows + start * scan->width, some, column, attributes[column]);
    }
}

/* The cuts {<= v}, {> v} of an attribute with so many values, behind the candidates that were found. */
static i64 NAME(prefixes)(Scan *scan, const Asked *asked, i64 column, i64 attribute, i64 values, i64 found) {
    const i64 *slots = scan->fixed->slots[column], records = asked->records, least = asked->least;
    i64 *rest = scan->fixed->rest, first = 0, last = values - 1;
    i64 left = NAME(size)(scan, slots[first]), right = NAME(size)(scan, slots[last]);
    while (left < least && first < values - 1)
        left += NAME(size)(scan, slots[++first]);
    while (right < least && last > 0)
        right += NAME(size)(scan, slots[--last]);
    if (first >= last)
        return found;
    NAME(grow)(scan, slots, 0, first, 1);
    i64 dear = NAME(cost_by_attribute)(scan);
    NAME(grow)(scan, slots, values - 1, last, -1);
    rest[last] = NAME(cost_by_attribute)(scan);
    i64 limit = found > 0 && !asked->every ? scan->gains[0] : 0;
    i64 early = left * dear + (records - left) * rest[last], late = (records - right) * dear + right * rest[last];
    if (asked->whole - (early < late ? early : late) < limit)
        return found;
    i64 most = asked->whole - late;
    for (i64 value = last - 1; value > first; value--) {
        rest[value] = rest[value + 1] + NAME(extend)(scan, slots[value]);
        right += NAME(size)(scan, slots[value]);
        i64 gain = asked->whole - (records - right) * dear - right * rest[value];
        most = gain > most ? gain : most;
    }
    if (most < limit)
        return found;
    NAME(grow)(scan, slots, 0, first, 1);
    dear = NAME(cost_by_attribute)(scan);
    for (i64 value = first; value < last; value++) {
        i64 gain = asked->whole - left * dear - (records - left) * rest[value + 1];
        if (gain >= limit) {
            found = offer(scan, asked, (Cut){gain, left, attribute, slots[value] - column * PLACES}, found);
            limit = asked->every ? 0 : scan->gains[0];
        }
        left += NAME(size)(scan, slots[value + 1]);
        if (value + 1 < last)
            dear += NAME(extend)(scan, slots[value + 1]);
    }
    return found;
}

/* A group of one value, in a column of the memory to merge. */
static void NAME(lay_out)(Scan *scan, i64 value, i64 slot) {
    const GROUP *group = NAME(value)(scan, slot);
    scan->fixed->first[value] = value;
    scan->fixed->sizes[value] = group->records;
    for (i64 number = 1; number <= scan->looked[0][0]; number++) {
        i64 attribute = scan->looked[0][number], at = (number - 1) * PLACES + value;
        Ends ends = NAME(ends)(group, attribute);
        if (scan->kinds[attribute] == SPAN) {
            i64 gap = scan->gaps[attribute], first = scan->first[attribute];
            ends.low = ends.low == gap ? AWAY : scan->starts[first + ends.low];
            ends.high = ends.high == gap ? AWAY : scan->ends[first + ends.high];
        }
        scan->low[at] = ends.low, scan->high[at] = ends.high;
    }
    for (i64 word = 0; word < scan->chunks; word++)
        scan->bits[word * PLACES + value] = group[word].bits;
}

/* Find candidates of the rows first..last; how many there are. */
static i64 NAME(propose)(Scan *scan, u64 *rows, i64 first, i64 last, i64 records, i64 least, int every) {
    i64 found = 0, left = records;
    if (records < 2 * least)
        return 0;
    for (i64 row = first; row < last; row++) {
        i64 stands_for = (i64)rows[row * scan->width + scan->width - 2];
        DOOR(stands_for > 0 && stands_for <= left);
        left -= stands_for;
    }
    DOOR(left == 0 && NAME(number_values)(scan, rows, first, last) != REFUSED);
    const GROUP *whole = NAME(gathered)(scan, WHOLE, rows, first, last, NULL);
    DOOR(scan->fits);
    scan->looked[0][0] = scan->looked[1][0] = 0;
    for (i64 attribute = 0; attribute < scan->attributes; attribute++) {
        Ends ends = NAME(ends)(whole, attribute);
        DOOR(is_priced(scan, attribute, ends.high));
        scan->spans[2 * attribute] = ends.low;
        scan->spans[2 * attribute + 1] = ends.high - ends.low + 1;
        if (ends.high > ends.low)
            NAME(look_at)(scan, attribute, ends);
    }
    const Asked asked = {records, least, records * NAME(joined_cost)(scan, whole, whole), every};
    for (int kind = 0; kind < 2; kind++)
        for (i64 start = 1; start <= scan->looked[kind][0]; start += TOGETHER) {
            const i64 *attributes = scan->looked[kind] + start, rest = scan->looked[kind][0] + 1 - start;
            const i64 many = rest < TOGETHER ? rest : TOGETHER;
            NAME(summarize)(scan, rows, first, last, attributes, many);
            for (i64 column = 0; column < many; column++) {
                i64 values = list(scan, column);
                found = NAME(prefixes)(scan, &asked, column, attributes[column], values, found);
                if (kind == 1 && values > 2 && values <= MERGED) { /* of two the prefix is all there is */
                    for (i64 value = 0; value < values; value++)
                        NAME(lay_out)(scan, value, scan->fixed->slots[column][value]);
                    found = merged(scan, &asked, column, attributes[column], values, found);
                }
            }
        }
    return scan->fits ? found : REFUSED;
}

/* ── The tree ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Move the rows left of the cut to the front, the others behind them, both in their order; where these begin. */
static i64 NAME(part_rows)(Scan *scan, u64 *rows, u64 *spare, i64 first, i64 last, i64 attribute, i64 value) {
    const Values values = values_of(scan->spans + 2 * attribute);
    const i64 width = scan->width;
    i64 *right = scan->sides + attribute * PLACES, middle = first, kept = 0;
    for (i64 each = 0; value < PLACES && each < PLACES; each++)
        right[each] = each > value;
    for (i64 row = first; row < last; row++) {
        const u64 *from = rows + row * width;
        i64 of = value_of(&values, NAME(code)(from, attribute));
        DOOR(of >= 0 && of < PLACES);
        i64 side = right[of] != 0;
        u64 *away = spare + kept * width, *here = rows + middle * width;
        for (i64 word = 0; word < width; word++) { /* to both, for no processor could predict a branch */
            u64 moved = from[word];
            away[word] = moved;
            here[word] = moved;
        }
        kept += side;
        middle += 1 - side;
    }
    memcpy(rows + middle * width, spare, 8 * (size_t)(kept * width));
    return middle;
}

/* Whether the right side of a cut costs less together with the last finished leaf than the left one does. */
static int NAME(later_first)(Scan *scan, const u64 *rows, i64 first, i64 middle, i64 last, const Array *places) {
    const GROUP *before = NAME(single)(scan, LAST);
    number_all(scan);
    scan->looked[0][0] = scan->looked[1][0] = 0;
    for (i64 attribute = 0; attribute < scan->attributes; attribute++) {
        i64 *looked = scan->looked[scan->kinds[attribute] == SET];
        looked[++looked[0]] = attribute;
    }
    i64 left = NAME(joined_cost)(scan, NAME(gathered)(scan, GROWN, rows, first, middle, places), before);
    i64 right = NAME(joined_cost)(scan, NAME(gathered)(scan, GROWN, rows, middle, last, places), before);
    return right < left;
}

static i64 NAME(carve_by_loss)(Scan *scan, u64 *rows, u64 *spare, i64 tuples, const Carving *asked, i64 *stack, i64 open,
                               i64 *leaves, i64 most) {
    i64 whole[4] = {0, tuples, asked->records, 0}, top = 1, done = 0;
    memcpy(stack, whole, sizeof whole);
    while (top > 0) {
        i64 part[4];
        memcpy(part, stack + 4 * --top, sizeof part);
        i64 first = part[0], last = part[1], records = part[2], depth = part[3];
        i64 number = NAME(propose)(scan, rows, first, last, records, asked->least, 0);
        DOOR(number != REFUSED);
        if (number == 0) {
            i64 leaf[4] = {first, last, depth, records >= 2 * asked->least && is_coarse(scan)};
            DOOR(done < most);
            memcpy(leaves + 4 * done++, leaf, sizeof leaf);
            if (asked->to_and_fro) {
                number_all(scan);
                NAME(gathered)(scan, LAST, rows, first, last, &asked->places);
            }
            continue;
        }
        i64 left = scan->left[0];
        i64 middle = NAME(part_rows)(scan, rows, spare, first, last, scan->at[0], scan->at[1]);
        DOOR(middle > first && middle < last && top + 2 <= open);
        int flipped = asked->to_and_fro && done > 0 && NAME(later_first)(scan, rows, first, middle, last, &asked->places);
        i64 parts[2][4] = {{middle, last, records - left, depth + 1}, {first, middle, left, depth + 1}};
        memcpy(stack + 4 * top++, parts[flipped], sizeof *parts); /* the one that is written last comes first */
        memcpy(stack + 4 * top++, parts[!flipped], sizeof *parts);
    }
    return done;
}

/* ── Cuts that models judge ──────────────────────────────────────────────────────────────────────────────────────── */

static i64 NAME(rank)(Scan *scan, u64 *rows, i64 tuples, const Array *open, i64 least, const Ranked *room) {
    const i64 d = scan->attributes, partitions = open->size / OPEN;
    i64 *ends = room->ends.at, *at = room->at.at, *left = room->left.at, found = 0;
    u64 *groups = room->groups.at;
    for (i64 partition = 0; partition < partitions; partition++) {
        const i64 *part = (const i64 *)open->at + OPEN * partition;
        if (found + scan->room > room->left.size)
            return partition;
        DOOR(are_rows(part[0], part[1], tuples) && part[RECORDS] < LARGEST);
        i64 number = NAME(propose)(scan, rows, part[0], part[1], part[RECORDS], least, 1);
        DOOR(number != REFUSED);
        sort(scan, number, part[RECORDS]);
        ((u8 *)room->coarse.at)[partition] = part[RECORDS] >= 2 * least && is_coarse(scan);
        memcpy((i64 *)room->spans.at + 2 * d * partition, scan->spans, sizeof(i64) * 2 * (size_t)d);
        for (i64 one = 0; one < number; one++, found++) {
            i64 attribute = scan->at[2 * one], value = scan->at[2 * one + 1];
            at[2 * found] = attribute, at[2 * found + 1] = value, left[found] = scan->left[one];
            groups[2 * found] = groups[2 * found + 1] = 0;
            for (i64 place = 0; value == PLACES && place < PLACES; place++)
                groups[2 * found + place / 64] |= (u64)(scan->sides[attribute * PLACES + place] > 0) << place % 64;
        }
        ends[partition] = found;
    }
    return partitions;
}

/* Count the sensitive values of each row in the line of its value of an attribute. */
static int NAME(count)(const Scan *scan, const u64 *rows, const i64 *part, const i64 *span, i64 attribute, const Held *held,
                       const Counted *out) {
    const Values values = values_of(span);
    const i64 kinds = held->starts.size - 1, *starts = held->starts.at, width = scan->width;
    for (i64 row = part[0]; row < part[1]; row++) {
        const u64 *words = rows + row * width;
        i64 value = value_of(&values, NAME(code)(words, attribute)), which = (i64)words[width - 1];
        DOOR(value >= 0 && value < PLACES && out->lines[value] >= 0 && which >= 0 && which < held->tuples);
        i64 *line = out->histograms + out->lines[value] * out->cells;
        for (i64 one = 0; one < kinds; one++) {
            i64 cell = starts[one] + (i64)number(&held->codes, which * kinds + one);
            if (cell < starts[one + 1])
                line[cell] += (i64)words[width - 2];
        }
    }
    return 0;
}

static i64 NAME(count_sides)(const Scan *scan, const u64 *rows, const Array *open, const Ranked *ranked, const Asking *asking,
                             const Held *held, const Counted *out) {
    const i64 *at = ranked->at.at, *left = ranked->left.at;
    i64 base = 0;
    for (i64 one = 0; one < asking->many; one++) {
        const i64 *asked = asking->asked + 3 * one, first = asked[1], last = asked[2];
        const i64 *part = (const i64 *)open->at + OPEN * asked[0];
        const i64 *spans = (const i64 *)ranked->spans.at + 2 * scan->attributes * asked[0];
        memset(out->histograms + base * out->cells, 0, sizeof(i64) * (size_t)(2 * (last - first) * out->cells));
        for (i64 candidate = first; candidate < last; candidate++) {
            out->sizes[base + 2 * (candidate - first)] = left[candidate];
            out->sizes[base + 2 * (candidate - first) + 1] = part[RECORDS] - left[candidate];
        }
        for (i64 attribute = 0; attribute < scan->attributes; attribute++) {
            for (i64 candidate = first; candidate < last; candidate++) {
                if (at[2 * candidate] != attribute || at[2 * candidate + 1] != PLACES)
                    continue;
                for (i64 value = 0; value < PLACES; value++)
                    out->lines[value] = base + 2 * (candidate - first) + is_right(ranked, candidate, value);
                DOOR(NAME(count)(scan, rows, part, spans + 2 * attribute, attribute, held, out) != REFUSED);
            }
            i64 end = lines_of(at, attribute, first, last, base, out->lines);
            if (end < 0)
                continue;
            DOOR(NAME(count)(scan, rows, part, spans + 2 * attribute, attribute, held, out) != REFUSED);
            add_up(at, attribute, first, last, base, end, out);
        }
        base += 2 * (last - first);
    }
    return 0;
}

static i64 NAME(cut_some)(Scan *scan, u64 *rows, u64 *spare, const Array *open, const Ranked *ranked, const Asking *asking,
                          const u8 *allowed, i64 *out) {
    const i64 *at = ranked->at.at, *left = ranked->left.at, *spans = ranked->spans.at;
    i64 found = 0, base = 0;
    for (i64 one = 0; one < asking->many; one++) {
        i64 *asked = asking->asked + 3 * one, partition = asked[0], best = asked[1];
        while (best < asked[2] && !allowed[base + best - asked[1]])
            best++;
        base += asked[2] - asked[1];
        if (best == asked[2])
            continue;
        i64 attribute = at[2 * best], value = at[2 * best + 1];
        const i64 *part = (const i64 *)open->at + OPEN * partition, *span = spans + 2 * (scan->attributes * partition + attribute);
        memcpy(scan->spans + 2 * attribute, span, 2 * sizeof(i64));
        for (i64 place = 0; value == PLACES && place < PLACES; place++)
            scan->sides[attribute * PLACES + place] = is_right(ranked, best, place);
        i64 middle = NAME(part_rows)(scan, rows, spare, part[0], part[1], attribute, value);
        DOOR(middle != REFUSED);
        i64 parts[2][OPEN] = {
            {part[0], middle, left[best], part[DEPTH] + 1, part[WITHIN]},
            {middle, part[1], part[RECORDS] - left[best], part[DEPTH] + 1, part[WITHIN]},
        };
        memcpy(out + OPEN * found, parts, sizeof parts);
        found += 2;
        asked[2] = -1;
    }
    return found;
}

#undef ROW
#undef GROUP
#undef LANE
