// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

// The step of LateFramePolicy.showAll: one frame further at most, whatever the time is. A fold over all calls.
extension AnimationPlayer {
  /// The frames of one play, each as often as it is shown, also those without a delay.
  var stepsPerPlay: Int { mode.bounces && timeline.count > 1 ? 2 * timeline.count - 2 : timeline.count }

  /// The number of steps before this one since the first play began.
  var rankOfStep: Int128 { Int128(play) * Int128(stepsPerPlay) + Int128(stepOfPlay) }

  /// The frame of a step of a play.
  func index(ofStep step: Int) -> Int {
    let last = timeline.count - 1
    switch mode {
    case .forward: return step
    case .reverse: return last - step
    case .bounce: return step <= last ? step : 2 * last - step
    case .reverseBounce: return step <= last ? last - step : step - last
    }
  }

  func isBackwards(step: Int) -> Bool {
    let isFirstHalf = step < timeline.count
    switch mode {
    case .forward: return false
    case .reverse: return true
    case .bounce: return !isFirstHalf
    case .reverseBounce: return isFirstHalf
    }
  }

  /// The first step of a play that shows a frame.
  func firstStep(of index: Int) -> Int { mode.beginsAtEnd ? timeline.count - 1 - index : index }

  /// The step of a play that shows a frame in a direction. At the ends of a bounce there is only one.
  func step(of index: Int, isBackwards: Bool) -> Int {
    let last = timeline.count - 1
    let isInner = index > 0 && index < last
    switch mode {
    case .bounce where isBackwards && isInner: return 2 * last - index
    case .reverseBounce where !isBackwards && isInner: return last + index
    case .forward, .reverse, .bounce, .reverseBounce: return firstStep(of: index)
    }
  }

  private enum Next {
    case step(play: Int, step: Int)
    case unknown
    case end
  }

  /// What follows the current step.
  private var next: Next {
    guard isComplete else {
      return !mode.beginsAtEnd && stepOfPlay + 1 < timeline.count ? .step(play: play, step: stepOfPlay + 1) : .unknown
    }
    let comesHome = mode.bounces && timeline.count > 1
    // The first frame once more, for its delay.
    if let plays, play >= plays { return .end }
    if stepOfPlay + 1 < stepsPerPlay { return .step(play: play, step: stepOfPlay + 1) }
    if let plays, Int128(play) + 1 >= plays, !comesHome { return .end }
    return .step(play: play + 1, step: 0)
  }

  mutating func stepByTick(
    _ now: Duration, _ earlier: [Event], _ readiness: (Int) -> Readiness
  ) -> Step {
    var events = earlier
    let stoodStill = isHeldUp
    isHeldUp = false
    settle(at: now)
    // Until the last frame is known, there is none to begin with.
    if !isComplete, mode.beginsAtEnd {
      (play, stepOfPlay, spent) = (0, 0, 0)
      if shownRank != -1 {
        (shownIndex, shownRank) = (0, -1)
        events.append(.frame(index: 0, dropped: 0))
      }
      return wait(events)
    }
    // The first frame is not a step.
    guard let shownRank, shownRank >= 0, shownRank == rankOfStep || isHeld else {
      if isWaiting { events.append(.resumed) }
      isWaiting = false
      spent = 0
      return show(now, events, readiness)
    }
    let delay = timeline.attoseconds(timeline.delay(index(ofStep: stepOfPlay)))
    if stoodStill { spent = min(spent, delay) }
    guard status == .playing, rate.numerator > 0, spent >= delay else { return rest(now, delay, events) }
    switch next {
    case .unknown:
      isHeldUp = true
      return wait(events)
    case .end:
      if playsReported < play + 1, plays.map({ play < $0 }) ?? false { report(play + 1, &events) }
      status = .finished
      events.append(.finished)
      return Step(index: shownIndex, deadline: nil, events: events)
    case .step(let nextPlay, let nextStep):
      if isWaiting { events.append(.resumed) }
      isWaiting = false
      let nextIndex = index(ofStep: nextStep)
      if case .missing = readiness(nextIndex) {
        isHeldUp = true
        let rank = Int128(nextPlay) * Int128(stepsPerPlay) + Int128(nextStep)
        if missedRank != rank { events.append(.missed(index: nextIndex)) }
        missedRank = rank
        return Step(index: shownIndex, deadline: nil, events: events)
      }
      if nextPlay > play { report(nextPlay, &events) }
      (play, stepOfPlay) = (nextPlay, nextStep)
      spent = min(spent - delay, timeline.attoseconds(timeline.delay(nextIndex)))
      return show(now, events, readiness)
    }
  }

  /// Whether the frame of the current step could not be shown, so that an earlier one is.
  private var isHeld: Bool { expectedRank == rankOfStep + 1 }

  private mutating func report(_ plays: Int, _ events: inout [Event]) {
    playsReported = plays
    events.append(.loop(plays: plays))
  }

  private mutating func wait(_ earlier: [Event]) -> Step {
    var events = earlier
    if status == .playing, !isWaiting {
      isWaiting = true
      events.append(.waiting)
    }
    return Step(index: shownIndex, deadline: nil, events: events)
  }

  /// Shows the frame of the current step.
  private mutating func show(
    _ now: Duration, _ earlier: [Event], _ readiness: (Int) -> Readiness
  ) -> Step {
    var events = earlier
    let index = index(ofStep: stepOfPlay)
    switch readiness(index) {
    case .ready:
      (shownIndex, shownRank) = (index, rankOfStep)
      expectedRank = rankOfStep + 1
      events.append(.frame(index: index, dropped: 0))
    case .corrupt(let error):
      if corruptFrames.insert(index).inserted { events.append(.corrupt(index: index, error)) }
      shownRank = shownRank ?? rankOfStep
      expectedRank = rankOfStep + 1
    case .missing:
      if missedRank != rankOfStep { events.append(.missed(index: index)) }
      missedRank = rankOfStep
      return Step(index: shownIndex, deadline: nil, events: events)
    }
    return rest(now, timeline.attoseconds(timeline.delay(index)), events)
  }

  /// The frame stays for what is left of its delay.
  private func rest(_ now: Duration, _ delay: Int128, _ events: [Event]) -> Step {
    guard status == .playing, rate.numerator > 0 else {
      return Step(index: shownIndex, deadline: nil, events: events)
    }
    let left = (delay - spent) * Int128(rate.denominator)
    let divisor = Int128(rate.numerator) * 1_000_000_000
    return Step(
      index: shownIndex, deadline: after(now, nanoseconds: left > 0 ? (left + divisor - 1) / divisor : 0),
      events: events)
  }
}
