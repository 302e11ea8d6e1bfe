// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// What a buffer holds, and who gets how much of it. Every byte is counted here before it is taken from the system.
struct BufferState {
  struct Player {
    let store: Int
    var visibility: FrameSupply.Visibility
    let byteLimit: Int?
    /// The frame that it shows, which stays.
    var shown: Int?
    /// The frame that it waits for, and those that it is going to ask for.
    var wanted: [Int] = []
    var shortestDelay = Duration.zero
  }

  /// A frame to decode, for which memory is taken.
  struct Job: Sendable {
    let store: Int
    let source: any FrameSource
    let index: Int
    let bytes: Int
  }

  /// What has to be done after a change, without the lock.
  struct Changes: Sendable {
    /// Sources that have to let go of their canvases.
    var resting: [Resting] = []
    /// Who waits for a frame that is not going to be decoded, and gets the poster.
    var answers: [(waiter: FrameStore.Waiter, frame: SuppliedFrame)] = []
  }

  /// A source that has to let go of its canvas.
  struct Resting: Sendable {
    let store: Int
    let source: any BufferableSource
    let bytes: Int
  }

  let budget: Int
  let threads: Int
  var allowance: Int
  /// Bytes that are held, or taken for running decodes.
  private(set) var used = 0
  var stores: [Int: FrameStore] = [:]
  var players: [Int: Player] = [:]
  private var storeOfObject: [ObjectIdentifier: Int] = [:]
  private var running = 0
  private var nextNumber = 0
  /// Canvases that are being let go of, by their stores.
  private var resting: Set<Int> = []
  /// The store that was served last: the next job is another's.
  private var served = 0
  var pressure: PressureTimes

  init(budget: Int, threads: Int, seed: UInt64) {
    self.budget = budget
    self.threads = threads
    allowance = budget
    pressure = PressureTimes(seed: seed)
  }

  // MARK: Players

  /// Whether a source has players.
  func knows(_ image: AnimatedImage) -> Bool { storeOfObject[ObjectIdentifier(image)] != nil }

  mutating func add(
    _ source: any FrameSource, _ visibility: FrameSupply.Visibility, _ byteLimit: Int?
  ) -> Int {
    nextNumber += 1
    let player = nextNumber
    var number = player
    if let image = source as? AnimatedImage {
      number = storeOfObject[ObjectIdentifier(image)] ?? player
      storeOfObject[ObjectIdentifier(image)] = number
    }
    if stores[number] == nil {
      let store = FrameStore(source)
      // The poster is there already.
      used += store.posterBytes
      stores[number] = store
    }
    stores[number]?.players.insert(player)
    players[player] = Player(store: number, visibility: visibility, byteLimit: byteLimit)
    return player
  }

  mutating func remove(_ number: Int) {
    guard let player = players.removeValue(forKey: number) else { return }
    stores[player.store]?.players.remove(number)
  }

  // MARK: Admission and shares

  /// Decides who may decode, and divides the memory beyond the floors.
  mutating func admit() -> Changes {
    let order = stores.keys.sorted {
      let (left, right) = (weight(of: $0), weight(of: $1))
      return left != right ? left > right : $0 < $1
    }
    // Whoever runs needs this beside its floor, on each thread.
    var (room, work) = (allowance - stores.values.reduce(0) { $0 + $1.posterBytes }, 0)
    var (admitted, changes): ([Int], Changes) = ([], Changes())
    for number in order {
      guard let store = stores[number] else { continue }
      let more = max(work, threads * store.workBytes)
      if !store.players.isEmpty, !resting.contains(number), store.floor + more - work <= room {
        room -= store.floor + more - work
        work = more
        admitted.append(number)
      } else {
        dismiss(number, &changes)
      }
    }
    // A canvas is taken when there is memory for it: frames beyond the floors make room.
    for number in admitted where stores[number]?.isAdmitted == false {
      let bytes = stores[number]?.canvasBytes ?? 0
      guard makeRoom(bytes) else { continue }
      used += bytes
      stores[number]?.isAdmitted = true
    }
    while used > allowance, dropFarthest() {}
    divide(room, among: admitted)
    for number in order { dropIfEmpty(number) }
    return changes
  }

  private func weight(of number: Int) -> Int {
    stores[number]?.players.reduce(0) { max($0, players[$1]?.visibility.rawValue ?? 0) } ?? 0
  }

