// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A page that belongs to a visible one.
struct HiddenPage {
  let owner: Int
  let part: PartHeader
  let view: PictureDecoder.View

  /// Smaller versions of a part, and all of its data if some lie beyond the canvas.
  static func all(of part: PartHeader, owner: Int) -> [HiddenPage] {
    let views = part.versions.map { PictureDecoder.View.data($0) } + (part.hasOverscan ? [.data(Level())] : [])
    return views.map { HiddenPage(owner: owner, part: part, view: $0) }
  }

  var size: Size { part.grid.size(of: view.level) }

  var role: PageRole {
    guard view.level == Level() else { return PageRole(.reduced, owner: owner) }
    let (data, display) = (part.dataWindow, part.displayWindow)
    return PageRole(
      .overscan, owner: owner, x: data.x.lowerBound - display.x.lowerBound, y: data.y.lowerBound - display.y.lowerBound)
  }

  /// Data cover themselves.
  var alpha: AlphaMode { part.hasAlpha ? .premultiplied : .opaque }
}

extension PartHeader {
  /// Whether some of the data are not on the canvas.
  var hasOverscan: Bool { dataWindow.intersection(displayWindow) != dataWindow }
}
