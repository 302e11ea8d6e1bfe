// SPDX-License-Identifier: Apache-2.0

import BitmapFont
public import ImageCoders

/// One picture of many files: a cell for each file, with its picture, name and size.
///
/// The background is a neutral gray, so that it changes how no picture looks. Transparency shows as a checkerboard, and
/// an animation as a strip of film with three of its frames.
public struct ContactSheet {
  private let items: [SheetItem]
  private let columns: Int
  /// The box of a picture, pixels.
  private let box: Int

  private static let background = Ink(0x1F2023)
  private static let cell = Ink(0x2C2E33)
  private static let emptyPicture = Ink(0x232529)
  private static let film = Ink(0x0E0F11)
  private static let nameText = Ink(0xEDEEF0)
  private static let captionText = Ink(0x9A9EA6)
  private static let errorText = Ink(0xF0716B)
  private static let lightSquare = Ink(0xD6D8DC)
  private static let darkSquare = Ink(0xB9BCC3)

  /// - Parameters:
  ///   - columns: Cells in a row; with nil, as many as make the sheet a bit wider than high.
  ///   - size: The box of a picture, pixels.
  public init(_ items: [SheetItem], columns: Int?, size: Int) {
    self.items = items
    self.columns = min(columns ?? Self.columns(for: items.count), max(items.count, 1))
    box = size
  }

  /// The sheet's pixels, `rgb8`.
  public func drawn() throws(CoderError) -> PixelBuffer {
    let rows = stride(from: 0, to: items.count, by: columns).map { items[$0..<min($0 + columns, items.count)] }
    let heights = rows.map { row in row.map { height(of: $0) }.max() ?? box }
    let sheet = try Sheet(
      Size(
        width: columns * (box + 2 * margin) + (columns + 1) * gap,
        height: heights.reduce(gap) { $0 + $1 + frameHeight + gap }),
      background: Self.background)
    var y = gap
    for (row, height) in zip(rows, heights) {
      for (column, item) in row.enumerated() {
        let x = gap + column * (box + 2 * margin + gap)
        try draw(item, on: sheet, Rect(x: x, y: y, width: box + 2 * margin, height: height + frameHeight))
      }
      y += height + frameHeight + gap
    }
    return sheet.pixels
  }

  /// The height of a file's picture in pixels. A row is as high as its highest picture.
  private func height(of item: SheetItem) -> Int {
    item.isAnimated ? box : max(item.pictures.first?.size.height ?? 0, box / 2)
  }

  private static func columns(for count: Int) -> Int {
    var columns = 1
    while columns * columns < count + count / 3 { columns += 1 }
    return columns
  }

  private var scale: Int { max(1, box / 200) }
  private var margin: Int { max(6, box / 16) }
  private var gap: Int { max(6, box / 14) }
  private var lineHeight: Int { (BitmapFont.height + 3) * scale }
  /// The height of a cell without its picture.
  private var frameHeight: Int { 2 * margin + 2 * lineHeight + margin / 2 }

  private func draw(_ item: SheetItem, on sheet: Sheet, _ cell: Rect) throws(CoderError) {
    sheet.fill(cell, Self.cell, radius: max(3, margin / 2), outside: Self.background)
    let place = Rect(x: cell.x + margin, y: cell.y + margin, width: box, height: cell.height - frameHeight)
    if item.isAnimated {
      try strip(item.pictures, on: sheet, place)
    } else if let picture = item.pictures.first {
      try show(picture, on: sheet, place)
    } else {
      sheet.fill(place, Self.emptyPicture)
      sheet.write(
        "unreadable", centeredIn: box, x: place.x, y: place.y + (place.height - 7 * scale) / 2, scale: scale,
        Self.errorText)
    }
    let top = place.y + place.height + margin * 3 / 4
    let width = box / scale
    sheet.write(
      BitmapFont.fitted(item.name, width: width), centeredIn: box, x: place.x, y: top, scale: scale, Self.nameText)
    sheet.write(
      BitmapFont.fitted(item.caption, width: width), centeredIn: box, x: place.x, y: top + lineHeight, scale: scale,
      item.problem == nil ? Self.captionText : Self.errorText)
  }

  /// A picture in the middle of its place, on a checkerboard where it has alpha.
  private func show(_ picture: PixelBuffer, on sheet: Sheet, _ place: Rect) throws(CoderError) {
    let size = picture.size
    let rect = Rect(
      x: place.x + (place.width - size.width) / 2, y: place.y + (place.height - size.height) / 2, width: size.width,
      height: size.height)
    if picture.alpha != .opaque { sheet.checker(rect, square: max(4, box / 20), Self.lightSquare, Self.darkSquare) }
    try sheet.draw(picture, x: rect.x, y: rect.y)
  }

  /// A strip of film: the first frame large, and below it small frames from the start, the middle and the end.
  private func strip(_ pictures: [PixelBuffer], on sheet: Sheet, _ place: Rect) throws(CoderError) {
    let hole = max(3, box / 32)
    let bar = 2 * hole
    let small = (place.width - 4 * hole) / 3
    let filmHeight = small * 3 / 4 + 2 * bar
    let upper = Rect(x: place.x, y: place.y, width: place.width, height: place.height - filmHeight - hole)
    try show(try reduced(pictures[0], to: upper.size), on: sheet, upper)
    let film = Rect(
      x: place.x, y: place.y + place.height - filmHeight, width: place.width, height: filmHeight)
    sheet.fill(film, Self.film)
    let holes = film.width / (2 * hole)
    for number in 0..<holes {
      let x = film.x + (film.width - (2 * holes - 1) * hole) / 2 + number * 2 * hole
      for y in [film.y + hole / 2, film.y + film.height - hole - hole / 2] {
        sheet.fill(Rect(x: x, y: y, width: hole, height: hole), Self.captionText)
      }
    }
    for (index, picture) in pictures.enumerated() {
      let window = Rect(
        x: film.x + hole + index * (small + hole), y: film.y + bar, width: small, height: filmHeight - 2 * bar)
      sheet.fill(window, Self.emptyPicture)
      try show(try reduced(picture, to: window.size), on: sheet, window)
    }
  }

  private func reduced(_ picture: PixelBuffer, to box: Size) throws(CoderError) -> PixelBuffer {
    try picture.resampled(to: picture.size.fitted(in: box))
  }
}
