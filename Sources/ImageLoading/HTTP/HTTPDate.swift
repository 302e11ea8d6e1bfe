// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// Dates as HTTP writes them (RFC 9110 section 5.6.7).
  enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Seconds since 1970, or nil for what is no date: `Sun, 06 Nov 1994 08:49:37 GMT`, and the old forms
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: Seconds since 1970, by which a year of two digits is understood: at most fifty years ahead.
    static func seconds(_ text: String, now: Double = 0) -> Double? {
      let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }
      guard words.count == 6 || words.count == 5 else { return nil }
      // asctime has the month first, and no zone.
      let isOld = words.count == 5
      if !isOld, words[5] != "gmt" && words[5] != "utc" { return nil }
      let (day, month, year, time) =
        isOld ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
      guard let day = RangeRules.decimal(day), let month = months.firstIndex(of: String(month)),
        var fullYear = RangeRules.decimal(year)
      else { return nil }
      if year.utf8.count == 2 {
        fullYear += 1900
        while fullYear + 100 <= Self.year(now) + 50 { fullYear += 100 }
      }
      let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { RangeRules.decimal($0) }
      guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
        (1970...9999).contains(fullYear), (1...daysIn(month, fullYear)).contains(day), (0...23).contains(hours),
        (0...59).contains(minutes), (0...60).contains(seconds)
      else { return nil }
      return Double(days(fullYear, month, day)) * 86400 + Double(hours * 3600 + minutes * 60 + seconds)
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
      [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    /// Days since 1970.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
      let before = year - 1
      let leaps = before / 4 - before / 100 + before / 400 - 477
      return (year - 1970) * 365 + leaps + (0..<month).reduce(0) { $0 + daysIn($1, year) } + day - 1
    }

    private static func year(_ seconds: Double) -> Int {
      seconds.isFinite ? 1970 + Int(min(max(seconds, 0), 2.5e11) / 31_556_952) : 1970
    }

    /// `Retry-After`: seconds, or a date; nil for what is neither.
    static func delay(_ text: String, now: Double) -> Duration? {
      // A day is longer than any deadline, and a number that is larger says no more.
      if let seconds = RangeRules.decimal(text) { return .seconds(min(seconds, 86400)) }
      if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) { return .seconds(86400) }
      return seconds(text, now: now).map { .seconds(min(max($0 - now, 0), 86400)) }
    }
  }
#endif
