// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ImageCoderEngine
package import ImageCoderModel

/// A worker at the end of sockets that somebody else has made, for a test that says what comes out of them.
package struct ConnectedWorker {
  /// The socket of its server, which first says what the plugin is.
  package let control: Int32
  /// Its own socket, which first says that the worker is ready, and that the file before is closed.
  package let socket: Int32
  /// Where it prints errors.
  package let errors: Int32
  /// The memory that both sides write; the caller's.
  package let shared: Int32

  package init(control: Int32, socket: Int32, errors: Int32, shared: Int32) {
    (self.control, self.socket, self.errors, self.shared) = (control, socket, errors, shared)
  }

  /// A container whose code runs in this worker alone: after a fault there is none any more. The sockets are closed with it.
  ///
  /// - Parameters:
  ///   - limits: Those of the sessions that may have the worker.
  ///   - isolation: How long its calls may take.
  package func container(
    _ manifest: Manifest, limits: Limits, isolation: Isolation = Isolation(.required)
  ) throws(CoderError) -> any Container {
    let server: WorkerServer
    do throws(SkipReason) {
      server = try WorkerServer(control: control, process: nil, library: manifest.id)
    } catch {
      close(socket)
      close(errors)
      throw CoderError(error, coder: manifest.id)
    }
    guard let share = WorkerBudget.Share(.standard) else { throw .io("no worker may be made") }
    let worker = try Worker(
      of: server, number: 1, socket: socket, errors: errors, process: -1, shared: shared,
      memory: WorkerPool.memory(limits), share: share, isClosing: true)
    return IsolatedContainer(
      manifest, server.description, WorkerPool(server, worker: worker), isolation)
  }
}
