/* Mondrian's strict cuts for one width of codes: mondrian.c includes this for u16 and for u32, as CODE.

   The arrays, and why no two partitions share memory, are described in kohort.algorithms.mondrian.sizes. What is
   counted on here was checked at the door: ranges of rows lie in one half, and the counts of a partition add up to its
   records. What depends on codes is checked where they are used. */

/* Least and greatest code of every column of some rows, so many columns at a time that they fill a register. */
static inline void NAME(ranges)(const CODE *row, i64 rows, i64 width, CODE *low, CODE *high, const int some) {
    for (i64 column = 0; column < width; column += some) {
        CODE least[8], most[8];
        memcpy(least, row + column, sizeof(CODE) * (size_t)some);
        memcpy(most, least, sizeof(CODE) * (size_t)some);
        for (i64 each = 1; each < rows; each++) {
            const CODE *codes = row + each * width + column;
            for (int place = 0; place < some; place++) {
                least[place] = codes[place] < least[place] ? codes[place] : least[place];
                most[place] = codes[place] > most[place] ? codes[place] : most[place];
            }
        }
        memcpy(low + column, least, sizeof(CODE) * (size_t)some);
        memcpy(high + column, most, sizeof(CODE) * (size_t)some);
    }
}

static void NAME(spread)(const CODE *row, i64 rows, i64 width, CODE *low, CODE *high) {
    if (width % 8 == 0)
        NAME(ranges)(row, rows, width, low, high, 8);
    else
        NAME(ranges)(row, rows, width, low, high, 4);
}

/* By what a dimension is compared with others; 0 where all records are alike there. */
static i64 NAME(measure)(const Rule *rule, const Work *work, const CODE *row, i64 rows, i64 width, i64 dimension) {
    const i64 *scale = (const i64 *)rule->scales.positions.at + ((const i64 *)rule->scales.starts.at)[dimension];
    const CODE *low = work->low.at, *high = work->high.at;
    i64 span = (i64)((u64)scale[high[dimension]] - (u64)scale[low[dimension]]), *tally = work->tally.at, found = 0;
    if (span == 0 || rule->by == BY_WIDTH)
        return span;
    if (rule->by == BY_CHANCE) {
        u64 state = rule->seed;
        for (i64 each = 0; each < rule->scales.starts.size; each++)
            state = stirred(stirred(state ^ low[each]) ^ high[each]);
        return (i64)(stirred(state ^ (u64)dimension) >> 33) + 1;
    }
    for (i64 each = 0; each < rows; each++)
        tally[row[each * width + dimension]] = 0;
    for (i64 each = 0; each < rows; each++) {
        i64 *met = tally + row[each * width + dimension];
        found += !*met;
        *met = 1;
    }
    return found;
}

/* The value of record number `target` in ascending order, how many records are below it, how many up to it: of few rows,
   for each value those below it are counted; of more, a histogram's places get narrower until one is one value. */
static i64 NAME(median)(CODE *values, i64 *counts, i64 size, i64 low, i64 high, i64 target, i64 *less, i64 *upto) {
    i64 below = 0;
    while (size > FEW) {
        i64 histogram[PLACES], shift = 0, place = 0, kept = 0, most = size < PLACES ? size : PLACES;
        while ((high - low) >> shift >= most)
            shift++;
        memset(histogram, 0, sizeof(i64) * (size_t)(((high - low) >> shift) + 1));
        for (i64 row = 0; row < size; row++)
            histogram[(values[row] - low) >> shift] += counts ? counts[row] : 1;
        while (below + histogram[place] <= target)
            below += histogram[place++];
        if (shift == 0) {
            *less = below, *upto = below + histogram[place];
            return low + place;
        }
        for (i64 row = 0; row < size; row++) {
            CODE value = values[row];
            values[kept] = value;
            if (counts)
                counts[kept] = counts[row];
            kept += (value - low) >> shift == place;
        }
        size = kept;
        low += place << shift;
        high = low + ((i64)1 << shift) - 1;
    }
    for (i64 each = 0; each < size; each++) {
        *less = *upto = below;
        for (i64 row = 0; row < size; row++) {
            i64 count = counts ? counts[row] : 1;
            *less += values[row] < values[each] ? count : 0;
            *upto += values[row] <= values[each] ? count : 0;
        }
        if (*less <= target && target < *upto)
            return values[each];
    }
    return REFUSED; /* never, for the counts add up to more than the target */
}

