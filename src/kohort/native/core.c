/* The inner loops of the main path: cells found and coded, rows grouped, text written and compared.

   `tests/reference/loops.py` has the same loops in Python; `tests/unit/test_native.py` compares them. */

#include "core.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { FULL = -2, BATCH = 32, LINE = 64 };

/* An odd number without pattern: a product's upper bits depend on all lower bits of its factors. */
static u64 mixed(u64 state, u64 word) {
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
    return state ^ state >> 32;
}

/* ── The cells of delimited text ─────────────────────────────────────────────────────────────────────────────────── */

/* Which of the LINE bytes around the last place are marks: separator, LF, CR or quote; and which are quotes. */
typedef struct {
    const u8 *data;
    i64 size, base;
    u8 mark[3], quote;
    u64 marks, quotes;
} Cursor;

static void look(Cursor *cursor, i64 base) {
    u8 rest[LINE] = {0};
    const u8 *at = cursor->data + base;
    i64 left = cursor->size - base;
    cursor->base = base;
    cursor->marks = cursor->quotes = 0;
    if (left < LINE)
        at = memcpy(rest, at, (size_t)left);
#if defined(__SSE2__)
    const __m128i one = _mm_set1_epi8((char)cursor->mark[0]), two = _mm_set1_epi8((char)cursor->mark[1]);
    const __m128i three = _mm_set1_epi8((char)cursor->mark[2]), quote = _mm_set1_epi8((char)cursor->quote);
    for (int part = 0; part < LINE; part += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(at + part)), quotes = _mm_cmpeq_epi8(bytes, quote);
        __m128i others = _mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, two));
        __m128i marks = _mm_or_si128(_mm_or_si128(others, _mm_cmpeq_epi8(bytes, three)), quotes);
        cursor->quotes |= (u64)(u32)_mm_movemask_epi8(quotes) << part;
        cursor->marks |= (u64)(u32)_mm_movemask_epi8(marks) << part;
    }
#else
    for (int part = 0; part < LINE; part++) {
        u64 is_quote = at[part] == cursor->quote;
        u64 is_mark = at[part] == cursor->mark[0] || at[part] == cursor->mark[1] || at[part] == cursor->mark[2];
        cursor->quotes |= is_quote << part;
        cursor->marks |= (is_mark | is_quote) << part;
    }
#endif
    if (left < LINE) {
        cursor->marks &= ((u64)1 << left) - 1;
        cursor->quotes &= ((u64)1 << left) - 1;
    }
}

/* The first mark, or quote, from a place on; the text's size if there is none. */
static i64 next(Cursor *cursor, i64 at, int quotes) {
    u64 before = ((u64)1 << (at & (LINE - 1))) - 1;
    for (i64 base = at & ~(i64)(LINE - 1); base < cursor->size; base += LINE, before = 0) {
        if (base != cursor->base)
            look(cursor, base);
        u64 found = (quotes ? cursor->quotes : cursor->marks) & ~before;
        if (found)
            return base + __builtin_ctzll(found);
    }
    return cursor->size;
}

/* The quote that closes the cell whose content starts at `at`; the size if there is none. */
static i64 closing(Cursor *cursor, i64 at) {
    for (;; at += 2) {
        at = next(cursor, at, 1);
        if (at + 1 >= cursor->size || cursor->data[at + 1] != cursor->data[at])
            return at;
    }
}

enum { NONE, UNENDED, UNCLOSED, OVERLONG, BLANK };
enum { KEEP, REFUSE };

