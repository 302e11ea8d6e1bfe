// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Requests for frames, and the work that they make.
extension BufferState {
  // MARK: Requests

  /// - Returns: The frame if it is there, or the poster if there is no memory; nil when the waiter is going to be told.
  mutating func request(
    _ index: Int, _ number: Int, _ upcoming: [Int], _ shortestDelay: Duration, _ waiter: FrameStore.Waiter
  ) -> SuppliedFrame? {
    guard var player = players[number], let store = stores[player.store] else {
      return .cancelled
    }
    player.noteOrder(index)
    player.wanted = [index] + upcoming
    player.shortestDelay = shortestDelay
    player.begun = []
    let frame = store.frames[index]
    // The one before may go from now on.
    if frame != nil { player.shown = index }
    players[number] = player
    // If not all can stay, those that were shown are gone before they are asked for again.
    if !store.keepsAll { while dropBehind(player.store) {} }
    if let frame { return SuppliedFrame(result: .success(frame), isStarved: false) }
    guard store.isAdmitted else {
      players[number]?.shown = nil
      for index in store.frames.keys where !isShown(index, player.store) { drop(index, of: player.store) }
      return starved(store, index)
    }
    change(player.store) { $0.waiters[index, default: []].append(waiter) }
    return nil
  }

  /// Removes a task that was cancelled from those that wait.
  mutating func leave(_ ticket: Int) -> FrameStore.Waiter? {
    for (number, store) in stores {
      for (index, waiters) in store.waiters {
        guard let place = waiters.firstIndex(where: { $0.ticket == ticket }) else { continue }
        let others = waiters.filter { $0.ticket != ticket }
        change(number) { $0.waiters[index] = others.isEmpty ? nil : others }
        return waiters[place]
      }
    }
    return nil
  }

  func starved(_ store: FrameStore, _ index: Int) -> SuppliedFrame {
    guard let poster = (store.source as? any BufferableSource)?.heldPoster else {
      return SuppliedFrame(
        result: .failure(.outOfMemory(bytes: store.cost, for: "a frame within the budget")), isStarved: true)
    }
    return SuppliedFrame(result: .success(poster), isStarved: index != 0)
  }

  // MARK: Jobs

  /// The next frame to decode, for which memory was taken, or nil.
  mutating func nextJob() -> Job? {
    guard running < threads else { return nil }
    let numbers = stores.keys.sorted()
    // In turn, beginning after the one that was served last; first the frames that somebody waits for.
    let order = numbers.filter { $0 > served } + numbers.filter { $0 <= served }
    var isShort = false
    for number in order {
      guard let store = stores[number], store.isAdmitted, !store.isBusy, let index = store.waitedFor else { continue }
      // A block that is shown backwards takes no memory from others; the frame alone may.
      if let first = BackwardBlock(store, index, players).first, fits(number) { return begin(first, of: number) }
      if makeRoom({ $0.bytesToDecode(number) }) { return begin(index, of: number) }
      // It is the next one when what others decode is over. If more of that were begun, it could wait for ever.
      if running > 0 { return nil }
      isShort = true
    }
    // Memory that comes free goes to those who wait.
    guard !isShort else { return nil }
    for number in order {
      // What is decoded ahead takes no memory from others, nor from frames that are needed sooner.
      guard let store = stores[number], store.isAdmitted, !store.isBusy, let index = frameAhead(of: store), fits(number)
      else { continue }
      return begin(index, of: number)
    }
    return nil
  }

  /// What decoding one more frame of a store takes.
  private func bytesToDecode(_ number: Int) -> Int {
    stores[number].map { $0.nextCost + $0.workBytes } ?? 0
  }

  /// Whether one more frame of a store fits its share, after those that nobody is going to ask for are gone.
  private mutating func fits(_ number: Int) -> Bool {
    while !fitsNow(number) { guard dropBehind(number) else { return false } }
    return true
  }

  private func fitsNow(_ number: Int) -> Bool {
    guard let store = stores[number] else { return false }
    return store.held + store.nextCost <= store.share && used + bytesToDecode(number) <= allowance
  }

