/* Room "text": records written as delimited text, and such a text compared with records.

   What is compared was spelled by the verifier, which trusts nothing that was written. */

#include "core.h"

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

/* Write whole records while there is room; which is the next one.
   Work: one pass over the bytes that are written. Trusts: nothing. */
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
   column the cells that were met are marked.
   Work: one pass over the bytes that are alike. Trusts: nothing. */
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