API i64 kohort_scan(Array data, i64 at, i64 separator, i64 quote, i64 line_end, i64 blank, i64 longest, Array starts,
                    Array lengths, i64 columns, Array told) {
    const u8 *text = data.at;
    i64 *start = starts.at, *fault = told.at;
    i32 *length = lengths.at;
    i64 size = data.size, row = 0, column = 0, record = at, cell = at, kind = NONE;
    DOOR(at >= 0 && columns > 0 && starts.size == lengths.size && starts.size % columns == 0);
    DOOR(told.size == 5 && longest >= 0 && longest <= INT32_MAX);
    const i64 room = starts.size / columns;
    Cursor cursor = {text, size, -1, {(u8)separator, '\n', '\r'}, (u8)(quote < 0 ? '\n' : quote), 0, 0};
    while (row < room && (at < size || column > 0)) {
        if (column == 0) {
            record = cell = at;
            i64 empty = blank == KEEP ? 0 : line_end_at(text, size, at, line_end);
            if (empty > 0 && blank == REFUSE) {
                kind = BLANK;
                break;
            }
            if (empty > 0) {
                at += empty;
                continue;
            }
        }
        int quoted = at < size && text[at] == quote, last = column == columns - 1;
        cell = at + quoted;
        at = quoted ? closing(&cursor, cell) : next(&cursor, cell, 0);
        if ((quoted && at == size) || at - cell > longest) {
            kind = quoted && at == size ? UNCLOSED : OVERLONG;
            break;
        }
        start[column * room + row] = cell;
        length[column * room + row] = (i32)(at - cell);
        at += quoted;
        i64 ended = last ? line_end_at(text, size, at, line_end) : at < size && text[at] == separator;
        if (ended == 0) {
            kind = UNENDED;
            break;
        }
        at += ended;
        column = last ? 0 : column + 1;
        row += last;
    }
    fault[0] = kind, fault[1] = column, fault[2] = record, fault[3] = cell, fault[4] = at;
    return row;
}

/* ── The distinct values of a column ─────────────────────────────────────────────────────────────────────────────── */

/* Up to eight bytes from a place on as a number, zero above them; `length` bytes from there on are inside the text. */
static u64 piece(const u8 *data, i64 size, i64 at, i64 length) {
    u64 word = 0;
    if (length >= 8 || (length > 0 && at + 8 <= size)) {
        memcpy(&word, data + at, 8);
        return length >= 8 ? word : word & (((u64)1 << 8 * length) - 1);
    }
    if (length > 0)
        memcpy(&word, data + at, (size_t)length);
    return word;
}

typedef struct {
    u64 *slots, *heads;
    i64 *first, *ends;
    u8 *own;
    i64 mask, room, own_size, used, kept;
} Values;

/* What stands for a value that is not there, where no new ones are kept. */
static const i64 UNKNOWN = UINT32_MAX;

/* The first bytes of a value, and its hash. */
typedef struct {
    u64 head, tag;
} Hashed;

static inline Hashed hashed(const u8 *text, i64 size, i64 at, i64 length) {
    Hashed found = {piece(text, size, at, length), 0};
    u64 state = mixed((u64)length, found.head);
    for (i64 k = 8; k < length; k += 8)
        state = mixed(state, piece(text, size, at + k, length - k));
    found.tag = state * 0xD6E8FEB86659FD93u >> 32;
    return found;
}

/* The code of a value; that of a new one, which is kept, or UNKNOWN; FULL where it has no room. */
static i64 code_of(Values *values, const u8 *cell, i64 start, i64 length, Hashed hash) {
    u64 head = hash.head, tag = hash.tag, place = tag & (u64)values->mask;
    for (i64 tried = 0; values->slots[place]; tried++, place = (place + 1) & (u64)values->mask) {
        u64 slot = values->slots[place];
        i64 code = (i64)(slot & 0xFFFFFFFF) - 1;
        DOOR(tried <= values->mask);
        if (slot >> 32 != tag)
            continue;
        DOOR(code >= 0 && code < values->used);
        i64 at = values->ends[code];
        if (values->heads[code] != head || (u64)values->ends[code + 1] - (u64)at != (u64)length + 1)
            continue;
        DOOR(is_inside(at, length + 1, values->own_size));
        if (length <= 8 || memcmp(cell + 8, values->own + at + 8, (size_t)length - 8) == 0)
            return code;
    }
    if (!values->kept)
        return UNKNOWN;
    i64 code = values->used, end = values->ends[code];
    if (code == values->room || !is_inside(end, length + 1, values->own_size))
        return FULL;
    memcpy(values->own + end, cell, (size_t)length);
    values->own[end + length] = 0;
    values->first[code] = start;
    values->heads[code] = head;
    values->ends[code + 1] = end + length + 1;
    values->slots[place] = tag << 32 | (u64)++values->used;
    return code;
}

/* Whether the arrays of a dictionary fit each other, and how many values it has is no more than they hold. */
static int is_known(Array slots, Array first, Array heads, Array ends, Array used) {
    int fit = is_power(slots.size) && slots.size > first.size && heads.size == first.size && ends.size > first.size;
    return fit && used.size == 1 && is_inside(*(i64 *)used.at, 0, first.size);
}

