/* Mondrian's strict cuts that models judge, for one width of codes: mondrian.c includes this behind carve.h.

   Models judge class profiles in arrays, many at once, so cuts are proposed for many partitions before any is judged; a
   partition of which no proposed cut was allowed proposes its next ones, farther from the middle or in its next dimension.
   Cost per round and partition: one pass over its rows to count a column's values, and one to count who has which sensitive
   value before, between and after the cuts. */

/* The different codes of a column, ascending, and the records up to each; how many they are. */
static i64 NAME(count_values)(const Rows *rows, i64 width, const i64 *part, i64 dimension, const Values *values) {
    const CODE *column = (const CODE *)rows->codes.at + dimension;
    const i64 *counts = rows->counts.size ? rows->counts.at : NULL, size = part[1] - part[0];
    i64 *codes = values->codes.at, *upto = values->upto.at, *tally = values->tally.at, found = 0, total = 0;
    CODE low = column[part[0] * width], high = low;
    for (i64 row = part[0] + 1; row < part[1]; row++) {
        CODE code = column[row * width];
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    i64 span = (i64)high - low + 1;
    if (span > SPARSE * size || span > values->tally.size) {
        for (i64 row = part[0]; row < part[1]; row++)
            codes[row - part[0]] = column[row * width], upto[row - part[0]] = counts ? counts[row] : 1;
        sort(codes, upto, size);
        for (i64 row = 0; row < size; row++) {
            total += upto[row];
            codes[found] = codes[row], upto[found] = total;
            found += row + 1 == size || codes[row + 1] != codes[row];
        }
        return found;
    }
    memset(tally, 0, sizeof *tally * (size_t)span);
    for (i64 row = part[0]; row < part[1]; row++)
        tally[column[row * width] - low] += counts ? counts[row] : 1;
    for (i64 place = 0; place < span; place++) { /* without a branch, for no processor could predict it */
        total += tally[place];
        codes[found] = low + place, upto[found] = total;
        found += tally[place] > 0;
    }
    return found;
}

/* Propose the next cuts of the open partitions, as far as there is room; how many partitions have their turn. */
static i64 NAME(propose)(const Rows *rows, const Rule *rule, const Values *values, const Array *open, const Cuts *cuts,
                         i64 cells) {
    const i64 d = rule->scales.starts.size, wide = WIDTHS + d, partitions = open->size / wide;
    const i64 width = width_of(rows), room = cuts->at.size / 2;
    const i64 *starts = rule->scales.starts.at;
    const CODE *codes = rows->codes.at, *high = values->high.at;
    const Work work = {.low = values->low, .high = values->high, .tally = values->tally};
    i64 *of = cuts->of.at, cut = 0;
    for (i64 partition = 0; partition < partitions; partition++) {
        i64 *state = (i64 *)open->at + partition * wide, *widths = state + WIDTHS, dimension = -1, first = cut;
        const i64 size = state[1] - state[0];
        DOOR(is_part(rows, state) && values->codes.size > size);
        if (state[RECORDS] / 2 >= rule->k) {
            const CODE *row = codes + state[0] * width;
            if (widths[0] < 0) {
                NAME(spread)(row, size, width, values->low.at, values->high.at);
                for (i64 each = 0; each < d; each++) {
                    DOOR(high[each] < rule->scales.positions.size - starts[each]);
                    widths[each] = NAME(measure)(rule, &work, row, size, width, each);
                }
            }
            dimension = widest(widths, rule);
        }
        while (dimension >= 0 && cut == first) {
            i64 most = batch(state[TRIED], size, cells);
            most = most < room ? most : room;
            if (cut + most > room)
                return partition;
            i64 found = NAME(count_values)(rows, width, state, dimension, values);
            cut = choose(values, found, state, rule, most, cuts, cut);
            DOOR(cut != REFUSED);
            of[3 * partition + 2] = cut - first < most;
            if (cut == first) {
                widths[dimension] = state[TRIED] = 0;
                dimension = widest(widths, rule);
            }
        }
        of[3 * partition] = dimension, of[3 * partition + 1] = cut;
    }
    return partitions;
}

/* Count what is left of a cut and of none before in its left line; what is left of none, in the last right one. Lines of
   codes from the first cut to the last are looked up, unless so few occur that searching is quicker. */
static int NAME(count_records)(const Rows *rows, const i64 *part, const Sensitive *sensitive, const i64 *at, i64 dimension,
                               i64 first, i64 last, const Values *values, const Profiles *out) {
    const i64 width = width_of(rows), *counts = rows->counts.size ? rows->counts.at : NULL;
    const i64 base = at[2 * first] - 1, end = at[2 * (last - 1)] - base, *places = sensitive->places.at;
    i64 *lines = values->lines.at, line = first;
    int few = end > SPARSE * (part[1] - part[0]);
    DOOR(end > 0 && (few || end < values->lines.size));
    for (i64 code = 0; !few && code < end; code++) {
        while (line < last - 1 && at[2 * line] <= base + code)
            line++;
        lines[code] = 2 * line;
    }
    if (!few)
        lines[end] = 2 * last - 1;
    for (i64 row = part[0]; row < part[1]; row++) {
        const CODE *codes = (const CODE *)rows->codes.at + row * width;
        i64 code = codes[dimension] - base, most = 2 * last - 1;
        if (few) {
            line = 2 * after(at, first, last, codes[dimension]);
            line = line < most ? line : most;
        } else
            line = lines[code < 0 ? 0 : code < end ? code : end];
        for (i64 one = 0; one < sensitive->places.size; one += 3) {
            i64 value = codes[places[one]];
            if (value < places[one + 1])
                out->histograms[line * out->cells + places[one + 2] + value] += counts ? counts[row] : 1;
        }
    }
    return 0;
}

/* Add the person whose rows these are: once for each value, and once as a person, which the last column says. */
static void NAME(count_person)(const Rows *rows, i64 start, i64 end, const Sensitive *sensitive, const i64 *at, i64 dimension,
                               i64 first, i64 last, const Profiles *out) {
    const i64 width = width_of(rows), *places = sensitive->places.at;
    const CODE *codes = rows->codes.at;
    for (i64 one = 0; one < sensitive->places.size; one += 3) {
        const CODE *column = codes + places[one];
        const int is_person = places[one] == sensitive->person;
        for (i64 row = start; row < end; row++) {
            i64 value = column[row * width], low = last, high = first;
            int is_new = is_person || value < places[one + 1];
            for (i64 before = start; is_new && before < row; before++)
                is_new = column[before * width] != value;
            if (!is_new)
                continue;
            for (i64 other = row; other < end; other++)
                if (column[other * width] == value) {
                    i64 cut = after(at, first, last, codes[other * width + dimension]);
                    low = cut < low ? cut : low;
                    high = cut > high ? cut : high;
                }
            i64 *cell = out->histograms + places[one + 2] + (is_person ? 0 : value);
            if (low < last)
                cell[2 * low * out->cells]++;
            if (high > first)
                cell[(2 * high - 1) * out->cells]++;
        }
    }
}

/* Count the records, or people, left and right of each partition's cuts. */
static i64 NAME(profile)(const Rows *rows, const Values *values, const Array *open, i64 wide, const Cuts *cuts,
                         const Sensitive *sensitive, const Profiles *out) {
    const i64 width = width_of(rows), cells = out->cells, person = sensitive->person;
    const i64 *of = cuts->of.at, *at = cuts->at.at;
    const CODE *codes = rows->codes.at;
    i64 first = 0;
    for (i64 partition = 0; partition < cuts->of.size / 3; partition++) {
        const i64 *part = (const i64 *)open->at + partition * wide, dimension = of[3 * partition], last = of[3 * partition + 1];
        i64 *left = out->histograms + 2 * first * cells, number = last - first;
        if (number == 0)
            continue;
        DOOR(is_part(rows, part) && is_inside(dimension, 1, width));
        memset(left, 0, sizeof(i64) * (size_t)(2 * number * cells));
        if (person < 0)
            DOOR(NAME(count_records)(rows, part, sensitive, at, dimension, first, last, values, out) != REFUSED);
        for (i64 start = part[0], end; person >= 0 && start < part[1]; start = end) {
            for (end = start + 1; end < part[1] && codes[end * width + person] == codes[start * width + person];)
                end++;
            NAME(count_person)(rows, start, end, sensitive, at, dimension, first, last, out);
        }
        for (i64 cut = 1; cut < number; cut++) /* what is left of the cut before is left of this one */
            for (i64 each = 2 * cut * cells; each < (2 * cut + 1) * cells; each++)
                left[each] += left[each - 2 * cells];
        for (i64 cut = number - 2; cut >= 0; cut--) /* what is right of the next cut, and what lies between */
            for (i64 each = 2 * cut * cells; each < (2 * cut + 1) * cells; each++) {
                i64 between = person < 0 ? left[each + 2 * cells] - left[each] : left[each + cells];
                left[each + cells] = left[each + 3 * cells] + between;
            }
        for (i64 cut = first; cut < last; cut++) {
            out->sizes[2 * cut] = person < 0 ? at[2 * cut + 1] : out->histograms[2 * cut * cells + cells - 1];
            out->sizes[2 * cut + 1] = person < 0 ? part[RECORDS] - at[2 * cut + 1] : out->histograms[(2 * cut + 2) * cells - 1];
        }
        first = last;
    }
    return 0;
}

/* Make the allowed cut nearest the middle of each partition that proposed some; how many are open after it. */
static i64 NAME(settle)(const Rows *rows, const Array *open, i64 wide, const Cuts *cuts, const u8 *allowed, i64 *out) {
    const i64 half = rows->tuples.size / 2, width = width_of(rows);
    const i64 *of = cuts->of.at, *at = cuts->at.at;
    i64 found = 0, first = 0;
    for (i64 partition = 0; partition < cuts->of.size / 3; partition++) {
        const i64 *part = (const i64 *)open->at + partition * wide, dimension = of[3 * partition], last = of[3 * partition + 1];
        i64 best = -1, least = 0;
        for (i64 cut = first; cut < last; cut++) {
            i64 apart = 2 * at[2 * cut + 1] - part[RECORDS];
            apart = apart < 0 ? -apart : apart;
            if (allowed[cut] && (best < 0 || apart < least))
                best = cut, least = apart;
        }
        i64 *parts = out + found * wide;
        if (best >= 0) {
            const i64 there = part[0] < half ? half : -half, left = at[2 * best + 1];
            DOOR(is_part(rows, part) && is_inside(dimension, 1, width));
            i64 middle = NAME(divide)(rows, part[0], part[1], there, dimension, at[2 * best]);
            i64 both[2][WIDTHS] = {
                {part[0] + there, middle, left, part[DEPTH] + 1, 0, part[WITHIN]},
                {middle, part[1] + there, part[RECORDS] - left, part[DEPTH] + 1, 0, part[WITHIN]},
            };
            for (int side = 0; side < 2; side++, parts += wide, found++) {
                memcpy(parts, both[side], sizeof both[side]);
                parts[WIDTHS] = -1;
            }
        } else if (dimension >= 0) {
            memcpy(parts, part, sizeof(i64) * (size_t)wide);
            parts[TRIED] += last - first;
            if (of[3 * partition + 2] > 0) {
                DOOR(dimension < wide - WIDTHS);
                parts[WIDTHS + dimension] = parts[TRIED] = 0;
            }
            found++;
        }
        first = last;
    }
    return found;
}

/* The least and the greatest code of each leaf in each dimension. */
static i64 NAME(corners)(const Rows *rows, const Array *leaves, const Values *values, const Array *low, const Array *high) {
    const i64 width = width_of(rows), d = low->size * 4 / (leaves->size ? leaves->size : 4);
    for (i64 leaf = 0; leaf < leaves->size / 4; leaf++) {
        const i64 *part = (const i64 *)leaves->at + 4 * leaf;
        DOOR(is_part(rows, part));
        NAME(spread)((const CODE *)rows->codes.at + part[0] * width, part[1] - part[0], width, values->low.at, values->high.at);
        memcpy((CODE *)low->at + leaf * d, values->low.at, sizeof(CODE) * (size_t)d);
        memcpy((CODE *)high->at + leaf * d, values->high.at, sizeof(CODE) * (size_t)d);
    }
    return 0;
}