  private mutating func divide(_ room: Int, among admitted: [Int]) {
    let claims = admitted.map { number -> FairShares.Claim in
      guard let store = stores[number] else { return FairShares.Claim(floor: 0, want: 0, weight: 0) }
      let limits = store.players.map { players[$0]?.byteLimit ?? .max }
      return FairShares.Claim(
        floor: store.floor, want: min(store.want, limits.max() ?? .max), weight: weight(of: number))
    }
    let total = room + claims.reduce(0) { $0 + $1.floor }
    for (number, share) in zip(admitted, FairShares.divide(total, among: claims)) { stores[number]?.share = share }
  }

  /// Takes the frames of a store that may not decode, and has its canvas let go of.
  private mutating func dismiss(_ number: Int, _ changes: inout Changes) {
    guard var store = stores[number] else { return }
    for (index, waiters) in store.waiters where index != store.running {
      for waiter in waiters { changes.answers.append((waiter, starved(store, index))) }
      store.waiters[index] = nil
    }
    store.share = 0
    let wasAdmitted = store.isAdmitted
    store.isAdmitted = false
    stores[number] = store
    for index in store.frames.keys where !isShown(index, number) { drop(index, of: number) }
    guard wasAdmitted else { return }
    if store.canvasBytes > 0, let source = store.source as? any BufferableSource {
      resting.insert(number)
      changes.resting.append(Resting(store: number, source: source, bytes: store.canvasBytes))
    } else {
      used -= store.canvasBytes
    }
  }

  /// A canvas is free.
  mutating func rested(_ source: Resting) {
    used -= source.bytes
    resting.remove(source.store)
    dropIfEmpty(source.store)
  }

  /// Whether a source has no players any more.
  func isAbandoned(_ number: Int) -> Bool { stores[number]?.players.isEmpty ?? false }

  private mutating func dropIfEmpty(_ number: Int) {
    guard let store = stores[number], store.players.isEmpty, store.running == nil, !resting.contains(number),
      !store.isAdmitted
    else { return }
    used -= store.posterBytes + store.frames.count * store.cost
    stores[number] = nil
    storeOfObject = storeOfObject.filter { $0.value != number }
  }

  // MARK: Requests

  /// - Returns: The frame if it is there, or the poster if there is no memory; nil when the waiter is going to be told.
  mutating func request(
    _ index: Int, _ number: Int, _ upcoming: [Int], _ shortestDelay: Duration, _ waiter: FrameStore.Waiter
  ) -> SuppliedFrame? {
    guard var player = players[number], let store = stores[player.store] else {
      return SuppliedFrame(result: .failure(.cancelled), isStarved: false)
    }
    player.wanted = [index] + upcoming
    player.shortestDelay = shortestDelay
    let frame = store.frames[index]
    // The one before may go from now on.
    if frame != nil { player.shown = index }
    players[number] = player
    if let frame { return SuppliedFrame(result: .success(frame), isStarved: false) }
    guard store.isAdmitted else {
      players[number]?.shown = nil
      for index in store.frames.keys where !isShown(index, player.store) { drop(index, of: player.store) }
      return starved(store, index)
    }
    stores[player.store]?.waiters[index, default: []].append(waiter)
    return nil
  }