API i64 kohort_look_up(Array data, Array starts, Array lengths, i64 row, Array slots, Array first, Array heads,
                       Array ends, Array own, Array used, Array codes, i64 kept) {
    const u8 *text = data.at;
    const i64 *start = starts.at;
    const i32 *length = lengths.at;
    u32 *code = codes.at;
    Values values = {slots.at, heads.at, first.at, ends.at, own.at, slots.size - 1, first.size, own.size, 0, kept};
    DOOR(lengths.size == starts.size && codes.size == starts.size && is_inside(row, 0, starts.size));
    DOOR(is_known(slots, first, heads, ends, used));
    values.used = *(i64 *)used.at;
    while (row < starts.size) { /* hashes of some cells first, so that their slots are on the way from memory */
        Hashed hash[BATCH];
        i64 some = starts.size - row < BATCH ? starts.size - row : BATCH;
        for (i64 each = 0; each < some; each++) {
            i64 at = start[row + each], bytes = length[row + each];
            DOOR(is_inside(at, bytes, data.size));
            hash[each] = hashed(text, data.size, at, bytes);
            __builtin_prefetch(values.slots + (hash[each].tag & (u64)values.mask));
        }
        for (i64 each = 0; each < some; each++, row++) {
            i64 found = code_of(&values, text + start[row], start[row], length[row], hash[each]);
            DOOR(found != REFUSED);
            if (found == FULL) {
                *(i64 *)used.at = values.used;
                return row;
            }
            code[row] = (u32)found;
        }
    }
    *(i64 *)used.at = values.used;
    return row;
}

/* The codes of the members of sets, `{a, b}`, each set's ascending, and how many these are; -1 of what is spelled
   otherwise between braces, or of other members, and 0 where there are no braces. Returns how many are told. */
API i64 kohort_members(Array data, Array bounds, Array slots, Array first, Array heads, Array ends, Array own, Array used,
                       Array members, Array sizes) {
    const u8 *text = data.at;
    const i64 *bound = bounds.at;
    u32 *member = members.at;
    i64 *size = sizes.at, told = 0;
    Values values = {slots.at, heads.at, first.at, ends.at, own.at, slots.size - 1, first.size, own.size, 0, 0};
    DOOR(is_known(slots, first, heads, ends, used) && bounds.size == sizes.size + 1);
    values.used = *(i64 *)used.at;
    for (i64 label = 0; label < sizes.size; label++) {
        i64 start = bound[label], stop = bound[label + 1], last, count = 0, before = -1;
        DOOR(start >= 0 && start <= stop && stop <= data.size);
        last = stop - 1;
        size[label] = 0;
        if (last <= start || text[start] != '{' || text[last] != '}')
            continue;
        for (i64 at = start + 1, end; count >= 0 && at <= last; at = end + 2) {
            for (end = at; end < last && (text[end] != ',' || text[end + 1] != ' ');)
                end++;
            i64 code = code_of(&values, text + at, at, end - at, hashed(text, data.size, at, end - at));
            DOOR(code != REFUSED && (code == UNKNOWN || told + count < members.size));
            if (code == UNKNOWN || code <= before)
                count = -1;
            else
                member[told + count++] = (u32)(before = code);
        }
        size[label] = count < 2 ? -1 : count;
        told += count < 2 ? 0 : count;
    }
    return told;
}

API i64 kohort_rehash(Array old, Array new) {
    const u64 *slot = old.at;
    u64 *slots = new.at, mask = (u64)new.size - 1;
    DOOR(is_power(new.size) && new.size > old.size);
    for (i64 each = 0; each < old.size; each++) {
        u64 place = slot[each] >> 32 & mask;
        for (i64 tried = 0; slot[each] && slots[place]; tried++, place = (place + 1) & mask)
            DOOR(tried < new.size);
        if (slot[each])
            slots[place] = slot[each];
    }
    return 0;
}

/* ── Equal rows ──────────────────────────────────────────────────────────────────────────────────────────────────── */