/* The dimension that is cut, -1 at a leaf; rows below `code` are left of the cut, `left` records. */
static i64 NAME(cut)(const Rows *rows, const Rule *rule, const Work *work, const i64 *part, i64 *code, i64 *left) {
    const i64 first = part[0], size = part[1] - first, records = part[2], k = rule->k;
    const i64 width = width_of(rows);
    const CODE *row = (const CODE *)rows->codes.at + first * width, *low = work->low.at, *high = work->high.at;
    i64 *widths = work->widths.at, *counts = rows->counts.size ? work->counts.at : NULL, less, upto;
    CODE *values = work->values.at;
    for (i64 each = 0; each < rule->scales.starts.size; each++)
        widths[each] = NAME(measure)(rule, work, row, size, width, each);
    for (i64 dimension; (dimension = widest(widths, rule)) >= 0; widths[dimension] = 0) {
        for (i64 each = 0; each < size; each++)
            values[each] = row[each * width + dimension];
        if (counts)
            memcpy(counts, (const i64 *)rows->counts.at + first, sizeof(i64) * (size_t)size);
        i64 middle = NAME(median)(values, counts, size, low[dimension], high[dimension], (records - 1) / 2, &less, &upto);
        int before = rule->nearest && less >= k, after = upto >= k && records - upto >= k;
        if (before && !(after && 2 * upto - records < records - 2 * less)) {
            *code = middle, *left = less;
            return dimension;
        }
        if (after) {
            *code = middle + 1, *left = upto;
            return dimension;
        }
    }
    return -1;
}

/* Move rows to the other half, those below the code first; where the others begin. No branch: none could be foreseen. */
static i64 NAME(divide)(const Rows *rows, i64 first, i64 last, i64 there, i64 dimension, i64 code) {
    const i64 width = width_of(rows), words = width * (i64)sizeof(CODE) / 8;
    const CODE *codes = rows->codes.at;
    u64 *word = rows->codes.at;
    u32 *tuples = rows->tuples.at;
    i64 *counts = rows->counts.size ? rows->counts.at : NULL, left = first + there, right = last - 1 + there;
    for (i64 row = first; row < last; row++) {
        i64 is_left = codes[row * width + dimension] < code, place = is_left ? left : right;
        if (words == 2) {
            word[2 * place] = word[2 * row];
            word[2 * place + 1] = word[2 * row + 1];
        } else
            memcpy(word + place * words, word + row * words, 8 * (size_t)words);
        tuples[place] = tuples[row];
        if (counts)
            counts[place] = counts[row];
        left += is_left;
        right -= 1 - is_left;
    }
    return left;
}

static i64 NAME(carve)(const Rows *rows, const Rule *rule, const Work *work, const Leaves *leaves, const i64 *whole) {
    const i64 half = rows->tuples.size / 2, width = width_of(rows), *starts = rule->scales.starts.at;
    const CODE *codes = rows->codes.at;
    CODE *low = work->low.at, *high = work->high.at;
    u32 *tuples = rows->tuples.at;
    i64 *stack = work->stack.at, found = 0, top = 4;
    memcpy(stack, whole, 3 * sizeof(i64));
    stack[3] = 0;
    while (top > 0) {
        i64 part[3], depth = stack[top - 1], dimension = -1, code = 0, left = 0;
        memcpy(part, stack + (top -= 4), sizeof part);
        i64 first = part[0], last = part[1], there = first < half ? half : -half;
        NAME(spread)(codes + first * width, last - first, width, low, high);
        for (i64 each = 0; each < rule->scales.starts.size; each++)
            DOOR(high[each] < rule->scales.positions.size - starts[each]);
        if (part[2] / 2 >= rule->k && depth < whole[3])
            dimension = NAME(cut)(rows, rule, work, part, &code, &left);
        if (dimension >= 0) {
            i64 middle = NAME(divide)(rows, first, last, there, dimension, code);
            i64 parts[8] = {middle, last + there, part[2] - left, depth + 1, first + there, middle, left, depth + 1};
            DOOR(top + 8 <= work->stack.size);
            memcpy(stack + top, parts, sizeof parts);
            top += 8;
            continue;
        }
        DOOR(found < leaves->sizes.size);
        if (depth & 1)
            memcpy(tuples + first + there, tuples + first, sizeof(u32) * (size_t)(last - first));
        memcpy((CODE *)leaves->low.at + found * width, low, sizeof(CODE) * (size_t)width);
        memcpy((CODE *)leaves->high.at + found * width, high, sizeof(CODE) * (size_t)width);
        ((i64 *)leaves->sizes.at)[found] = last - first;
        ((i64 *)leaves->depths.at)[found++] = depth;
    }
    return found;
}
