// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a program and its worker can talk by the table in Sources/CIsolation/rules.c, over sockets that have room
// for a few messages: no state may be reached in which neither side can go on, and none from which a call cannot end. Then the
// same with a worker that sends anything, reads nothing, or falls silent, and a program that waits as long as a call may take.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rules.h>

enum { MOST_ROOM = 6, KINDS = 4, SLOTS = 1 << 22 };

// What an honest worker leaves unanswered of a kind before it reads: two bands, or two slots.
static const unsigned most_unanswered[KINDS] = {1, 2, 2, 1};

typedef enum mode { RESTS, SENDS, RECEIVES, HAS_ENDED } mode;

typedef struct state {
  uint8_t mode, program, pending;  // of the program: what it does, in which state, what it sends
  uint8_t worker, sends, is_stuck; // of the worker: its state, what it sends or READS, and whether it does nothing any more
  uint8_t unanswered[KINDS];
  uint8_t lengths[2];              // messages on their way to each side
  uint8_t ways[2][MOST_ROOM];
} state;

// Bits of a message's kind: REPLY says that the worker goes on, BAND asks for an answer. READS is no kind.
enum { GOES_ON = 128, WAITS = 128, READS = 1 };

typedef struct world {
  unsigned room;       // messages that a socket holds
  unsigned unanswered; // a multiple of what is left unanswered, to see that the search finds something
  int is_hostile;      // whether the worker does anything
  int waits_for_ever;  // whether the program's waits have no end
} world;

static state *seen;
static uint32_t *from, *order;
static uint32_t count;
static uint8_t *taken;

static uint32_t place_of(const state *s) {
  const uint8_t *bytes = (const uint8_t *)s;
  uint64_t hash = 1469598103934665603u;
  for (size_t index = 0; index < sizeof *s; index++) hash = (hash ^ bytes[index]) * 1099511628211u;
  uint32_t place = (uint32_t)(hash ^ hash >> 32) % SLOTS;
  while (taken[place] && memcmp(&seen[place], s, sizeof *s) != 0) place = (place + 1) % SLOTS;
  return place;
}

// A step from one state to another; edges are kept for the way back.
typedef struct edge {
  uint32_t from, to;
} edge;
static edge *edges;
static uint32_t edge_count, edge_room, current, steps;

static void reach(const state *next) {
  uint32_t place = place_of(next);
  if (!taken[place]) {
    if (count > SLOTS / 2) {
      printf("more states than there is room for\n");
      exit(1);
    }
    taken[place] = 1;
    seen[place] = *next;
    from[place] = current;
    order[count++] = place;
  }
  if (edge_count == edge_room) {
    edge_room = edge_room ? 2 * edge_room : 1 << 16;
    edges = realloc(edges, edge_room * sizeof *edges);
    if (!edges) exit(1);
  }
  edges[edge_count++] = (edge){current, place};
  steps++;
}

static int put(const world *w, state *s, int way, uint8_t kind) {
  if (s->lengths[way] == w->room) return 0;
  s->ways[way][s->lengths[way]++] = kind;
  return 1;
}

static uint8_t take(state *s, int way) {
  uint8_t kind = s->ways[way][0];
  s->lengths[way]--;
  memmove(s->ways[way], s->ways[way] + 1, MOST_ROOM - 1);
  s->ways[way][s->lengths[way]] = 0;
  return kind;
}

static void end(state s) {
  // Nobody reads any more what is on its way.
  state ended = {.mode = HAS_ENDED};
  (void)s;
  reach(&ended);
}

static int is_rest(uint8_t name) { return name >= ISOLATION_STATE_IDLE && name <= ISOLATION_STATE_SOURCE; }

static void move_program(const world *w, const state *s) {
  state next = *s;
  size_t rules;
  const isolation_rule *rule = isolation_rules(&rules);
  switch (s->mode) {
    case RESTS:
      for (size_t index = 0; index < rules; index++) {
        if (rule[index].state != s->program || rule[index].side != ISOLATION_PROGRAM) continue;
        next = *s;
        next.mode = SENDS;
        next.pending = rule[index].kind;
        next.program = rule[index].next;
        reach(&next);
      }
      return;
    case SENDS:
      if (put(w, &next, ISOLATION_WORKER, s->pending)) {
        next.mode = RECEIVES;
        next.pending = 0;
        reach(&next);
      } else if (!w->waits_for_ever) {
        end(*s);
      }
      return;
    case RECEIVES: {
      if (s->lengths[ISOLATION_PROGRAM] == 0) {
        // The worker is slow, or says nothing: the call's time is over.
        if (!w->waits_for_ever) end(*s);
        return;
      }
      uint8_t kind = take(&next, ISOLATION_PROGRAM), bit = kind & GOES_ON;
      const isolation_rule *found = isolation_rule_of(s->program, ISOLATION_WORKER, kind & ~GOES_ON);
      if (!found) {
        if (!w->is_hostile) {
          printf("an honest worker sends %d in state %d\n", kind, s->program);
          exit(1);
        }
        return end(*s);
      }
      next.program = bit && found->ahead ? found->ahead : found->next;
      next.mode = is_rest(next.program) ? RESTS : RECEIVES;
      if (found->answer != 0 && (found->kind != ISOLATION_BAND || bit)) {
        next.mode = SENDS;
        next.pending = found->answer;
      }
      reach(&next);
      return;
    }
    default: return;
  }
}

