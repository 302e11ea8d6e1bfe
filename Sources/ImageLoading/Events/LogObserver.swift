// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import Logging

  /// Writes the events of a loader to a log.
  ///
  /// Loads that end are `debug`, failures `notice`, everything else `trace`. URLs are in the metadata, headers never are.
  public struct LogObserver: LoadObserver {
    private let logger: Logger

    /// Makes an observer that writes to a log.
    public init(_ logger: Logger) { self.logger = logger }

    /// Writes an event, if the log has its level.
    public func note(_ event: LoadEvent) {
      switch event {
      case .began(let load, let name): write(.trace, "load began", load, ["url": "\(name)"])
      case .lookedInMemory(let load, let lookup): write(.trace, "looked in memory", load, ["result": "\(lookup)"])
      case .lookedOnDisk(let load, let lookup): write(.trace, "looked on disk", load, ["result": "\(lookup)"])
      case .requested(let load, let validates, let offset):
        write(.trace, "request sent", load, ["validates": "\(validates)", "offset": "\(offset)"])
      case .workBegan(let stage, let work, let load):
        write(.trace, "work began", load, ["stage": "\(stage)", "work": "\(work)"])
      case .joined(let work, let load): write(.trace, "waits for work", load, ["work": "\(work)"])
      case .workEnded(let stage, let work, let load, let done, let error):
        var metadata: Logger.Metadata = [
          "stage": "\(stage)", "work": "\(work)", "received": "\(done.bytesReceived)", "saved": "\(done.bytesSaved)",
        ]
        if let error { metadata["error"] = "\(error.code)" }
        write(.trace, "work ended", load, metadata)
      case .madeOfLarger(let load): write(.trace, "made of a larger picture", load, [:])
      case .finished(let load, let name, let origin, let isStale):
        write(.debug, "loaded", load, ["url": "\(name)", "origin": "\(origin)", "stale": "\(isStale)"])
      case .failed(let load, let name, let error):
        var metadata: Logger.Metadata = ["url": "\(name)", "code": "\(error.code)", "reason": "\(error.message)"]
        if let status = error.status { metadata["status"] = "\(status)" }
        write(error.code == .cancelled ? .debug : .notice, "not loaded", load, metadata)
      }
    }

    private func write(
      _ level: Logger.Level, _ message: Logger.Message, _ load: Int, _ metadata: @autoclosure () -> Logger.Metadata
    ) {
      guard logger.logLevel <= level else { return }
      var metadata = metadata()
      metadata["load"] = "\(load)"
      logger.log(level: level, message, metadata: metadata)
    }
  }
#endif
