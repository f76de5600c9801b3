/* What all of the compiled core shares: types, and the door that refuses what leads beyond an array.

   Each function that Python calls checks at its door what it is given, and returns REFUSED instead of touching a byte
   outside of it: an offset, a length, a code or a count is only used once it is known to lie inside its array. So no array
   that Python can pass makes it read or write elsewhere, whatever is in it. Nothing is allocated or kept, and no GIL is
   needed. The tests give wild numbers to every function, also with sanitizers.

   Python checks that an array is of the type that is declared, contiguous and aligned, and writable where it is written to
   (`kohort.native.library`). That is trusted, and that nothing else writes to an array while a function runs. What a
   function trusts beyond that stands above it; where it does not hold, the answer is wrong or refused, and no byte outside
   of an array is touched. README.md has the rooms and their functions.

   Multi-byte loads are little-endian, as on every platform that there are wheels for. */

#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* An array of NumPy: its first item, how many there are, and the bytes of each. */
typedef struct {
    void *at;
    i64 size, item;
} Array;

enum { REFUSED = -1 };

#define DOOR(holds)      \
    do {                 \
        if (!(holds))    \
            return REFUSED; \
    } while (0)

static inline int is_power(i64 size) { return size > 0 && (size & (size - 1)) == 0; }

/* Whether `length` items from `start` on lie among `size`. */
static inline int is_inside(i64 start, i64 length, i64 size) {
    return start >= 0 && length >= 0 && start <= size && length <= size - start;
}

/* An item of an array of unsigned codes of any width; the place is known to lie inside. */
static inline u64 number(const Array *array, i64 place) {
    switch (array->item) {
    case 1: return ((const u8 *)array->at)[place];
    case 2: return ((const u16 *)array->at)[place];
    case 4: return ((const u32 *)array->at)[place];
    default: return ((const u64 *)array->at)[place];
    }
}

/* The bytes of the line end at `at`, 0 if there is none; the text's end is one, also between CR and LF. */
static inline i64 line_end_at(const u8 *data, i64 size, i64 at, i64 line_end) {
    if (at >= size || data[at] == line_end)
        return 1;
    return data[at] == '\r' && line_end == '\n' && (at + 1 == size || data[at + 1] == '\n') ? 2 : 0;
}

/* A function that is written for codes of any width, for the width that they have. */
#define BY_ITEM(item, of, ...) ((item) == 2 ? of##_16(__VA_ARGS__) : of##_32(__VA_ARGS__))

/* How many records are looked at before their values are used, so that these are on the way from memory. */
enum { BATCH = 32 };

/* An odd number without pattern: a product's upper bits depend on all lower bits of its factors. */
static inline u64 mixed(u64 state, u64 word) {
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
    return state ^ state >> 32;
}