  private mutating func begin(_ index: Int, of number: Int) -> Job? {
    guard let store = stores[number] else { return nil }
    running += 1
    served = number
    used += store.workBytes
    change(number) { ($0.running, $0.isBusy) = (index, true) }
    for player in store.players { players[player]?.begun.insert(index) }
    var memory = memoryToKeep(store)
    if store.bytes(of: memory) > store.bytes(of: store.kept) {
      // Frames that nobody is going to ask for make room, but none that are needed sooner.
      while dropBehind(number) {}
      let room = max(allowance - used, 0) + store.bytes(of: store.kept)
      if store.checkpointBytes > 0 { memory.checkpoints = min(memory.checkpoints, room / store.checkpointBytes) }
      if store.bytes(of: memory) > room { memory.sparesFrame = false }
      if store.bytes(of: memory) > store.bytes(of: store.kept) { change(number) { $0.kept = memory } }
    }
    return Job(
      store: number, source: store.source, index: index, revision: store.revision, workBytes: store.workBytes,
      kept: memory == store.kept ? nil : memory)
  }

  private func frameAhead(of store: FrameStore) -> Int? {
    for player in store.players.compactMap({ players[$0] }) {
      let ahead = store.keepsAll ? player.wanted.count : store.framesAhead(player.shortestDelay)
      if let index = player.wanted.dropFirst().prefix(ahead).first(where: {
        store.frames[$0] == nil && !player.begun.contains($0) && $0 < store.source.frameCount
      }) {
        return BackwardBlock(store, index, players).first ?? index
      }
    }
    return nil
  }

  /// A decode is over.
  ///
  /// - Parameter lentCanvas: The address of the source's canvas, if it may be that of a frame.
  /// - Returns: Who waits for the frame. The caller tells them, releases the frame, and calls ``delivered(_:)``.
  mutating func finish(
    _ job: Job, _ result: Result<Frame, CoderError>, _ time: Duration, lentCanvas: UInt?
  ) -> [FrameStore.Waiter] {
    used -= job.workBytes
    var waiters: [FrameStore.Waiter] = []
    change(job.store) { store in
      store.running = nil
      store.note(time)
      store.lentCanvas = lentCanvas
      if let memory = job.kept { store.kept = memory }
      // What another transform has made is not what is waited for: it is decoded again.
      guard job.revision == store.revision else { return }
      if case .success(let frame) = result { store.note(frame) }
      waiters = store.waiters.removeValue(forKey: job.index) ?? []
      if case .success(let frame) = result, store.isAdmitted || !waiters.isEmpty { store.frames[job.index] = frame }
    }
    if case .success = result {
      for number in stores[job.store]?.players ?? [] where players[number]?.wanted.first == job.index {
        players[number]?.shown = job.index
      }
    }
    followGrowth(job)
    // What was asked for less memory meanwhile.
    while used > allowance, dropFarthest() {}
    return waiters
  }

  /// A frame that a source has gained comes after the last one that its players are going to ask for.
  private mutating func followGrowth(_ job: Job) {
    guard let store = stores[job.store], !store.isComplete, job.index + 1 < job.source.frameCount else { return }
    for number in store.players where players[number]?.wanted.last == job.index {
      players[number]?.wanted.append(job.index + 1)
    }
  }

  /// The thread that has decoded a frame has released it.
  mutating func delivered(_ job: Job) -> Changes {
    running -= 1
    var isKnownNow = false
    change(job.store) { store in
      store.isBusy = false
      let isCompleteNow = store.noteEnd()
      isKnownNow = store.takeGrowth() || isCompleteNow
    }
    guard let store = stores[job.store], store.players.isEmpty || !store.isAdmitted || isKnownNow else {
      var changes = Changes()
      settle(job.store, &changes)
      return changes
    }
    // It has left meanwhile, or was dismissed, or it is known now what all of its frames need.
    return admit()
  }

  /// If nothing can be decoded and nothing is, canvases go that show no frame any more, and if there are none, those who wait
  /// get their posters.
  mutating func giveUp() -> Changes {
    var changes = Changes()
    guard running == 0, restingCount == 0, stores.values.contains(where: { !$0.waiters.isEmpty }) else {
      return changes
    }
    for (number, store) in stores where store.hasCanvasAlone && !store.isBusy { rest(number, keeping: nil, &changes) }
    guard changes.resting.isEmpty else { return changes }
    for (number, store) in stores where !store.waiters.isEmpty {
      for (index, waiters) in store.waiters {
        for waiter in waiters { changes.answers.append((waiter, starved(store, index))) }
      }
      change(number) { $0.waiters = [:] }
    }
    return changes
  }
}
