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
    let before = store.held
    body(&store)
    used += store.held - before
    stores[number] = store
  }

  /// A number for a task that is going to wait.
  mutating func takeTicket() -> Int {
    nextTicket += 1
    return nextTicket
  }

  // MARK: Players

  /// Whether a source has players.
  func knows(_ image: AnimatedImage) -> Bool { storeOfObject[ObjectIdentifier(image)] != nil }

  mutating func add(
    _ source: any FrameSource, _ visibility: FrameBuffer.Reader.Visibility, _ byteLimit: Int?
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
    // A source that runs needs this beside its floor, on each thread.
    var (room, work) = (allowance - stores.values.reduce(0) { $0 + $1.posterBytes }, 0)
    var (admitted, changes): ([Int], Changes) = ([], Changes())
    for number in order {
      guard let store = stores[number] else { continue }
      let more = max(work, threads * store.workBytes)
      // Who is about to release its canvas has to do that first.
      let isLeaving = store.holdsCanvas && !store.isAdmitted
      if !store.players.isEmpty, !isLeaving, store.floor + more - work <= room {
        room -= store.floor + more - work
        work = more
        admitted.append(number)
      } else {
        dismiss(number, &changes)
      }
    }
    // A canvas is taken when there is memory for it: frames beyond the floors make room.
    for number in admitted where stores[number]?.isAdmitted == false {
      guard makeRoom({ $0.stores[number]?.canvasBytes ?? 0 }) else { continue }
      change(number) { ($0.isAdmitted, $0.holdsCanvas) = (true, true) }
    }
    divide(room, among: admitted)
    for number in order { settle(number, &changes) }
    if changes.resting.isEmpty { while used > allowance, dropFarthest() {} }
    for number in order { dropIfEmpty(number) }
    return changes
  }

  func weight(of number: Int) -> Int {
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
      store.isAdmitted = false
    }
    for index in store.frames.keys where !isShown(index, number) { drop(index, of: number) }
  }

  /// Makes a source release what it may not hold any more, unless a thread uses it: then it is done afterwards.
  mutating func settle(_ number: Int, _ changes: inout Changes) {
    guard let store = stores[number], !store.isBusy, store.holdsCanvas else { return }
    var memory = memoryToKeep(store)
    memory.checkpoints = min(memory.checkpoints, store.kept.checkpoints)
    memory.sparesFrame = memory.sparesFrame && store.kept.sparesFrame
    guard !store.isAdmitted || memory != store.kept else { return }
    guard let source = store.source as? any BufferableSource else {
      return change(number) { $0.holdsCanvas = false }
    }
    change(number) { $0.isBusy = true }
    restingCount += 1
    changes.resting.append(Resting(store: number, source: source, kept: store.isAdmitted ? memory : nil))
  }

  /// A source has released memory.
  mutating func rested(_ source: Resting) {
    restingCount -= 1
    change(source.store) { store in
      store.isBusy = false
      store.kept = source.kept ?? KeptMemory()
      if source.kept == nil { (store.holdsCanvas, store.lentCanvas) = (false, nil) }
    }
    dropIfEmpty(source.store)
  }

  private mutating func dropIfEmpty(_ number: Int) {
    guard let store = stores[number], store.players.isEmpty, !store.isBusy, !store.holdsCanvas else { return }
    used -= store.posterBytes + store.held
    stores[number] = nil
    storeOfObject = storeOfObject.filter { $0.value != number }
  }

  /// What a source may keep beyond its floor: the memory of one frame, and if it goes backwards as many canvases as there is
  /// memory for beyond two frames ahead.
  func memoryToKeep(_ store: FrameStore) -> KeptMemory {
    let room = store.share - store.floor
    guard store.isAdmitted, !store.keepsAll, room >= 2 * store.cost else { return KeptMemory() }
    var memory = KeptMemory(sparesFrame: store.reusesMemory && room >= 3 * store.cost)
    guard store.checkpointBytes > 0, goesBackwards(store) else { return memory }
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
