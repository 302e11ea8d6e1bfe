// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

// Where the playhead is, and the step of LateFramePolicy.dropFrames, which is a function of that.
extension AnimationPlayer {
  /// A place in the animation: whole ticks since the first play began, and the rest of a tick.
  struct Position {
    let tick: Int128
    /// In ticks / ``restsPerTick``.
    let rest: Int128
    let restsPerTick: Int128
  }

  /// What is to be shown at a place, if it can be.
  struct Moment {
    enum Condition {
      case plays, waits, stands, ends
    }

    let condition: Condition
    let index: Int
    /// The number of showings before this one since the first play began.
    let rank: Int128
    /// Plays that are complete.
    let plays: Int128
    /// The tick at which the showing began, and the one at which it ends, since the first play began.
    let begin: Int128
    let end: Int128?
  }

  /// Longer than this nothing plays: 30,000 years, in attoseconds.
  private static let longest = 1_000_000_000_000 * Timeline.attosecondsPerSecond

  /// The caller's time since ``anchor`` in which the player has played, in attoseconds.
  private func elapsed(_ now: Duration) -> Int128 {
    guard status == .playing else { return 0 }
    let (time, overflow) = now.attoseconds.subtractingReportingOverflow(anchor.attoseconds)
    return overflow ? Self.longest : min(max(time, 0), Self.longest)
  }

  func position(at now: Duration) -> Position {
    // Everything in 1 / (attoseconds × denominator), so that no rate is rounded.
    let unit = Timeline.attosecondsPerSecond * Int128(rate.denominator)
    let time = origin * Int128(rate.denominator) + elapsed(now) * Int128(rate.numerator)
    let (seconds, part) = time.quotientAndRemainder(dividingBy: unit)
    let (ticks, rest) = (part * timeline.ticksPerSecond).quotientAndRemainder(dividingBy: unit)
    return Position(tick: seconds * timeline.ticksPerSecond + ticks, rest: rest, restsPerTick: unit)
  }

  /// The first time, in whole nanoseconds after `now`, at which the playhead is at a tick or after it.
  func time(of tick: Int128, from position: Position, now: Duration) -> Duration? {
    guard status == .playing, rate.numerator > 0 else { return nil }
    let (seconds, ticks) = (tick - position.tick).quotientAndRemainder(dividingBy: timeline.ticksPerSecond)
    // Whole seconds apart, since products of all would not fit.
    let (whole, part) = (seconds * 1_000_000_000 * Int128(rate.denominator))
      .quotientAndRemainder(dividingBy: Int128(rate.numerator))
    let unit = 1_000_000_000 * timeline.ticksPerSecond
    let rest = part * unit + ticks * position.restsPerTick - position.rest
    let divisor = unit * Int128(rate.numerator)
    let nanoseconds = whole + (rest > 0 ? (rest + divisor - 1) / divisor : rest / divisor)
    return after(now, nanoseconds: nanoseconds)
  }

  func after(_ now: Duration, nanoseconds: Int128) -> Duration {
    let (sum, overflow) = now.attoseconds.addingReportingOverflow(max(nanoseconds, 1) * 1_000_000_000)
    return Duration(attoseconds: overflow ? .max : sum)
  }

  /// While the next frame is unknown, time does not go on after the last known one.
  mutating func hold(at now: Duration) {
    guard latePolicy == .dropFrames, !isComplete else { return }
    if mode.beginsAtEnd {
      (origin, anchor) = (0, now)
    } else if position(at: now).tick >= timeline.total {
      (origin, anchor) = (timeline.attoseconds(timeline.total), now)
    }
  }

  /// Makes a time the anchor, at which what follows may change.
  mutating func settle(at now: Duration) {
    hold(at: now)
    let media = elapsed(now) * Int128(rate.numerator) / Int128(rate.denominator)
    if latePolicy == .showAll { spent += media } else { origin += media }
    anchor = now
  }

  /// What is to be shown at a place.
  func moment(at position: Position) -> Moment {
    guard isComplete else {
      if mode.beginsAtEnd { return Moment(condition: .waits, index: 0, rank: -1, plays: 0, begin: 0, end: nil) }
      guard position.tick < timeline.total else {
        return Moment(
          condition: .waits, index: timeline.count - 1, rank: Int128(timeline.shown - 1), plays: 0,
          begin: timeline.total, end: nil)
      }
      let showing = timeline.showing(at: position.tick, .forward)
      return Moment(
        condition: .plays, index: showing.index, rank: Int128(showing.rank), plays: 0, begin: showing.begin,
        end: showing.end)
    }
    let (cycle, showings) = (timeline.cycle(mode), Int128(timeline.showings(mode)))
    let rest = timeline.rest(mode)
    guard cycle > 0 else {
      return plays.map { Moment(condition: .ends, index: rest.frame, rank: 0, plays: $0, begin: 0, end: nil) }
        ?? Moment(condition: .stands, index: timeline.first(mode), rank: 0, plays: 0, begin: 0, end: nil)
    }
    let (played, tick) = position.tick.quotientAndRemainder(dividingBy: cycle)
    if let plays, played >= plays {
      let (home, end) = (plays * cycle, plays * cycle + rest.ticks)
      let isOver = position.tick >= end
      // A bounce comes home to its first frame, and a frame without a delay is shown at last; otherwise the last showing
      // goes on.
      let comesHome = mode.bounces && timeline.count > 1 || timeline.delay(rest.frame) == 0
      return Moment(
        condition: isOver ? .ends : .plays, index: rest.frame, rank: plays * showings - (comesHome ? 0 : 1),
        plays: plays,
        begin: home, end: isOver ? nil : end)
    }
    let showing = timeline.showing(at: tick, mode)
    let start = played * cycle
    return Moment(
      condition: .plays, index: showing.index, rank: played * showings + Int128(showing.rank), plays: played,
      begin: start + showing.begin, end: start + showing.end)
  }

