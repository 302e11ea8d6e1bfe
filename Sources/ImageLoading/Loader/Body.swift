// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc
  import ImageCaching
  import ImageCoderEngine
  import ImageCoderModel

  /// The bytes of a file while they arrive, and afterwards.
  ///
  /// One task appends; any number of others read, each from where it is. Bytes are in memory as long as ``BodyMemory`` has
  /// room for them, then in a file without a name.
  final class Body: Sendable {
    private enum Storage {
      case memory(Block)
      case file(SpillFile)
    }

    private enum Phase {
      case arriving, complete
      /// No more bytes come, and those that are there are not the whole.
      case broken(LoadingError)
    }

    private struct State {
      var storage: Storage
      var count = 0
      var phase = Phase.arriving
      var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
      var nextWaiter = 0

      mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
      }
    }

    private let state: Lock<State>
    private let memory: BodyMemory
    private let folder: String

    init(_ memory: BodyMemory, folder: String) {
      self.memory = memory
      self.folder = folder
      state = Lock(State(storage: .memory(Block(memory))))
    }

    /// Bytes that are there.
    var count: Int { state.withLock { $0.count } }

    /// Whether the bytes are in a file.
    var isSpilled: Bool {
      state.withLock { if case .file = $0.storage { true } else { false } }
    }

    // MARK: One task appends

    /// Adds the next bytes.
    ///
    /// - Throws: ``LoadingError/Code/io`` when they can neither be kept in memory nor in a file.
    func append(_ bytes: [UInt8]) throws(LoadingError) {
      let result = state.withLock { state -> Result<[CheckedContinuation<Void, Never>], LoadingError> in
        Result { () throws(LoadingError) in
          let end = state.count + bytes.count
          if case .memory(let block) = state.storage, !block.reserve(end, used: state.count) {
            let file = try SpillFile(in: folder)
            try file.write(block.bytes(0..<state.count), at: 0)
            state.storage = .file(file)
            memory.noteSpill()
          }
          try Self.write(bytes, at: state.count, to: state.storage)
          state.count = end
          return state.takeWaiters()
        }
      }
      for waiter in try result.get() { waiter.resume() }
    }

    private static func write(_ bytes: [UInt8], at offset: Int, to storage: Storage) throws(LoadingError) {
      let result = bytes.withUnsafeBytes { bytes -> Result<Void, LoadingError> in
        switch storage {
        case .memory(let block):
          block.write(bytes, at: offset)
          return .success(())
        case .file(let file): return Result { () throws(LoadingError) in try file.write(bytes, at: offset) }
        }
      }
      try result.get()
    }

    /// Ends the body: all bytes are there, or an error says why not.
    func finish(_ error: LoadingError? = nil) {
      let waiters = state.withLock { state in
        if case .arriving = state.phase { state.phase = error.map { .broken($0) } ?? .complete }
        return state.takeWaiters()
      }
      for waiter in waiters { waiter.resume() }
    }

    /// Lets a broken body that was kept go on.
    func resume() {
      state.withLock { if case .broken = $0.phase { $0.phase = .arriving } }
    }

    // MARK: Others read

    /// The first bytes, at most `most`.
    func prefix(_ most: Int) -> [UInt8] {
      (try? copy(0..<min(most, count))) ?? []
    }

    private func copy(_ range: Range<Int>) throws(LoadingError) -> [UInt8] {
      let (result, file) = state.withLock { state -> ([UInt8], SpillFile?) in
        switch state.storage {
        case .memory(let block): (Array(block.bytes(range)), nil)
        case .file(let file): ([], file)
        }
      }
      guard let file else { return result }
      return try file.read(range)
    }

    /// All bytes.
    func allBytes() throws(LoadingError) -> [UInt8] { try copy(0..<count) }

    /// What names these bytes: the same bytes have the same version, however often they come. Only for a body that is
    /// complete.
    func version() throws(LoadingError) -> ContentVersion {
      var (digest, offset) = (UInt64(0), 0)
      let count = count
      while offset < count {
        let part = try copy(offset..<min(count, offset + 256 << 10))
        digest = Checksum.of(part, seed: digest)
        offset += part.count
      }
      return ContentVersion("\(count) " + String(digest, radix: 16))
    }

    /// The whole file for a decoder, without a copy. Only for a body that is complete.
    func source() throws(LoadingError) -> ByteSource {
      let (block, file, count) = state.withLock { state -> (Block?, SpillFile?, Int) in
        switch state.storage {
        case .memory(let block): (block, nil, state.count)
        case .file(let file): (nil, file, state.count)
        }
      }
      if let block { return .unowned(block.bytes(0..<count), owner: block) }
      guard let file else { throw LoadingError(.io, "a body without storage") }
      do throws(CoderError) { return try .file(descriptor: file.descriptor, name: "bytes") } catch {
        throw LoadingError(.io, error.message, cause: error)
      }
    }

    /// Waits until there are more bytes than `offset`, and copies them, at most so many.
    ///
    /// - Returns: The bytes, or nil after the last one.
    /// - Throws: What the body is broken for; ``LoadingError/Code/cancelled`` when the task is cancelled.
    func next(from offset: Int, most: Int) async throws(LoadingError) -> [UInt8]? {
      while true {
        if Task.isCancelled { throw .cancelled }
        let (available, phase) = state.withLock { ($0.count, $0.phase) }
        if available > offset { return try copy(offset..<min(available, offset + most)) }
        switch phase {
        case .complete: return nil
        case .broken(let error): throw error
        case .arriving: await growth(beyond: offset)
        }
      }
    }

    private func growth(beyond offset: Int) async {
      let number = state.withLock { state in
        state.nextWaiter += 1
        return state.nextWaiter
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let waits = state.withLock { state in
            guard state.count <= offset, case .arriving = state.phase, !Task.isCancelled else { return false }
            state.waiters[number] = waiter
            return true
          }
          if !waits { waiter.resume() }
        }
      } onCancel: {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
      }
    }

    /// The bytes as they come, in pieces.
    var chunks: Chunks { Chunks(body: self) }

    /// The bytes of a body as they come.
    struct Chunks: AsyncSequence, Sendable {
      let body: Body

      func makeAsyncIterator() -> Iterator { Iterator(body: body) }

      struct Iterator: AsyncIteratorProtocol {
        let body: Body
        private var offset = 0

        init(body: Body) { self.body = body }

        mutating func next() async throws -> [UInt8]? {
          let bytes = try await body.next(from: offset, most: 256 << 10)
          offset += bytes?.count ?? 0
          return bytes
        }
      }
    }
  }

  /// Memory that grows, taken from the memory for bodies.
  private final class Block: @unchecked Sendable {
    // Unchecked: the lock of the body guards it; after that is complete it is only read.
    private let memory: BodyMemory
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0

    init(_ memory: BodyMemory) { self.memory = memory }

    deinit {
      free(base)
      memory.give(capacity)
    }

    /// Makes room for so many bytes; half as much again each time, so that it is copied seldom.
    ///
    /// - Returns: False if there is no memory for them.
    func reserve(_ count: Int, used: Int) -> Bool {
      guard count > capacity else { return true }
      for wanted in [max(count, capacity + capacity / 2, 4 << 10), count] {
        guard memory.take(wanted - capacity) else { continue }
        guard let larger = realloc(base, wanted) else {
          memory.give(wanted - capacity)
          continue
        }
        base = larger
        capacity = wanted
        return true
      }
      return false
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
      guard let base, let start = bytes.baseAddress else { return }
      (base + offset).copyMemory(from: start, byteCount: bytes.count)
    }

    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: base.map { $0 + range.lowerBound }, count: base == nil ? 0 : range.count)
    }
  }
#endif
