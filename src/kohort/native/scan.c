/* Room "scan": the cells of delimited text, and the distinct values of a column.

   The text is whatever a file has: any byte can stand anywhere. */

#include "core.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { FULL = -2, LINE = 64 };

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

/* Find the cells of delimited text from a place on: where each one's content starts, and how long it is, column by
   column, until there is no more room or text, or a record is at fault. Returns how many records were found; `told`
   says what is wrong with the next one, its column, where it and the cell begin, and where the scan ended.
   Work: one pass over the bytes, 64 at a time. Trusts: nothing. */
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

/* Code the cells from a row on, each new value getting the next code where such are `kept`, else UNKNOWN. Returns the
   first row that is not coded: its value has no room in the dictionary.
   Work: one hash and mostly one comparison a cell. Trusts: that the dictionary is as earlier calls left it; of
   another one, codes are wrong. */
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
   otherwise between braces, or of other members, and 0 where there are no braces. Returns how many are told.
   Work: one hash a member. Trusts: the dictionary, as `kohort_look_up` does. */
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

/* Put the values of a dictionary into a larger table, which is zero.
   Work: one step for each place of the old table. Trusts: that the new table is zero; its search ends in any case. */
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