  private func starved(_ store: FrameStore, _ index: Int) -> SuppliedFrame {
    guard let poster = (store.source as? any BufferableSource)?.poster else {
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
    // In turn, beginning behind the one that was served last; first the frames that somebody waits for.
    let order = numbers.filter { $0 > served } + numbers.filter { $0 <= served }
    for isWaitedFor in [true, false] {
      for number in order {
        guard let store = stores[number], store.isAdmitted, store.running == nil,
          let index = nextFrame(of: store, waitedFor: isWaitedFor)
        else { continue }
        let bytes = store.cost + store.workBytes
        if !isWaitedFor {
          // What is decoded ahead takes no memory from others, nor from frames that are needed sooner.
          while store.held + store.cost > store.share || used + bytes > allowance {
            guard dropBehind(number) else { break }
          }
          guard let now = stores[number], now.held + now.cost <= now.share, used + bytes <= allowance else { continue }
        } else {
          // A block that is shown backwards takes no memory from others; the frame alone may.
          let isBlock = store.waiters[index] == nil
          let fits = store.held + store.cost <= store.share && used + bytes <= allowance
          guard isBlock ? fits : makeRoom(bytes) else {
            guard isBlock, let alone = store.waiters.keys.min(), makeRoom(bytes) else { continue }
            return begin(alone, of: number, bytes)
          }
        }
        return begin(index, of: number, bytes)
      }
    }
    return nil
  }

  private mutating func begin(_ index: Int, of number: Int, _ bytes: Int) -> Job? {
    guard let source = stores[number]?.source else { return nil }
    used += bytes
    running += 1
    served = number
    stores[number]?.running = index
    return Job(store: number, source: source, index: index, bytes: bytes)
  }

  /// If nothing can be decoded and nothing is, those who wait get their posters.
  mutating func giveUp() -> Changes {
    var changes = Changes()
    guard running == 0, resting.isEmpty else { return changes }
    for (number, store) in stores {
      for (index, waiters) in store.waiters {
        for waiter in waiters { changes.answers.append((waiter, starved(store, index))) }
      }
      stores[number]?.waiters = [:]
    }
    return changes
  }

  private func nextFrame(of store: FrameStore, waitedFor: Bool) -> Int? {
    if waitedFor {
      guard let index = store.waiters.keys.min() else { return nil }
      return BackwardBlock(store, index, players).first ?? index
    }
    for player in store.players.compactMap({ players[$0] }) {
      let keepsAll = store.want <= store.share / 5 * 4
      let ahead = keepsAll ? player.wanted.count : store.framesAhead(player.shortestDelay)
      if let index = player.wanted.dropFirst().prefix(ahead).first(where: {
        store.frames[$0] == nil && $0 < store.source.frameCount
      }) {
        return BackwardBlock(store, index, players).first ?? index
      }
    }
    return nil
  }

  /// A decode is over.
  ///
  /// - Returns: Who waits for the frame.
  mutating func finish(_ job: Job, _ result: Result<Frame, CoderError>, _ time: Duration) -> [FrameStore.Waiter] {
    running -= 1
    used -= job.bytes
    guard var store = stores[job.store] else { return [] }
    store.running = nil
    store.note(time)
    let waiters = store.waiters.removeValue(forKey: job.index) ?? []
    if case .success(let frame) = result, store.isAdmitted || !waiters.isEmpty {
      store.frames[job.index] = frame
      used += store.cost
      for number in store.players where players[number]?.wanted.first == job.index {
        players[number]?.shown = job.index
      }
    }
    stores[job.store] = store
    // What was asked for less memory meanwhile.
    while used > allowance, dropFarthest() {}
    return waiters
  }

  // MARK: Eviction

  private func isShown(_ index: Int, _ number: Int) -> Bool {
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

  /// Lets go of the frame of all that is needed last.
  private mutating func dropFarthest() -> Bool {
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

  /// Lets go of a frame of a store that nobody is going to ask for.
  private mutating func dropBehind(_ number: Int) -> Bool {
    guard let store = stores[number],
      let index = store.frames.keys.first(where: { distance($0, number) == .max })
    else { return false }
    drop(index, of: number)
    return true
  }

  private mutating func drop(_ index: Int, of number: Int) {
    stores[number]?.frames[index] = nil
    used -= stores[number]?.cost ?? 0
  }

  /// Lets go of frames until there is room for so many bytes.
  private mutating func makeRoom(_ bytes: Int) -> Bool {
    while used + bytes > allowance { guard dropFarthest() else { return false } }
    return true
  }

  // MARK: Pressure

  /// Everything that players need in any case.
  private var floors: Int {
    let work = stores.values.reduce(0) { $1.isAdmitted ? max($0, threads * $1.workBytes) : $0 }
    return stores.values.reduce(work) { $0 + $1.posterBytes + ($1.isAdmitted ? $1.floor : 0) }
  }

  mutating func shrink(at time: Duration) -> Changes {
    guard pressure.note(at: time) else { return Changes() }
    allowance = min(allowance, max(floors, used / 2))
    while used > allowance, dropFarthest() {}
    return admit()
  }

  mutating func grow(at time: Duration) -> Changes {
    guard allowance < budget, pressure.mayGrow(at: time) else { return Changes() }
    allowance = min(budget, allowance + max(budget / 4, 1))
    return admit()
  }
}