  /// What is shown at ``origin``, or with showAll now.
  func showingAtOrigin() -> (plays: Int128, current: Timeline.Showing?, spent: Int128) {
    if latePolicy == .showAll {
      let showing = Timeline.Showing(
        index: index(ofStep: stepOfPlay), begin: 0, end: 0, isBackwards: isBackwards(step: stepOfPlay), rank: 0)
      return (Int128(play), timeline.count > 0 ? showing : nil, spent)
    }
    let cycle = timeline.cycle(mode)
    let tick =
      (origin / Timeline.attosecondsPerSecond) * timeline.ticksPerSecond
      + (origin % Timeline.attosecondsPerSecond) * timeline.ticksPerSecond / Timeline.attosecondsPerSecond
    guard cycle > 0, isComplete || !mode.beginsAtEnd && tick < timeline.total else { return (0, nil, 0) }
    let played = isComplete ? tick / cycle : 0
    let showing = timeline.showing(at: tick - played * cycle, isComplete ? mode : .forward)
    return (played, showing, origin - timeline.attoseconds(played * cycle + showing.begin))
  }

  /// The rank of what is to be shown at a time.
  func currentRank(at now: Duration) -> Int128 {
    guard timeline.count > 0 else { return 0 }
    if latePolicy == .showAll, timeline.total > 0 { return rankOfStep }
    return moment(at: position(at: now)).rank
  }

  // MARK: Dropping late frames

  mutating func stepByTime(
    _ now: Duration, _ earlier: [Event], _ readiness: (Int) -> Readiness
  ) -> Step {
    var events = earlier
    let position = position(at: now)
    let moment = moment(at: position)
    if isWaiting, moment.condition != .waits {
      isWaiting = false
      events.append(.resumed)
    }
    if moment.plays > playsReported {
      playsReported = Int(clamping: moment.plays)
      events.append(.loop(plays: playsReported))
    }
    show(moment, &events, readiness)
    switch moment.condition {
    case .waits where status == .playing && !isWaiting:
      isWaiting = true
      events.append(.waiting)
    case .stands where status == .playing && !isStillReported:
      isStillReported = true
      events.append(.still)
    case .ends where status == .playing:
      status = .finished
      // The playhead stays at the end.
      if let plays {
        let end = plays * timeline.cycle(mode) + timeline.rest(mode).ticks
        origin = timeline.attoseconds(end)
      }
      events.append(.finished)
    default: break
    }
    let deadline = moment.end.flatMap { time(of: $0, from: position, now: now) }
    return Step(index: shownIndex, deadline: deadline, events: events)
  }

  /// Shows what is to be shown, or the nearest frame before it that can be.
  private mutating func show(_ moment: Moment, _ events: inout [Event], _ readiness: (Int) -> Readiness) {
    guard moment.rank != shownRank else { return }
    var problem: Event?
    switch readiness(moment.index) {
    case .ready: return show(moment.index, rank: moment.rank, &events)
    case .missing:
      if missedRank != moment.rank { problem = .missed(index: moment.index) }
      missedRank = moment.rank
    case .corrupt(let error):
      if corruptFrames.insert(moment.index).inserted { problem = .corrupt(index: moment.index, error) }
      // It has had its turn.
      expectedRank = max(expectedRank, moment.rank + 1)
    }
    if let before = nearestReady(before: moment, readiness) { show(before.index, rank: before.rank, &events) }
    if let problem { events.append(problem) }
  }

  private mutating func show(_ index: Int, rank: Int128, _ events: inout [Event]) {
    let dropped = Int(clamping: max(0, rank - expectedRank))
    // A single frame is shown once, however often it plays.
    if shownRank == nil || timeline.count > 1 { events.append(.frame(index: index, dropped: dropped)) }
    (shownIndex, shownRank) = (index, rank)
    expectedRank = max(expectedRank, rank + 1)
  }

  /// The last showing before one, and after what is shown now, whose frame is ready.
  private func nearestReady(
    before moment: Moment, _ readiness: (Int) -> Readiness
  ) -> (index: Int, rank: Int128)? {
    let cycle = isComplete ? timeline.cycle(mode) : timeline.total
    guard cycle > 0, moment.condition != .waits || !mode.beginsAtEnd else { return nil }
    let mode = isComplete ? self.mode : .forward
    let (lowest, showings) = (shownRank ?? -1, timeline.showings(mode))
    var (tick, rank) = (moment.begin - 1, moment.rank - 1)
    // After as many showings as a play has, frames come again.
    for _ in 0..<showings where tick >= 0 && rank > lowest {
      let (played, inPlay) = tick.quotientAndRemainder(dividingBy: cycle)
      let showing = timeline.showing(at: inPlay, mode)
      if case .ready = readiness(showing.index) { return (showing.index, rank) }
      tick = played * cycle + showing.begin - 1
      rank -= 1
    }
    return nil
  }
}
