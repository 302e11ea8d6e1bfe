// SPDX-License-Identifier: Apache-2.0
//
// usage: deflate COUNT [FIRST]
//
// What our deflate makes, inflated by zlib: COUNT runs of bytes of many kinds, in parts of random sizes with what stands
// before them, with every effort. What a run is depends on its number alone. Then code lengths for random counts: they
// make a complete code within its limit, as short as a code without limit where that fits.

#include "CDeflate.h"
#include "deflate_codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint64_t seed;

static uint32_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}

static uint32_t below(uint32_t bound) { return draw() % bound; }

static void check(int holds, const char *what, long number) {
  if (holds) return;
  printf("run %ld: %s\n", number, what);
  exit(1);
}

// Rows of pixels, or of what filters leave of them.
static void make_bytes(uint8_t *bytes, size_t length, const deflate_shape *shape) {
  const uint32_t kind = below(9), values = 1 + below(256);
  for (size_t i = 0; i < length; i++) {
    const uint8_t before = i >= shape->step ? bytes[i - shape->step] : 0;
    const uint8_t above = shape->row && i >= shape->row ? bytes[i - shape->row] : before;
    switch (kind) {
      case 0: bytes[i] = (uint8_t)draw(); break;
      case 1: bytes[i] = (uint8_t)below(values); break;
      case 2: bytes[i] = below(60) ? before : (uint8_t)draw(); break;
      case 3: bytes[i] = below(60) ? above : (uint8_t)below(values); break;
      case 4: bytes[i] = (uint8_t)(__builtin_ctz(draw() | 1u << 20) - __builtin_ctz(draw() | 1u << 9)); break;
      case 5: bytes[i] = 0; break;
      case 6: bytes[i] = i > 40000 && below(400) ? bytes[i - 32768] : (uint8_t)draw(); break;
      case 7: bytes[i] = (uint8_t)(i % 9000 < 4500 ? below(3) : draw()); break;
      // A code of as many lengths as there can be: the counts of values grow like Fibonacci's numbers.
      default: bytes[i] = (uint8_t)(40 * __builtin_ctz(draw() | 1u << 24) / 24); break;
    }
  }
}

static size_t inflate_all(const uint8_t *stream, size_t length, uint8_t *out, size_t room) {
  z_stream state = {.next_in = (Bytef *)stream, .avail_in = (uInt)length, .next_out = out, .avail_out = (uInt)room};
  inflateInit2(&state, -15);
  const int status = inflate(&state, Z_FINISH);
  const size_t count = status == Z_STREAM_END && state.avail_in == 0 ? state.total_out : SIZE_MAX;
  inflateEnd(&state);
  return count;
}

static void check_run(long number) {
  const deflate_shape shape = {1 + below(8), below(4) ? 1 + below(below(2) ? 400 : 40000) : 0};
  const size_t length = below(3) ? below(400000) : below(300), part = below(2) ? 1 + below(100000) : 1 + below(500);
  const size_t most = length < 3000 ? part : part + 20000;
  static const unsigned ways[6] = {0, 1, 2, 4, 8, 16};
  const deflate_effort effort = {.ways = ways[below(6)],
                              .stride = 1 + below(8),
                              .patience = 3 + below(5),
                              .key = 3 + below(6),
                              .is_lazy = (int)below(2)};
  const int is_stored = below(12) == 0;
  // Every buffer is no larger than what may be touched, so that a byte too far is noticed.
  uint8_t *bytes = malloc(length + 1), *again = malloc(length + 1), *stream = malloc(2 * length + 4096 + 64 * (length / most));
  deflater *deflater = malloc(sizeof *deflater);
  size_t count = 0, done = 0;
  memset(deflater, 0xA5, sizeof *deflater);
  make_bytes(bytes, length, &shape);
  do {
    const size_t taken = length - done < most ? length - done : most;
    const size_t history = below(5) ? (done < DEFLATE_HISTORY ? done : DEFLATE_HISTORY) : 0;
    const size_t bound = deflate_bound(taken);
    uint8_t *in = malloc(history + taken + 1), *out = malloc(bound + DEFLATE_SLACK);
    memcpy(in, bytes + done - history, history + taken);
    in = realloc(in, history + taken ? history + taken : 1);
    done += taken;
    const size_t made = is_stored ? deflate_store(in + history, taken, done == length, out)
                                  : deflate_rows(deflater, &effort, &shape, in, history, taken, done == length, out);
    check(made <= bound, "more bytes than there can be", number);
    memcpy(stream + count, out, made);
    count += made;
    free(in);
    free(out);
  } while (done < length);
  check(inflate_all(stream, count, again, length + 1) == length, "zlib inflates another number of bytes", number);
  check(memcmp(again, bytes, length) == 0, "zlib inflates other bytes", number);
  free(bytes);
  free(again);
  free(stream);
  free(deflater);
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The cost of the best code within a limit, by package-merge: coins of each length are paired to packages, which count
// among the coins of the next shorter length; the cheapest 2 n - 2 of the shortest pay for n codes.
static uint64_t least_cost(const uint32_t *counts, unsigned count, unsigned most) {
  uint64_t coins[3 * 286], sum = 0;
  unsigned number = 0, packages = 0;
  for (unsigned i = 0; i < count; i++) number += counts[i] > 0;
  if (number < 2) return 0;
  for (unsigned length = most; length > 0; length--) {
    for (unsigned i = 0; i < count; i++) {
      if (counts[i]) coins[packages++] = counts[i];
    }
    qsort(coins, packages, sizeof *coins, compare);
    if (length == 1) break;
    packages /= 2;
    for (unsigned i = 0; i < packages; i++) coins[i] = coins[2 * i] + coins[2 * i + 1];
  }
  for (unsigned i = 0; i < 2 * number - 2; i++) sum += coins[i];
  return sum;
}

static void check_codes(long number) {
  const unsigned count = 2 + below(285), most = below(4) ? 9 + below(7) : 15;
  uint32_t counts[286];
  uint8_t lengths[286];
  const uint32_t kind = below(3);
  for (unsigned i = 0; i < count; i++) {
    counts[i] = kind == 0 ? below(1000) : kind == 1 ? (below(3) ? 0 : 1u << below(21)) : below(1u << below(21));
  }
  deflate_code_lengths(counts, count, most, lengths);
  uint32_t used = 0;
  uint64_t cost = 0;
  unsigned longest = 0;
  for (unsigned i = 0; i < count; i++) {
    if (lengths[i]) used += 1u << (15 - lengths[i]);
    if (counts[i]) check(lengths[i] > 0, "a symbol without a code", number);
    if (lengths[i] > longest) longest = lengths[i];
    cost += (uint64_t)counts[i] * lengths[i];
  }
  check(longest <= most, "a code that is too long", number);
  check(used == 1u << 15, "a code that is not complete", number);
  const uint64_t least = least_cost(counts, count, most);
  if (longest < most && least > 0) check(cost == least, "a code that is not the shortest", number);
  // What the limit costs beyond that is the less, the more bits there may be.
  check(least == 0 || cost <= least + (least >> (most - 7)), "a limited code that is far from the shortest", number);
}

int main(int argc, char **argv) {
  const long count = argc > 1 ? atol(argv[1]) : 300, first = argc > 2 ? atol(argv[2]) : 0;
  for (long number = first; number < first + count; number++) {
    seed = (uint64_t)number * 2654435761u + 88172645463325252u;
    check_run(number);
    for (int i = 0; i < 20; i++) check_codes(number);
  }
  printf("zlib inflates %ld streams to what they were made of\n", count);
  return 0;
}
