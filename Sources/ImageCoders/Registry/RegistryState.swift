// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What a call sees of a registry; a change makes a new one. A class, so that no call copies the state.
///
/// Who looks at a part of the state takes that part of ``state``: a copy of all of it counts eighteen references.
final class RegistrySnapshot: Sendable {
  let state: RegistryState
  // Of the policy, kept apart because each file asks.
  /// Whether it restricts what files may ask for.
  let restrictsFiles: Bool
  /// Whether some coders or formats may not be used.
  let refusesCoders: Bool
  /// Why it cannot be loaded, or nil.
  let policyProblem: CoderError?
  /// How every coder is isolated, or nil where it depends on the coder.
  let isolation: IsolationOfCode?

  init(_ state: RegistryState) {
    self.state = state
    restrictsFiles = state.policy.restrictsFiles
    refusesCoders = state.policy.coders != nil || state.policy.formats != nil
    policyProblem = state.policy.problem
    isolation = state.isIsolatedAlike ? state.isolation(of: []) : nil
  }

  /// Whether a file agrees with a format that another one is a kind of.
  func refines(_ looks: [Look]) -> Bool {
    let refiners = state.refiners
    return !refiners.isEmpty
      && looks.contains { look in
        look.agreements.contains { agreement in
          refiners.contains { !$0.recognizer.refined.isDisjoint(with: agreement.formats) }
        }
      }
  }
}

/// How the code of a coder is isolated, by what it is. Plugins of one identifier may be either.
struct IsolationOfCode: Equatable {
  var pureSwift: Isolation
  var other: Isolation

  init(pureSwift: Isolation, other: Isolation) { (self.pureSwift, self.other) = (pureSwift, other) }

  /// The same for all code.
  init(_ isolation: Isolation) { self.init(pureSwift: isolation, other: isolation) }

  func of(_ entry: CatalogEntry) -> Isolation { entry.isPureSwift ? pureSwift : other }
}

/// The coders of a registry, and what their order depends on.
struct RegistryState {
  var candidates: [Candidate] {
    didSet {
      signatures = Self.signatures(of: candidates)
      refiners = Self.refiners(among: candidates)
    }
  }
  /// The signatures of the candidates, in their order.
  private(set) var signatures: SignatureTable
  /// The candidates that read kinds of other formats.
  private(set) var refiners: [Candidate]
  /// The priorities of the user and the program, by identifier.
  var priorities: [String: Int]
  /// Identifiers in the order in which they are tried before all others, by format.
  var preferredReaders: [ImageFormat: [String]]
  var preferredWriters: [ImageFormat: [String]]
  /// How plugins are isolated, in general and for some formats.
  var isolation: Isolation
  var isolationOfFormats: [ImageFormat: Isolation] = [:]
  /// What files may ask for; its formats are type identifiers.
  private(set) var policy: SecurityPolicy
  /// The same as it was stated.
  private var statedPolicy: SecurityPolicy
  /// How many coders the program has registered.
  var registrations = 0

  init(
    _ candidates: [Candidate], _ preferences: CoderPreferences, _ catalog: Catalog, _ isolation: Isolation,
    _ policy: SecurityPolicy
  ) {
    self.candidates = candidates
    signatures = Self.signatures(of: candidates)
    refiners = Self.refiners(among: candidates)
    self.isolation = isolation
    statedPolicy = policy
    self.policy = policy.resolved(catalog, registered: [])
    priorities = preferences.priorities
    preferredReaders = preferences.preferred(\.read, catalog)
    preferredWriters = preferences.preferred(\.write, catalog)
  }

  private static func signatures(of candidates: [Candidate]) -> SignatureTable {
    SignatureTable(candidates.map { ($0.recognizer, isAlwaysAsked: $0.isAsked) })
  }

  private static func refiners(among candidates: [Candidate]) -> [Candidate] {
    candidates.filter { $0.canRead && !$0.refining.isEmpty }
  }

  /// Sets what files may ask for, or looks once more which formats the policy names after coders were registered.
  ///
  /// - Parameter policy: Nil for the one that holds.
  mutating func resolve(_ catalog: Catalog, _ policy: SecurityPolicy? = nil) {
    if let policy { statedPolicy = policy }
    self.policy = statedPolicy.resolved(
      catalog, registered: Set(candidates.filter { $0.entry == nil }.flatMap(\.formats)))
  }

  /// Whether neither the program nor the policy isolates some coders in another way than others.
  var isIsolatedAlike: Bool {
    isolationOfFormats.isEmpty && policy.formatRules.isEmpty && policy.isolationOfPureSwift == nil
  }

  /// How coders of these formats are isolated.
  func isolation(of formats: [ImageFormat]) -> IsolationOfCode {
    var strictest = isolation
    if !isolationOfFormats.isEmpty {
      strictest =
        formats.compactMap { isolationOfFormats[$0] ?? isolation }.max { $0.mode < $1.mode } ?? isolation
    }
    if policy.usesFreshWorkers?.value == true { strictest.usesFreshWorkers = true }
    let least = strictest.atLeast(Self.leastIsolation)
    return IsolationOfCode(
      pureSwift: least.atLeast(policy.isolation(of: formats, isPureSwift: true)),
      other: least.atLeast(policy.isolation(of: formats, isPureSwift: false)))
  }

  private static let leastIsolation = Isolation.Mode.ofEnvironment()

  func priority(_ candidate: Candidate) -> Int { priorities[candidate.id] ?? candidate.priority }

  /// The priority that counts among strangers alone.
  func ownPriority(_ candidate: Candidate) -> Int {
    priorities[candidate.id] == nil ? candidate.ownPriority : CatalogEntry.usualPriority
  }

  /// The place among the preferred readers of formats, or nil.
  func preference(_ candidate: Candidate, reading formats: [ImageFormat]) -> Int? {
    // Most programs and users prefer nothing.
    guard !preferredReaders.isEmpty else { return nil }
    return formats.compactMap { preferredReaders[$0]?.firstIndex(of: candidate.id) }.min()
  }

  /// All coders, in the order in which they are tried for a file that all of them recognize equally.
  var ordered: [Candidate] { sorted(candidates) { _ in nil } }

  /// Coders that write, in the order in which they are tried.
  ///
  /// - Parameter format: Only coders of this format, or nil for all.
  func ordered(writing format: ImageFormat?) -> [Candidate] {
    let preferred = format.flatMap { preferredWriters[$0] } ?? []
    return sorted(candidates.filter { $0.canWrite && (format.map($0.writtenFormats.contains) ?? true) }) {
      preferred.firstIndex(of: $0.id)
    }
  }

  /// Coders that the policy allows, ordered.
  private func sorted(_ candidates: [Candidate], preference: (Candidate) -> Int?) -> [Candidate] {
    candidates.filter { policy.coders?.value.contains($0.id) ?? true }.map { candidate in
      (
        candidate: candidate,
        rank: CandidateRank(
          candidate, preference: preference(candidate), priority: priority(candidate), yields: candidate.isStranger,
          ownPriority: ownPriority(candidate))
      )
    }
    .sorted { $0.rank < $1.rank }.map(\.candidate)
  }
}
