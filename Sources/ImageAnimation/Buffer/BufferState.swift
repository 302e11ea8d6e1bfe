// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageMemory

/// What a buffer holds, and who gets how much of it. Every byte is counted here before it is taken from the system.
struct BufferState {
  struct Player {
    let store: Int
    var visibility: FrameBuffer.Reader.Visibility
    let byteLimit: Int?
    /// The frame that it shows, which stays.
    var shown: Int?
    /// The frame that it waits for, and those that it is going to ask for.
    var wanted: [Int] = []
    var shortestDelay = Duration.zero
    /// The frames whose decode has begun since it asked. If memory is so short that one of them is gone already, it is not
    /// decoded again before it is waited for: otherwise the work would not come to an end.
    var begun: Set<Int> = []
    /// Grows by half of ``mostJumping`` with a frame that was not going to be asked for, and shrinks by one with each other one.
    var jumping = 0
    static let mostJumping = 200

    /// Takes note of the frame that is asked for now.
    mutating func noteOrder(_ index: Int) {
      let isJump = !wanted.isEmpty && !wanted.contains(index)
      jumping = isJump ? min(jumping + Self.mostJumping / 2, Self.mostJumping) : max(jumping - 1, 0)
    }
  }

  /// A frame to decode, for which memory is taken.
  struct Job: Sendable {
    let store: Int
    let source: any FrameSource
    let index: Int
    /// Which transform of the source's the frame is made by.
    let revision: Int
    /// What the decode needs besides the frame.
    let workBytes: Int
    /// What the source may keep from now on, or nil for no change.
    let kept: KeptMemory?
  }

  /// What has to be done after a change, without the lock.
  struct Changes: Sendable {
    /// Sources that have to release their canvases.
    var resting: [Resting] = []
    /// Who waits for a frame that is not going to be decoded, and gets the poster.
    var answers: [(waiter: FrameStore.Waiter, frame: SuppliedFrame)] = []
  }

  /// A source that has to release memory between two frames.
  struct Resting: Sendable {
    let store: Int
    let source: any BufferableSource
    /// What it may still keep; nil if its canvas has to go as well.
    let kept: KeptMemory?
  }

  let budget: Int
  let threads: Int
  var allowance: Int
  /// Bytes that are held, or taken for running decodes.
  var used = 0
  private(set) var stores: [Int: FrameStore] = [:]
  var players: [Int: Player] = [:]
  private var storeOfObject: [ObjectIdentifier: Int] = [:]
  /// How many threads decode, or deliver what they have decoded.
  var running = 0
  private var nextNumber = 0
  private var nextTicket = 0
  /// How many sources are releasing memory.
  var restingCount = 0
  /// The store that was served last: the next job is another's.
  var served = 0
  var pressure: PressureTimes

  init(budget: Int, threads: Int, seed: UInt64) {
    self.budget = budget
    self.threads = threads
    allowance = budget
    pressure = PressureTimes(seed: seed)
  }

  /// Changes a store, and counts what it holds.
  mutating func change(_ number: Int, _ body: (inout FrameStore) -> Void) {
    guard var store = stores.removeValue(forKey: number) else { return }
    let before = store.total
    body(&store)
    used += store.total - before
    stores[number] = store
  }

  /// A number for a task that is going to wait.
  mutating func takeTicket() -> Int {
    nextTicket += 1
    return nextTicket
  }

  // MARK: Players

  /// Whether a source has players.
  func knows(_ source: any BufferableSource) -> Bool { source.identity.map { storeOfObject[$0] != nil } ?? false }

  mutating func add(
    _ source: any FrameSource, _ visibility: FrameBuffer.Reader.Visibility, _ byteLimit: Int?
  ) -> Int {
    nextNumber += 1
    let player = nextNumber
    var number = player
    if let identity = (source as? any BufferableSource)?.identity {
      number = storeOfObject[identity] ?? player
      storeOfObject[identity] = number
    }
    if stores[number] == nil {
      let store = FrameStore(source)
      // The poster is there already.
      used += store.total
      stores[number] = store
    }
    change(number) { $0.players.insert(player) }
    players[player] = Player(store: number, visibility: visibility, byteLimit: byteLimit)
    return player
  }