// Which kinds of answers are there: AVAILABLE, TAKEN, FILLED, OPENED, one after the other.
static unsigned of_answer(uint8_t kind) { return kind - ISOLATION_AVAILABLE; }

static unsigned all_unanswered(const state *s) {
  unsigned sum = 0;
  for (unsigned kind = 0; kind < KINDS; kind++) sum += s->unanswered[kind];
  return sum;
}

static void read_as_honest_worker(const state *s) {
  state next = *s;
  if (s->lengths[ISOLATION_WORKER] == 0) return;
  uint8_t kind = take(&next, ISOLATION_WORKER);
  if (kind >= ISOLATION_AVAILABLE && kind <= ISOLATION_OPENED && next.unanswered[of_answer(kind)] > 0) {
    next.unanswered[of_answer(kind)]--;
  } else {
    const isolation_rule *rule = isolation_rule_of(s->worker, ISOLATION_PROGRAM, kind);
    if (!rule) {
      printf("the program sends %d in state %d of an honest worker\n", kind, s->worker);
      exit(1);
    }
    next.worker = rule->next;
  }
  next.sends = 0;
  reach(&next);
}

// Either it has decided what to send, and waits for room, or to read, and waits for a message; or it decides now.
static void move_honest_worker(const world *w, const state *s) {
  state next = *s;
  if (s->sends == READS) return read_as_honest_worker(s);
  if (s->sends != 0) {
    next.sends = 0;
    if (put(w, &next, ISOLATION_PROGRAM, s->sends)) reach(&next);
    return;
  }
  if (all_unanswered(s) > 0 || is_rest(s->worker)) {
    next.sends = READS;
    reach(&next);
  }
  // It waits at once for bytes and for other files.
  if (s->unanswered[of_answer(ISOLATION_AVAILABLE)] || s->unanswered[of_answer(ISOLATION_OPENED)]) return;
  size_t rules;
  const isolation_rule *rule = isolation_rules(&rules);
  for (size_t index = 0; index < rules; index++) {
    if (rule[index].state != s->worker || rule[index].side != ISOLATION_WORKER) continue;
    // All is answered before a call ends.
    if (rule[index].kind == ISOLATION_REPLY && all_unanswered(s) > 0) continue;
    next = *s;
    next.sends = rule[index].kind;
    next.worker = rule[index].next;
    if (rule[index].answer != 0) {
      unsigned kind = of_answer(rule[index].answer);
      // BAND may ask for none.
      if (next.sends == ISOLATION_BAND) reach(&next);
      if (next.unanswered[kind] >= most_unanswered[kind] * w->unanswered) continue;
      next.unanswered[kind]++;
      if (next.sends == ISOLATION_BAND) next.sends |= WAITS;
    }
    reach(&next);
    if (rule[index].ahead == 0) continue;
    next.sends |= GOES_ON;
    next.worker = rule[index].ahead;
    reach(&next);
  }
}

// It sends any message, goes on or not; reads or does not; and may fall silent. What state it is in is of no interest.
static void move_hostile_worker(const world *w, const state *s) {
  if (s->is_stuck) return;
  state next = *s;
  next.is_stuck = 1;
  reach(&next);
  next = *s;
  if (s->lengths[ISOLATION_WORKER] > 0) {
    take(&next, ISOLATION_WORKER);
    reach(&next);
  }
  // One kind stands for all that no rule has.
  const uint8_t kinds[] = {ISOLATION_READY, ISOLATION_REPLY, ISOLATION_REPLY | GOES_ON, ISOLATION_NEED, ISOLATION_BAND,
                           ISOLATION_BAND | WAITS, ISOLATION_ROWS, ISOLATION_CHUNK, ISOLATION_LOG, ISOLATION_WANT, ISOLATION_OUTPUT,
                           ISOLATION_SIBLING, 1};
  for (size_t index = 0; index < sizeof kinds; index++) {
    next = *s;
    if (put(w, &next, ISOLATION_PROGRAM, kinds[index])) reach(&next);
  }
}

