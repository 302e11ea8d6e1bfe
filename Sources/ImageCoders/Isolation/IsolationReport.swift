// SPDX-License-Identifier: Apache-2.0

import CIsolation
import ImageCoderModel

/// What a machine offers to isolate plugins, for `coders doctor`.
package struct IsolationReport: Sendable {
  /// The layers of a worker, each seen by its probe; nil if there can be no worker.
  package let layers: IsolationLayers?
  /// Why there can be none.
  package let problem: String

  /// What bounds all workers of a program together.
  package var bound: String {
    let budget = WorkerBudget.standard
    let own =
      "all workers together: at most \(budget.mostWorkers) and \(budget.mostMemory >> 20) MiB, which the program watches"
    let group = isolation_group_memory()
    return group == 0 ? own : "\(own); the control group that they share with it allows \(group >> 20) MiB"
  }

  /// Starts a worker of the first plugin that can be loaded.
  ///
  /// - Returns: Nil if there is no plugin.
  package static func find(_ catalog: Catalog) -> IsolationReport? {
    var first: IsolationReport?
    for entry in catalog.entries where entry.reason == nil {
      let report = IsolationReport(entry)
      if report.layers != nil { return report }
      first = first ?? report
    }
    return first
  }

  /// Why a plugin cannot run in a worker that is isolated as ``Isolation/Mode/required`` asks for, or nil if it can.
  ///
  /// - Returns: `isolationMissing` if this machine or the installation lacks something, else what is wrong with the plugin.
  package static func obstacle(of entry: CatalogEntry) -> SkipReason? {
    if let reason = entry.reason { return reason }
    guard let manifest = entry.manifest else { return SkipReason(.manifestInvalid, "there is no manifest") }
    do throws(SkipReason) {
      let (pool, _) = try WorkerPool.pool(
        of: try WorkerCode.entry(entry, id: manifest.id), id: manifest.id, needs: manifest.needs, mode: .required)
      try pool.check(.required)
      return nil
    } catch {
      return error
    }
  }

  private init(_ entry: CatalogEntry) {
    do throws(SkipReason) {
      let (pool, _) = try WorkerPool.pool(
        of: try WorkerCode.entry(entry, id: entry.id), id: entry.id, needs: entry.manifest?.needs ?? [],
        mode: .preferred)
      switch Result(catching: { () throws(CoderError) in try pool.layers() }) {
      case .success(let found): (layers, problem) = (found, "")
      case .failure(let error): (layers, problem) = (nil, error.message)
      }
    } catch {
      (layers, problem) = (nil, error.message)
    }
  }

  /// What this process is confined by already, by name.
  package static var confinement: [String] {
    let found = IsolationLayers(rawValue: isolation_confinement())
    return IsolationLayers.all.filter { found.contains($0.layer) }.map(\.name)
  }
}