  mutating func remove(_ number: Int) {
    guard let player = players.removeValue(forKey: number) else { return }
    change(player.store) { $0.players.remove(number) }
  }

  // MARK: Admission and shares

  /// Decides who may decode, and divides the memory beyond the floors.
  mutating func admit() -> Changes {
    let order = stores.keys.sorted {
      let (left, right) = (weight(of: $0), weight(of: $1))
      return left != right ? left > right : $0 < $1
    }
    var changes = Changes()
    let plan = plan(order)
    let admitted = plan.full + plan.lean
    for number in order where !admitted.contains(number) { dismiss(number, &changes) }
    for number in plan.full { stores[number]?.isLean = false }
    for number in plan.lean {
      stores[number]?.isLean = true
      if stores[number]?.posterToRelease != 0 { change(number) { $0.releasePoster() } }
    }
    // A canvas is taken when there is memory for it: frames beyond the floors make room.
    for number in admitted where stores[number]?.isAdmitted == false {
      guard makeRoom({ $0.stores[number]?.canvasBytes ?? 0 }) else { continue }
      change(number) { ($0.isAdmitted, $0.holdsCanvas) = (true, true) }
    }
    divide(plan.room, among: admitted)
    for number in order { settle(number, &changes) }
    if changes.resting.isEmpty { while used > allowance, dropFarthest() {} }
    for number in order { dropIfEmpty(number) }
    return changes
  }

  /// Who may decode: everybody with a next frame and the poster if there is memory for that; otherwise everybody with as little as
  /// can be, and then as many as can with more.
  ///
  /// - Returns: Also what is left.
  private func plan(_ order: [Int]) -> (full: [Int], lean: [Int], room: Int) {
    // Who is about to release its canvas has to do that first.
    let playing = order.filter { number in
      stores[number].map { !$0.players.isEmpty && (!$0.holdsCanvas || $0.isAdmitted) } ?? false
    }
    var room = allowance - stores.values.reduce(0) { $0 + $1.posterBytes }
    // Stores that decode share this beside their floors.
    var work = 0
    func take(_ floor: Int, _ needed: Int) -> Bool {
      let more = floor + max(needed - work, 0)
      guard more <= room else { return false }
      (room, work) = (room - more, max(work, needed))
      return true
    }
    let before = room
    let all = playing.prefix { number in
      stores[number].map { take($0.floor(isLean: false), $0.work(isLean: false, threads: threads)) } ?? false
    }
    if all.count == playing.count { return (playing, [], room) }
    (room, work) = (before, 0)
    let moving = playing.filter { number in
      stores[number].map { store in
        take(store.floor(isLean: true) - store.posterToRelease, store.work(isLean: true, threads: threads))
      } ?? false
    }
    let full = moving.filter { number in
      stores[number].map { store in
        take(
          store.floor(isLean: false) - store.floor(isLean: true) + store.posterToRelease,
          store.work(isLean: false, threads: threads))
      } ?? false
    }
    return (full, moving.filter { !full.contains($0) }, room)
  }

  func weight(of number: Int) -> Int {
    stores[number]?.players.reduce(0) { max($0, players[$1]?.visibility.rawValue ?? 0) } ?? 0
  }

  private mutating func divide(_ room: Int, among admitted: [Int]) {
    let claims = admitted.map { number -> FairShares.Claim in
      guard let store = stores[number] else { return FairShares.Claim(floor: 0, want: 0, weight: 0) }
      let limits = store.players.map { players[$0]?.byteLimit ?? .max }
      return FairShares.Claim(
        floor: store.floor(isLean: store.isLean), want: min(store.want, limits.max() ?? .max),
        weight: weight(of: number))
    }
    let total = room + claims.reduce(0) { $0 + $1.floor }
    for (number, share) in zip(admitted, FairShares.divide(total, among: claims)) {
      change(number) { $0.share = share }
    }
  }

