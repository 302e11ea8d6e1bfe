// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// What those who wait for a piece of work want of it, together.
  struct Demand: Sendable, Equatable {
    /// The highest of their priorities.
    var priority: LoadPriority
    /// Whether one of them wants pictures while bytes arrive.
    var wantsPreviews = false
    /// The caches that one of them wants the result in.
    var stores: CachePolicy.Caches = []

    /// Adds what another one wants.
    mutating func add(_ other: Demand) {
      priority = max(priority, other.priority)
      wantsPreviews = wantsPreviews || other.wantsPreviews
      stores.formUnion(other.stores)
    }

    /// What the work needs of the work before it: its result is put in memory only for those who asked for it.
    var ofEarlierWork: Demand {
      var demand = self
      demand.stores.remove(.memory)
      return demand
    }
  }
#endif
