// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// Something that happened in a loader. Loads are numbered from 1, and so are the pieces of work that they share.
  public enum LoadEvent: Sendable {
    /// Kinds of work that loads share.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
      /// Bytes from a server or from the disk.
      case bytes
      /// Pixels from bytes.
      case decode
      /// One operation of a pipeline.
      case process
    }

    /// What a cache had.
    public enum Lookup: String, Sendable, Hashable, CaseIterable {
      /// What was asked for, and fresh.
      case hit
      /// What was asked for, to be validated.
      case stale
      /// Nothing.
      case miss
    }

    /// What a piece of work has done.
    public struct Work: Sendable, Hashable {
      /// Bytes that came from a server.
      public var bytesReceived = 0
      /// Bytes that were not sent again.
      public var bytesSaved = 0
      /// Whether pixels were decoded, and not found.
      public var decoded = false
    }

    /// A load has been asked for. This event is sent on the thread and in the task that asked.
    case began(load: Int, name: String)
    /// The memory cache, or for the second the disk cache, has been asked for what a load needs.
    case lookedInMemory(load: Int, Lookup)
    case lookedOnDisk(load: Int, Lookup)
    /// A request is sent to a server. With `validates` it asks whether what is stored is still right; with `resumesAt` above
    /// 0 it continues a broken download.
    case requested(load: Int, validates: Bool, resumesAt: Int)
    /// A piece of work has been begun for a load.
    case workBegan(LoadEvent.Stage, work: Int, load: Int)
    /// A load waits for a piece of work, its own or that of another load.
    case joined(work: Int, load: Int)
    /// A piece of work has ended.
    case workEnded(LoadEvent.Stage, work: Int, load: Int, Work, LoadingError?)
    /// A smaller picture has been made of a larger one in memory.
    case madeOfLarger(load: Int)
    /// A load has its picture.
    case finished(load: Int, name: String, ImageResponse.Origin, isStale: Bool)
    /// A load has failed, or was cancelled.
    case failed(load: Int, name: String, LoadingError)
  }

  /// Gets the events of a loader.
  ///
  /// - Threads: Called on any thread, with no lock held. What takes long should be done elsewhere.
  public protocol LoadObserver: Sendable {
    /// Takes an event.
    func note(_ event: LoadEvent)
  }

  /// Those who get the events of a loader. Without any, no event is made.
  struct LoadObservers: Sendable {
    let all: [any LoadObserver]

    func note(_ event: @autoclosure () -> LoadEvent) {
      guard !all.isEmpty else { return }
      let event = event()
      for observer in all { observer.note(event) }
    }
  }
#endif