API i64 kohort_group(Array words, i64 width, Array of, Array first, Array table, Array done) {
    const u64 *word = words.at;
    i64 *heads = first.at, *reached = done.at, rows = of.size;
    i32 *slots = table.at;
    DOOR(width > 0 && words.size % width == 0 && words.size / width == rows && rows <= INT64_MAX / 64);
    DOOR((of.item == 4 || of.item == 8) && done.size == 2 && is_power(table.size) && table.size > first.size);
    i64 row = reached[0], groups = reached[1];
    u64 mask = (u64)table.size - 1;
    DOOR(is_inside(row, 0, rows) && is_inside(groups, 0, first.size) && first.size <= INT32_MAX);
    while (row < rows) {
        u64 place[BATCH];
        i64 some = rows - row < BATCH ? rows - row : BATCH, each;
        for (each = 0; each < some; each++) {
            u64 state = 0;
            for (i64 k = 0; k < width; k++)
                state = mixed(state, word[(row + each) * width + k]);
            place[each] = state & mask;
            __builtin_prefetch(slots + place[each]);
        }
        for (each = 0; each < some; each++, row++) {
            u64 slot = place[each];
            const u64 *own = word + row * width;
            for (i64 tried = 0; slots[slot] >= 0; tried++, slot = (slot + 1) & mask) {
                DOOR(tried < table.size && slots[slot] < groups && is_inside(heads[slots[slot]], 1, rows));
                if (memcmp(word + heads[slots[slot]] * width, own, 8 * (size_t)width) == 0)
                    break;
            }
            if (slots[slot] < 0) {
                if (groups == first.size) {
                    reached[0] = row, reached[1] = groups;
                    return 0;
                }
                heads[groups] = row;
                slots[slot] = (i32)groups++;
            }
            if (of.item == 4)
                ((u32 *)of.at)[row] = (u32)slots[slot];
            else
                ((i64 *)of.at)[row] = slots[slot];
        }
    }
    reached[0] = row, reached[1] = groups;
    return 0;
}

/* How many records of its group have each record's value; 0 where it is beyond those that are `seen`, all of them zero. */
API i64 kohort_shared(Array values, Array starts, Array seen, Array shared) {
    const i64 *start = starts.at;
    u64 *last = seen.at; /* of each value the group that had it last, its number plus one above how often */
    u32 *found = shared.at;
    DOOR(shared.size == values.size && starts.size < INT32_MAX && values.size < INT32_MAX);
    for (i64 group = 1; group < starts.size; group++) {
        const i64 first = start[group - 1], end = start[group];
        DOOR(first >= 0 && first <= end && end <= values.size);
        for (i64 row = first; row < end; row++) {
            u64 value = number(&values, row);
            if (value < (u64)seen.size)
                last[value] = (last[value] >> 32 == (u64)group ? last[value] : (u64)group << 32) + 1;
        }
        for (i64 row = first; row < end; row++) {
            u64 value = number(&values, row);
            found[row] = value < (u64)seen.size ? (u32)last[value] : 0;
        }
    }
    return 0;
}

/* ── Records and their labels ────────────────────────────────────────────────────────────────────────────────────── */

/* What the labels of a column stand for: the least and the greatest rank of each, and where the values that it lists
   begin, ascending; and the rank of each value. */
typedef struct {
    Array ranks, low, high, first, listed;
} Meaning;

static int lists(const Meaning *meaning, u64 label, u64 value) {
    const u32 *listed = meaning->listed.at;
    const i64 *first = (const i64 *)meaning->first.at + label;
    i64 at = first[0];
    if (at < 0 || first[1] < at || first[1] > meaning->listed.size)
        return REFUSED;
    i64 left = first[1] - at;
    for (i64 half; left > 1; left -= half) { /* no branch that could be guessed wrong */
        half = left / 2;
        at += listed[at + half] <= value ? half : 0;
    }
    return left > 0 && listed[at] == value;
}