  /// Takes the frames of a store that may not decode.
  private mutating func dismiss(_ number: Int, _ changes: inout Changes) {
    guard let store = stores[number] else { return }
    for (index, waiters) in store.waiters where index != store.running {
      for waiter in waiters { changes.answers.append((waiter, starved(store, index))) }
    }
    change(number) { store in
      store.waiters = store.waiters.filter { $0.key == store.running }
      store.share = 0
      (store.isAdmitted, store.isLean) = (false, false)
    }
    for index in store.frames.keys where !isShown(index, number) { drop(index, of: number) }
  }

  /// Makes a source release what it may not hold any more, unless a thread uses it: then it is done afterwards.
  mutating func settle(_ number: Int, _ changes: inout Changes) {
    guard let store = stores[number], !store.isBusy, store.holdsCanvas else { return }
    var memory = memoryToKeep(store)
    memory.checkpoints = min(memory.checkpoints, store.kept.checkpoints)
    memory.sparesFrame = memory.sparesFrame && store.kept.sparesFrame
    let isInTheWay = used > allowance && store.isLean && store.hasCanvasAlone
    guard !store.isAdmitted || memory != store.kept || isInTheWay else { return }
    rest(number, keeping: store.isAdmitted && !isInTheWay ? memory : nil, &changes)
  }

  /// Makes a source that nobody uses release memory.
  ///
  /// - Parameter memory: What it may still keep, or nil if its canvas has to go as well.
  mutating func rest(_ number: Int, keeping memory: KeptMemory?, _ changes: inout Changes) {
    guard let source = stores[number]?.source as? any BufferableSource else {
      return change(number) { $0.holdsCanvas = false }
    }
    change(number) { $0.isBusy = true }
    restingCount += 1
    changes.resting.append(Resting(store: number, source: source, kept: memory))
  }

  /// A source has released memory.
  mutating func rested(_ source: Resting) {
    restingCount -= 1
    change(source.store) { store in
      store.isBusy = false
      store.kept = source.kept ?? KeptMemory()
      guard source.kept == nil else { return }
      store.lentCanvas = nil
      if !store.isAdmitted { store.holdsCanvas = false }
    }
    dropIfEmpty(source.store)
  }

  private mutating func dropIfEmpty(_ number: Int) {
    guard let store = stores[number], store.players.isEmpty, !store.isBusy, !store.holdsCanvas else { return }
    used -= store.total
    (store.source as? any BufferableSource)?.keepPoster(true)
    stores[number] = nil
    storeOfObject = storeOfObject.filter { $0.value != number }
  }

  /// What a source may keep beyond its floor: the memory of one frame, and if it goes backwards or jumps as many canvases as there
  /// is memory for beyond two frames ahead.
  func memoryToKeep(_ store: FrameStore) -> KeptMemory {
    let room = store.share - store.floor(isLean: false)
    guard store.isAdmitted, !store.keepsAll, room >= 2 * store.cost else { return KeptMemory() }
    var memory = KeptMemory(sparesFrame: store.reusesMemory && room >= 3 * store.cost)
    let jumps = store.players.contains { players[$0].map { $0.jumping > Player.mostJumping / 2 } ?? false }
    guard store.checkpointBytes > 0, jumps || goesBackwards(store) else { return memory }
    memory.sparesFrame = false
    memory.checkpoints = min((room - 2 * store.cost) / store.checkpointBytes, store.source.frameCount)
    return memory
  }

  private func goesBackwards(_ store: FrameStore) -> Bool {
    store.players.compactMap { players[$0]?.wanted.prefix(8) }.contains { wanted in
      zip(wanted, wanted.dropFirst()).contains { $1 < $0 && !store.source.isKeyFrame(at: $1) }
    }
  }
}
