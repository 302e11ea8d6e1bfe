// SPDX-License-Identifier: Apache-2.0

/// Text in columns under a line of titles.
struct Table {
  private let titles: [String]
  private let rightAligned: Set<Int>
  private var rows: [[String]] = []

  /// - Parameter rightAligned: The indices of right-aligned columns, for numbers.
  init(_ titles: [String], rightAligned: Set<Int> = []) {
    self.titles = titles
    self.rightAligned = rightAligned
  }

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ row: [String]) { rows.append(row.map(\.printable)) }

  /// The table's lines, the titles first.
  ///
  /// - Parameter style: How titles are shown.
  func lines(_ style: Style) -> [String] {
    let widths = titles.indices.map { column in
      ([titles] + rows).map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    return [style.title(line(titles, widths))] + rows.map { line($0, widths) }
  }

  /// A line of a table that is printed line by line: columns are as wide as their titles.
  ///
  /// - Parameter row: Nil for the line of titles.
  func line(_ row: [String]?, _ style: Style) -> String {
    let widths = titles.map(\.columns)
    return row.map { line($0.map(\.printable), widths) } ?? style.title(line(titles, widths))
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var text = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.columns))
      if column > 0 { text += "  " }
      text += rightAligned.contains(column) ? padding + cell : cell + padding
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}

/// How text is highlighted on a terminal.
struct Style {
  /// Whether text is highlighted at all.
  let isOn: Bool

  func title(_ text: String) -> String { mark(text, "1") }
  func good(_ text: String) -> String { mark(text, "32") }
  func bad(_ text: String) -> String { mark(text, "31") }
  func faint(_ text: String) -> String { mark(text, "2") }

  // ECMA-48 §8.3.117, Select Graphic Rendition.
  private func mark(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

extension Console {
  var style: Style { Style(isOn: usesColor) }
}