/* How many records have a value outside of their label; a bit for each that has the least, or the greatest, of a span. */
API i64 kohort_fit(Array values, Array lineage, Array labels, Array table, Array at_low, Array at_high) {
    const Meaning *meaning = table.at;
    u8 *least = at_low.at, *most = at_high.at;
    i64 outside = 0;
    DOOR(table.size == 5 && lineage.size == labels.size && at_low.size == at_high.size);
    DOOR(meaning->low.size == meaning->high.size && meaning->first.size == meaning->low.size + 1);
    DOOR(labels.size / 8 + (labels.size % 8 > 0) == at_low.size);
    for (i64 row = 0, some; row < labels.size; row += some) { /* values of some records first: each is elsewhere in memory */
        u64 value[BATCH];
        u32 lowest = 0, highest = 0;
        some = labels.size - row < BATCH ? labels.size - row : BATCH;
        for (i64 each = 0; each < some; each++) {
            u64 source = number(&lineage, row + each), label = number(&labels, row + each);
            DOOR(source < (u64)values.size && label < (u64)meaning->low.size);
            value[each] = number(&values, (i64)source);
            __builtin_prefetch((const i32 *)meaning->low.at + label);
            __builtin_prefetch((const i32 *)meaning->high.at + label);
            __builtin_prefetch((const i64 *)meaning->first.at + label);
        }
        for (i64 each = 0; each < some && meaning->listed.size > 0; each++) {
            i64 at = ((const i64 *)meaning->first.at)[number(&labels, row + each)];
            if (is_inside(at, 0, meaning->listed.size))
                __builtin_prefetch((const u32 *)meaning->listed.at + at);
        }
        for (i64 each = 0; each < some; each++) {
            u64 label = number(&labels, row + each);
            DOOR(value[each] < (u64)meaning->ranks.size && label < (u64)meaning->low.size);
            i32 rank = ((const i32 *)meaning->ranks.at)[value[each]];
            i32 low = ((const i32 *)meaning->low.at)[label], high = ((const i32 *)meaning->high.at)[label];
            if (rank < low || high < rank) {
                int listed = lists(meaning, label, value[each]);
                DOOR(listed != REFUSED);
                outside += !listed;
            } else {
                u32 is_span = low >= 0 && low < high;
                lowest |= (is_span & (rank == low)) << (BATCH - 1 - each);
                highest |= (is_span & (rank == high)) << (BATCH - 1 - each);
            }
        }
        for (i64 byte = 0; byte < (some + 7) / 8; byte++) {
            least[row / 8 + byte] = (u8)(lowest >> (BATCH - 8 - 8 * byte));
            most[row / 8 + byte] = (u8)(highest >> (BATCH - 8 - 8 * byte));
        }
    }
    return outside;
}

/* Of records with a bit: how many of each group there are, 2 standing for more, and which are the only one of theirs. */
API i64 kohort_only(Array bits, Array of, Array found, Array only) {
    const u8 *bit = bits.at;
    u8 *count = found.at, *alone = only.at;
    DOOR(only.size == of.size && bits.size == of.size / 8 + (of.size % 8 > 0));
    for (int counted = 0; counted < 2; counted++)
        for (i64 byte = 0; byte < bits.size; byte++)
            for (u32 left = bit[byte]; left; left &= left - 1) {
                i64 row = 8 * byte + 7 - __builtin_ctz(left);
                DOOR(row < of.size);
                u64 group = number(&of, row);
                DOOR(group < (u64)found.size);
                if (!counted)
                    count[group] = (u8)(count[group] + (count[group] < 2));
                else if (count[group] == 1)
                    alone[row] = 1; /* and never 0: other columns mark the same records meanwhile */
            }
    return 0;
}

/* ── Records as text ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* A column: its distinct cells one after another, each with the separator or line end that follows it; where each begins
   and the last one ends; and which of them each record has. */
typedef struct {
    Array text, ends, codes;
} Column;

static int agree(Array table, i64 row, i64 last) {
    const Column *columns = table.at;
    int agreed = table.size > 0 && table.size % 3 == 0 && row >= 0 && row <= last;
    for (i64 each = 0; each < table.size / 3; each++)
        agreed = agreed && last <= columns[each].codes.size && columns[each].ends.size > 0;
    return agreed;
}

/* A cell: its bytes, how many they are, and how many of the column's there are from its first on. */
typedef struct {
    const u8 *at;
    i64 length, left;
} Cell;

/* Bytes that are moved or compared in one step, without asking how many of them are the cell's. */
enum { STEP = 16 };

/* The cell of a record; no bytes where the code or the ends lead outside. */
static inline Cell cell_of(const Column *column, i64 row) {
    u64 code = number(&column->codes, row);
    if (code >= (u64)column->ends.size - 1)
        return (Cell){NULL, 0, 0};
    const i64 *ends = (const i64 *)column->ends.at + code, start = ends[0], size = column->text.size;
    i64 length = (i64)((u64)ends[1] - (u64)start);
    return (Cell){is_inside(start, length, size) ? (const u8 *)column->text.at + start : NULL, length, size - start};
}

