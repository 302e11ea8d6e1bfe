// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What `coders list` does.
struct ListRun {
  var coders = CoderSettings()
  var isJSON = false

  init() {}

  /// Prints the coders that are installed.
  func run(_ console: Console) {
    let listing = CoderListing(coders.catalog(console).scannedBefore(), searchPath: coders.searchPath(console))
    if isJSON {
      console.print(listing.json.printed)
    } else if coders.isQuiet {
      for id in listing.ids { console.print(id) }
    } else {
      for line in listing.lines(console.style) { console.print(line) }
    }
  }
}
