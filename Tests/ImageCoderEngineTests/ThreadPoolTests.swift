// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import Glibc
import ImageCoderEngine
import ImageCoderModel
import Synchronization
import TestSupport
import Testing

@Suite struct ThreadPoolTests {
  @Test(arguments: [0, 1, 2, 100]) func aLoopCallsEachIndexOnce(_ count: Int) {
    let calls = Mutex([Int](repeating: 0, count: count))
    ThreadPool.shared.run(count, jobs: 4) { index in calls.withLock { $0[index] += 1 } }
    #expect(calls.withLock { $0 } == [Int](repeating: 1, count: count))
  }

  /// Two indexes wait for each other, which one thread could not do.
  @Test func aLoopRunsOnSeveralThreads() {
    let (first, second) = (Semaphore(), Semaphore())
    ThreadPool.shared.run(2, jobs: 2) { index in
      (index == 0 ? first : second).signal()
      (index == 0 ? second : first).wait()
    }
  }

  @Test func aLoopInsideALoopEnds() {
    let sum = Atomic<Int>(0)
    ThreadPool.shared.run(8, jobs: 8) { _ in
      ThreadPool.shared.run(8, jobs: 8) { _ in sum.add(1, ordering: .relaxed) }
    }
    #expect(sum.load(ordering: .relaxed) == 64)
  }

  /// Loops of the library share the processors: the second one gets no further thread.
  @Test func loopsWithoutANumberOfThreadsShareTheProcessors() throws {
    let threads = Mutex(Set<UInt>())
    let (inside, outside, done) = (Semaphore(), Semaphore(), Semaphore())
    let processors = ThreadPool.processors
    try ThreadPool.shared.start(for: "a test") {
      ThreadPool.shared.run(processors, jobs: processors) { _ in
        inside.signal()
        outside.wait()
      }
      done.signal()
    }
    for _ in 0..<processors { inside.wait() }
    ThreadPool.shared.run(100) { _ in threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
    #expect(threads.withLock { $0.count } == 1)
    for _ in 0..<processors { outside.signal() }
    done.wait()
  }

  /// A loop whose last piece is long leaves the processors of its other threads to loops inside that piece.
  @Test func aThreadThatHasHelpedFreesItsProcessor() async {
    // The pool is that of the process.
    await #expect(processExitsWith: .success) {
      let caller = UInt(pthread_self())
      let begun = Semaphore()
      let left = Mutex<Int?>(nil)
      ThreadPool.shared.run(2, jobs: 2) { _ in
        guard UInt(pthread_self()) == caller else { return begun.wait() }
        begun.signal()
        for _ in 0..<5000 where ThreadPool.shared.helperCount > 0 { usleep(1000) }
        left.withLock { $0 = ThreadPool.shared.helperCount }
      }
      #expect(left.withLock { $0 } == 0)
    }
  }

  private final class Held: Sendable {
    private let noteFreed: @Sendable () -> Void

    init(noteFreed: @escaping @Sendable () -> Void) { self.noteFreed = noteFreed }

    deinit { noteFreed() }
  }

  /// The first work of a thread, and what it is given while it waits for more.
  @Test func aThreadThatWaitsHoldsNothingOfItsWork() async {
    // The pool is that of the process.
    await #expect(processExitsWith: .success) {
      let freed = Semaphore()
      for _ in 0..<3 {
        try ThreadPool.shared.start(for: "a test") { [held = Held { freed.signal() }] in withExtendedLifetime(held) {} }
        #expect((0..<20).contains { _ in freed.wait(atMost: 500_000_000) })
      }
    }
  }

  /// The names of files that a thread works on, as the work of another thread sees them.
  private static func namesElsewhere() throws(CoderError) -> [String?] {
    let names = Mutex<[String?]>([])
    let done = Semaphore()
    try ThreadPool.shared.start(for: "a test") {
      let work = chostsystem_this_work().pointee
      names.withLock { $0 = [work.input, work.output].map { $0.map { String(cString: $0) } } }
      done.signal()
    }
    done.wait()
    return names.withLock { $0 }
  }

  /// A thread is made once, and waits for the next work: what it keeps for itself is still there.
  @Test func threadsAreKept() async {
    await #expect(processExitsWith: .success) {
      var key = pthread_key_t()
      precondition(pthread_key_create(&key, nil) == 0)
      let own = key
      let known = Mutex(0)
      let done = Semaphore()
      for _ in 0..<5 {
        try? ThreadPool.shared.start(for: "a test") {
          if pthread_getspecific(own) != nil { known.withLock { $0 += 1 } }
          pthread_setspecific(own, UnsafeRawPointer(bitPattern: 1))
          done.signal()
        }
        done.wait()
        // It lines up for more work as soon as it has said that it is done.
        usleep(100_000)
      }
      precondition(known.withLock { $0 } == 4, "\(known.withLock { $0 })")
      exit(0)
    }
  }

  @Test func workTakesTheNamesOfFilesOver() throws {
    let (input, output) = (StaticName("in"), StaticName("out"))
    chostsystem_set_files(input.text, output.text)
    let inside = Result { () throws(CoderError) in try Self.namesElsewhere() }
    chostsystem_set_files(nil, nil)
    #expect(try inside.get() == ["in", "out"])
    // Most likely on the same thread.
    for _ in 0..<10 { #expect(try Self.namesElsewhere() == [nil, nil]) }
  }

  /// A name that lives as long as the process.
  private struct StaticName {
    let text: UnsafePointer<CChar>?

    init(_ text: String) { self.text = strdup(text).map { UnsafePointer($0) } }
  }

  @Test func aSemaphoreGivesUpAfterItsTime() {
    let semaphore = Semaphore()
    #expect(!semaphore.wait(atMost: 1_000_000))
    semaphore.signal()
    #expect(semaphore.wait(atMost: 1_000_000))
  }
}
