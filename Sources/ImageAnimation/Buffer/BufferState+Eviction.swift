// SPDX-License-Identifier: Apache-2.0

/// What goes when memory is needed.
extension BufferState {
  func isShown(_ index: Int, _ number: Int) -> Bool {
    stores[number]?.players.contains { players[$0]?.shown == index } ?? false
  }

  /// How far away a frame is: 0 for one that is shown, more for those that are needed later, most for those of nobody.
  private func distance(_ index: Int, _ number: Int) -> Int {
    guard let store = stores[number], !isShown(index, number) else { return 0 }
    var nearest = Int.max
    for player in store.players.compactMap({ players[$0] }) {
      if let place = player.wanted.firstIndex(of: index) { nearest = min(nearest, place + 1) }
    }
    // Of those who are not seen, what is ahead goes first.
    return nearest == .max ? .max : weight(of: number) == 0 ? nearest + 1_000_000 : nearest
  }

  /// Releases the frame of all that is needed last.
  mutating func dropFarthest() -> Bool {
    var farthest: (distance: Int, store: Int, index: Int) = (0, 0, 0)
    for (number, store) in stores {
      for index in store.frames.keys {
        let distance = distance(index, number)
        if distance > farthest.distance { farthest = (distance, number, index) }
      }
    }
    guard farthest.distance > 0 else { return false }
    drop(farthest.index, of: farthest.store)
    return true
  }

  /// Releases a frame of a store that nobody is going to ask for.
  mutating func dropBehind(_ number: Int) -> Bool {
    guard let store = stores[number],
      let index = store.frames.keys.first(where: { distance($0, number) == .max })
    else { return false }
    drop(index, of: number)
    return true
  }

  /// Releases what a player was going to ask for.
  mutating func releaseAhead(of player: Int) {
    guard let number = players[player]?.store else { return }
    players[player]?.wanted = []
    while dropBehind(number) {}
  }

  /// Releases the frames that another transform has made, and takes what the new one needs, or what is known of a source whose
  /// first frame has arrived.
  mutating func followSource(of player: Int) -> Changes {
    guard let number = players[player]?.store, stores[number]?.isOutdated == true else { return Changes() }
    change(number) { $0.followSource() }
    return admit()
  }

  mutating func drop(_ index: Int, of number: Int) { change(number) { $0.frames[index] = nil } }

  /// Releases frames until there is room.
  ///
  /// - Parameter bytes: What is needed. It is asked again after each frame that goes: if that was on the canvas, the canvas
  ///   stays, and the next frame is drawn there.
  mutating func makeRoom(_ bytes: (BufferState) -> Int) -> Bool {
    while used + bytes(self) > allowance { guard dropFarthest() else { return false } }
    return true
  }

  // MARK: Pressure

  /// Everything that players need in any case.
  private var floors: Int {
    let admitted = stores.values.filter(\.isAdmitted)
    let work = admitted.map { $0.work(isLean: true, threads: threads) }.max() ?? 0
    let posters = stores.values.reduce(0) { $0 + $1.posterBytes - ($1.isAdmitted ? $1.posterToRelease : 0) }
    return admitted.reduce(work + posters) { $0 + $1.floor(isLean: true) }
  }

  /// What all players ask for: their floors in any case, and as much as they can use.
  func request(weight ofFrames: Int) -> MemoryRequest {
    var (floor, want, leastWork, work) = (0, 0, 0, 0)
    for (number, store) in stores {
      want += store.posterBytes
      guard !store.players.isEmpty else {
        floor += store.posterBytes
        continue
      }
      leastWork = max(leastWork, store.work(isLean: true, threads: threads))
      work = max(work, store.work(isLean: false, threads: threads))
      floor += store.floor(isLean: true) + store.posterBytes - store.posterToRelease
      let limit = store.players.map { players[$0]?.byteLimit ?? .max }.max() ?? .max
      let usual = store.floor(isLean: false)
      let more = weight(of: number) > 0 ? max(usual, min(store.want, limit)) : usual
      // More than there is need not be told apart.
      want = min(want + min(more, budget), budget)
    }
    return MemoryRequest(floor: floor + leastWork, want: max(want + work, floor + leastWork), weight: ofFrames)
  }

  mutating func setAllowance(_ bytes: Int) -> Changes {
    allowance = min(max(bytes, 0), budget)
    return admit()
  }

  mutating func shrink(at time: Duration) -> Changes {
    guard pressure.note(at: time) else { return Changes() }
    allowance = min(allowance, max(floors, used / 2))
    return admit()
  }

  mutating func grow(at time: Duration) -> Changes {
    guard allowance < budget, pressure.mayGrow(at: time) else { return Changes() }
    allowance = min(budget, allowance + max(budget / 4, 1))
    return admit()
  }
}