/* The first `length` bytes of a word. */
static inline u64 part(const u8 *at, i64 length) {
    u64 word;
    memcpy(&word, at, 8);
    return length >= 8 ? word : length <= 0 ? 0 : word & (((u64)1 << 8 * length) - 1);
}

/* Whether a text of so many bytes begins with the cell. */
static inline int begins(const u8 *text, i64 left, Cell cell) {
    if (cell.length > left)
        return 0;
    if (cell.length > STEP || cell.left < STEP || left < STEP)
        return memcmp(text, cell.at, (size_t)cell.length) == 0;
    u64 differs = part(text, cell.length) ^ part(cell.at, cell.length);
    return !(differs | (part(text + 8, cell.length - 8) ^ part(cell.at + 8, cell.length - 8)));
}

/* First cells of a record whose ends are kept for the next one, which mostly is of the same class. */
enum { KEPT = 32 };

/* How many of the first cells a record has in common with the one before it. */
static inline i64 in_common(const Column *columns, i64 count, i64 row) {
    i64 each = 0;
    while (each < count && each < KEPT && number(&columns[each].codes, row) == number(&columns[each].codes, row - 1))
        each++;
    return each;
}

/* Write whole records while there is room; which is the next one. */
API i64 kohort_write(Array table, i64 row, i64 last, Array out, Array filled) {
    const Column *columns = table.at;
    const i64 count = table.size / 3, first = row;
    u8 *to = out.at;
    i64 size = 0, before = 0, ends[KEPT]; /* of the record before: where it begins, and its cells end */
    DOOR(agree(table, row, last) && filled.size == 1);
    for (; row < last; row++) {
        i64 at = size, each = row == first ? 0 : in_common(columns, count, row);
        if (each > 0 && ends[each - 1] <= out.size - at) {
            memcpy(to + at, to + before, (size_t)ends[each - 1]);
            at += ends[each - 1];
        } else {
            each = 0;
        }
        for (; each < count; each++) {
            Cell cell = cell_of(columns + each, row);
            DOOR(cell.at != NULL);
            if (cell.length > out.size - at) {
                *(i64 *)filled.at = size;
                return row;
            }
            if (cell.length <= STEP && cell.left >= STEP && out.size - at >= STEP)
                memcpy(to + at, cell.at, STEP);
            else
                memcpy(to + at, cell.at, (size_t)cell.length);
            at += cell.length;
            if (each < KEPT)
                ends[each] = at - size;
        }
        before = size;
        size = at;
    }
    *(i64 *)filled.at = size;
    return row;
}

/* Compare a text from a place on with records; which is the first that differs, and where the one before it ends. Of each
   column the cells that were met are marked. */
API i64 kohort_compare(Array data, Array table, Array marks, i64 row, i64 last, Array place) {
    const Column *columns = table.at;
    const Array *met = marks.at;
    const i64 count = table.size / 3, first = row;
    const u8 *text = data.at;
    DOOR(agree(table, row, last) && place.size == 1 && marks.size == count);
    for (i64 each = 0; each < count; each++)
        DOOR(met[each].size == columns[each].ends.size - 1);
    i64 at = *(i64 *)place.at, before = 0, ends[KEPT]; /* as above */
    DOOR(is_inside(at, 0, data.size));
    for (; row < last; row++) {
        i64 end = at, each = row == first ? 0 : in_common(columns, count, row);
        if (each > 0) { /* the record before is known to be its cells */
            end += ends[each - 1];
            if (end > data.size || memcmp(text + at, text + before, (size_t)ends[each - 1]) != 0) {
                *(i64 *)place.at = at;
                return row;
            }
        }
        for (; each < count; each++) {
            Cell cell = cell_of(columns + each, row);
            DOOR(cell.at != NULL);
            if (!begins(text + end, data.size - end, cell)) {
                *(i64 *)place.at = at;
                return row;
            }
            end += cell.length;
            ((u8 *)met[each].at)[number(&columns[each].codes, row)] = 1; /* cells in common with the record before are */
            if (each < KEPT)
                ends[each] = end - at;
        }
        before = at;
        at = end;
    }
    *(i64 *)place.at = at;
    return row;
}