static void tell_way(uint32_t place) {
  for (unsigned step = 0; step < 40; step++) {
    const state *s = &seen[place];
    printf("  program %d in %d sends %d; worker in %d, unanswered %d %d %d %d; on their way %d and %d\n", s->mode, s->program,
           s->pending, s->worker, s->unanswered[0], s->unanswered[1], s->unanswered[2], s->unanswered[3], s->lengths[0],
           s->lengths[1]);
    if (from[place] == place) return;
    place = from[place];
  }
}

// Returns the number of states in which nothing can happen, or from which the program comes to no rest.
static uint32_t explore(const world *w, int tells) {
  memset(taken, 0, SLOTS);
  count = edge_count = 0;
  state first = {.mode = RECEIVES, .program = ISOLATION_STATE_STARTING, .worker = ISOLATION_STATE_STARTING};
  current = place_of(&first);
  reach(&first);
  edge_count = 0;
  uint32_t bad = 0;
  for (uint32_t index = 0; index < count; index++) {
    current = order[index];
    state s = seen[current];
    steps = 0;
    move_program(w, &s);
    if (s.mode != HAS_ENDED) {
      if (w->is_hostile) move_hostile_worker(w, &s);
      else move_honest_worker(w, &s);
    }
    if (steps > 0 || s.mode == HAS_ENDED) continue;
    if (bad++ == 0 && tells) {
      printf("neither side can go on:\n");
      tell_way(current);
    }
  }
  // Backwards from where the program rests or has ended.
  uint8_t *ends = calloc(SLOTS, 1);
  if (!ends) exit(1);
  for (uint32_t index = 0; index < count; index++) {
    ends[order[index]] = seen[order[index]].mode == RESTS || seen[order[index]].mode == HAS_ENDED;
  }
  for (int changes = 1; changes;) {
    changes = 0;
    for (uint32_t index = edge_count; index-- > 0;) {
      if (!ends[edges[index].to] || ends[edges[index].from]) continue;
      ends[edges[index].from] = 1;
      changes = 1;
    }
  }
  for (uint32_t index = 0; index < count; index++) {
    if (ends[order[index]]) continue;
    if (bad++ == 0 && tells) {
      printf("a call that cannot end:\n");
      tell_way(order[index]);
    }
  }
  free(ends);
  return bad;
}

// Holds the table to itself: each call is answered, ends in a state of rest, and no two rules are about the same.
static uint32_t check_table(void) {
  size_t rules;
  const isolation_rule *rule = isolation_rules(&rules);
  uint32_t bad = 0;
  for (size_t index = 0; index < rules; index++) {
    const isolation_rule *r = &rule[index];
    int is_of_program = r->side == ISOLATION_PROGRAM;
    if (isolation_rule_of(r->state, r->side, r->kind) != r) bad += printf("two rules for %d in %d\n", r->kind, r->state) > 0;
    if (is_of_program != is_rest(r->state)) bad += printf("%d asks in %d\n", r->kind, r->state) > 0;
    if (is_of_program && !isolation_rule_of(r->next, ISOLATION_WORKER, ISOLATION_REPLY)) {
      bad += printf("%d is not answered in %d\n", r->kind, r->next) > 0;
    }
    if (r->kind == ISOLATION_REPLY && !is_rest(r->next)) bad += printf("%d does not end\n", r->state) > 0;
  }
  return bad;
}

int main(void) {
  seen = calloc(SLOTS, sizeof *seen);
  from = calloc(SLOTS, sizeof *from);
  order = calloc(SLOTS, sizeof *order);
  taken = calloc(SLOTS, 1);
  if (!seen || !from || !order || !taken) return 1;
  uint32_t bad = check_table();
  // Four messages: what an honest worker leaves unanswered, two bands or slots, has room. A real socket holds a hundred.
  for (unsigned room = 4; room <= 5; room++) {
    world honest = {.room = room, .unanswered = 1, .waits_for_ever = 1};
    bad += explore(&honest, 1);
    printf("honest, room for %u: %u states\n", room, count);
  }
  // The search finds what is there: more questions than there is room for answers.
  world greedy = {.room = 1, .unanswered = 3, .waits_for_ever = 1};
  if (explore(&greedy, 0) == 0) bad += printf("both sides wait for room, and the search does not see it\n") > 0;
  world hostile = {.room = 2, .unanswered = 1, .is_hostile = 1};
  bad += explore(&hostile, 1);
  printf("hostile: %u states\n", count);
  hostile.waits_for_ever = 1;
  if (explore(&hostile, 0) == 0) bad += printf("a program that waits for ever does not hang\n") > 0;
  return bad > 0;
}
