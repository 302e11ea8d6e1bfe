// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import ImageLoading

/// Against values computed by hand from RFC 9111, RFC 5861 and RFC 8246.
@Suite struct CacheRulesTests {
  let rules = CacheRules()
  /// Sun, 09 Sep 2001 01:46:40 GMT, when the answer came.
  static let then = 1_000_000_000.0
  static let date = "Sun, 09 Sep 2001 01:46:40 GMT"

  private func response(_ headers: [(String, String)], took: Double = 0) -> StoredResponse {
    StoredResponse(
      url: "http://a/", headers: headers.map { [$0.0, $0.1] }, requestTime: Self.then - took, responseTime: Self.then)
  }

  /// Headers, and for how many seconds they keep an answer fresh.
  @Test(
    arguments: [
      ([("cache-control", "max-age=60")], 60), ([("cache-control", "MAX-AGE = 60")], 60),
      ([("cache-control", "max-age=\"60\"")], 60), ([("cache-control", "max-age=60, max-age=30")], 30),
      ([("cache-control", "public, max-age=60"), ("expires", "0")], 60),
      ([("cache-control", "s-maxage=600, max-age=60")], 60), ([("cache-control", "s-maxage=600")], 0),
      ([("cache-control", "max-age=x")], 0), ([("cache-control", "max-age=-1")], 0),
      ([("cache-control", "max-age")], 0),
      ([("cache-control", "max-age=99999999999999999999")], 2_147_483_648),
      ([("cache-control", "private"), ("cache-control", "max-age=7")], 7),
      ([("cache-control", "extension=\"a, max-age=5\", max-age=9")], 9),
      ([("date", date), ("expires", "Sun, 09 Sep 2001 01:47:40 GMT")], 60),
      ([("date", date), ("expires", "Sunday, 09-Sep-01 01:47:40 GMT")], 60),
      ([("date", date), ("expires", "Sun Sep  9 01:47:40 2001")], 60),
      ([("expires", "Sun, 09 Sep 2001 01:47:40 GMT")], 60), ([("date", date), ("expires", "0")], 0),
      ([("date", date), ("expires", "Sun, 09 Sep 2001 01:46:39 GMT")], 0),
      // A tenth of 1,000 seconds; of a hundred days it would be ten, and a day is the most.
      ([("date", date), ("last-modified", "Sun, 09 Sep 2001 01:30:00 GMT")], 100),
      ([("date", date), ("last-modified", "Fri, 01 Jun 2001 01:46:40 GMT")], 86400),
      ([("date", date), ("last-modified", "Sun, 09 Sep 2001 01:46:41 GMT")], 0), ([("date", date)], 0), ([], 0),
    ] as [([(String, String)], Int)])
  func lifetimes(_ headers: [(String, String)], _ seconds: Int) {
    let response = response(headers)
    #expect(rules.lifetime(of: response) == Double(seconds))
    // It is fresh up to that moment and not at it.
    if seconds > 0 {
      #expect(rules.freshness(response, at: Self.then + Double(seconds) - 0.5) == .fresh)
    }
    #expect(rules.freshness(response, at: Self.then + Double(seconds)) == .stale)
  }

  /// Headers, the time from request to answer, seconds since; and the age of section 4.2.3.
  @Test(
    arguments: [
      ([], 0, 0, 0), ([], 0, 50, 50), ([("age", "30")], 0, 5, 35), ([("age", "30")], 10, 5, 45),
      ([("date", "Sun, 09 Sep 2001 01:46:30 GMT")], 0, 0, 10),
      // The larger of what Date and what Age says.
      ([("date", "Sun, 09 Sep 2001 01:46:30 GMT"), ("age", "8")], 1, 0, 10),
      ([("date", "Sun, 09 Sep 2001 01:46:30 GMT"), ("age", "8")], 4, 0, 12),
      // A clock that is ahead makes nothing younger.
      ([("date", "Sun, 09 Sep 2001 01:56:40 GMT")], 0, 3, 3), ([("age", "x")], 0, 3, 3), ([("age", "4, 9")], 0, 0, 4),
    ] as [([(String, String)], Double, Double, Double)])
  func ages(_ headers: [(String, String)], _ took: Double, _ since: Double, _ age: Double) {
    #expect(rules.age(of: response(headers, took: took), at: Self.then + since) == age)
  }

  /// `Cache-Control` of the answer and of the request, seconds since; all with an age of zero at first.
  @Test(
    arguments: [
      ("max-age=60, no-cache", "", 0, .stale), ("no-cache=\"set-cookie\", max-age=60", "", 0, .stale),
      ("max-age=60, no-store", "", 0, .stale), ("max-age=60, must-revalidate", "", 59, .fresh),
      ("max-age=60, must-revalidate, stale-while-revalidate=60", "", 61, .stale),
      ("max-age=60, stale-while-revalidate=30", "", 59, .fresh),
      ("max-age=60, stale-while-revalidate=30", "", 60, .usableWhileValidated),
      ("max-age=60, stale-while-revalidate=30", "", 89, .usableWhileValidated),
      ("max-age=60, stale-while-revalidate=30", "", 90, .stale),
      ("max-age=60", "no-cache", 0, .stale), ("max-age=60", "no-store", 0, .stale),
      ("max-age=60", "max-age=0", 1, .stale),
      ("max-age=60", "max-age=10", 10, .fresh), ("max-age=60", "max-age=10", 11, .stale),
      ("max-age=60", "min-fresh=20", 40, .fresh), ("max-age=60", "min-fresh=20", 41, .stale),
      ("max-age=60", "max-stale=20", 80, .fresh), ("max-age=60", "max-stale=20", 81, .stale),
      ("max-age=60", "max-stale", 100_000, .fresh), ("max-age=60, must-revalidate", "max-stale", 61, .stale),
      ("max-age=60, immutable", "", 60, .stale), ("max-age=60", "only-if-cached", 59, .fresh),
    ] as [(String, String, Double, Freshness)])
  func directives(_ control: String, _ request: String, _ since: Double, _ expected: Freshness) {
    let fields: HTTPFields = request.isEmpty ? [:] : [.cacheControl: request]
    #expect(rules.freshness(response([("cache-control", control)]), at: Self.then + since, request: fields) == expected)
  }

  @Test func pragmaCountsWhereCacheControlIsMissing() throws {
    let pragma = HTTPFields([HTTPField(name: try #require(HTTPField.Name("Pragma")), value: "no-cache")])
    #expect(rules.freshness(response([("cache-control", "max-age=60")]), at: Self.then, request: pragma) == .stale)
    let old = response([("pragma", "no-cache"), ("expires", "Sun, 09 Sep 2001 01:47:40 GMT")])
    #expect(rules.freshness(old, at: Self.then) == .stale)
    let new = response([("pragma", "no-cache"), ("cache-control", "max-age=60")])
    #expect(rules.freshness(new, at: Self.then) == .fresh)
  }

  @Test(arguments: [
    ("max-age=60, stale-if-error=100", 159, false, true), ("max-age=60, stale-if-error=100", 160, false, false),
    ("max-age=60", 61, false, false), ("max-age=60", 61, true, true), ("max-age=60, must-revalidate", 61, true, false),
    ("max-age=60, no-cache, stale-if-error=100", 61, true, false), ("max-age=60, must-revalidate", 59, false, true),
  ])
  func staleAnswersAfterErrors(_ control: String, _ since: Int, _ always: Bool, _ expected: Bool) {
    let response = response([("cache-control", control)])
    #expect(rules.mayUseAfterError(response, at: Self.then + Double(since), always: always) == expected)
  }

  @Test(arguments: [
    (200, "max-age=60", "", "", true), (200, "", "", "", true), (200, "no-store", "", "", false),
    (200, "private, no-cache", "", "", true), (200, "", "no-store", "", false), (200, "", "", "*", false),
    (200, "", "", "Accept, *", false), (200, "", "", "Accept", true), (206, "", "", "", true), (203, "", "", "", true),
    (404, "max-age=60", "", "", false), (500, "", "", "", false), (200, "NO-STORE", "", "", false),
  ])
  func storing(_ status: Int, _ control: String, _ request: String, _ vary: String, _ expected: Bool) {
    var headers = HTTPFields()
    if !control.isEmpty { headers[.cacheControl] = control }
    if !vary.isEmpty { headers[.vary] = vary }
    let head = FetchHead(url: "http://a/", status: status, headers: headers, length: 1)
    #expect(rules.mayStore(head, request.isEmpty ? [:] : [.cacheControl: request]) == expected)
    // A user's own cache keeps answers to requests with credentials.
    #expect(rules.mayStore(head, [.authorization: "x", .cacheControl: request]) == expected)
  }

  @Test func storedHeadersAreThoseOfTheAnswer() {
    let headers: HTTPFields = [
      .eTag: "\"a\"", .connection: "x-hop, close", .setCookie: "a=b", .vary: "Accept, accept-language",
      HTTPField.Name("X-Hop")!: "1", .transferEncoding: "chunked", .contentType: "image/png",
    ]
    let head = FetchHead(url: "http://a/", status: 200, headers: headers, length: 1)
    let stored = rules.stored(head, sent: 1, received: 2, to: [.accept: "image/webp", .authorization: "x"])
    #expect(Set(stored.headers.map { $0[0] }) == ["etag", "vary", "content-type"])
    #expect(stored.varying == [["accept", "image/webp"], ["accept-language", ""]])
    #expect((stored.requestTime, stored.responseTime) == (1, 2))
    #expect(rules.canConfirm(stored))
  }

  @Test func confirmationUpdatesHeaders() {
    let old = response([
      ("etag", "\"a\""), ("cache-control", "max-age=1"), ("content-type", "image/png"), ("content-length", "9"),
      ("x", "1"), ("x", "2"),
    ])
    let new = rules.updated(
      old,
      [
        .cacheControl: "max-age=60", .contentLength: "0", .contentType: "text/html", HTTPField.Name("X")!: "3",
        .age: "5",
      ],
      sent: Self.then + 100, received: Self.then + 101)
    #expect(
      new.headers.sorted { $0[0] < $1[0] } == [
        ["age", "5"], ["cache-control", "max-age=60"], ["content-length", "9"], ["content-type", "image/png"],
        ["etag", "\"a\""], ["x", "3"],
      ])
    #expect(new.url == old.url)
    // 5 seconds of age and one of the exchange.
    #expect(rules.freshness(new, at: Self.then + 101 + 53) == .fresh)
    #expect(rules.freshness(new, at: Self.then + 101 + 54) == .stale)
  }

  @Test func variantsAreToldApart() {
    func stored(_ vary: String, _ sent: HTTPFields) -> StoredResponse {
      rules.stored(
        FetchHead(url: "http://a/", status: 200, headers: [.vary: vary], length: 1), sent: 0, received: 0, to: sent)
    }
    let webp = stored("Accept", [.accept: "image/webp,  image/png"])
    #expect(rules.matches(webp, [.accept: "image/webp,image/png"]))
    #expect(rules.matches(webp, [.accept: "image/webp, image/png", .userAgent: "x"]))
    #expect(!rules.matches(webp, [.accept: "image/png, image/webp"]))
    #expect(!rules.matches(webp, [.accept: "IMAGE/WEBP, image/png"]))
    #expect(!rules.matches(webp, [:]))
    #expect(rules.variants(webp) == ["accept"])
    let none = stored("Accept-Language", [:])
    #expect(rules.matches(none, [:]))
    #expect(!rules.matches(none, [.acceptLanguage: "de"]))
    #expect(!rules.matches(stored("*", [:]), [:]))
    #expect(rules.matches(stored("", [:]), [.accept: "x"]))
    #expect(rules.variants(stored("B, a ,B", [:])) == ["a", "b"])
  }

  @Test func otherQuestions() {
    #expect(rules.isOnlyIfCached([.cacheControl: "only-if-cached"]))
    #expect(!rules.isOnlyIfCached([:]))
    let response = response([("cache-control", "max-age=60, immutable")])
    #expect(rules.isImmutable(response, at: Self.then + 59))
    #expect(!rules.isImmutable(response, at: Self.then + 60))
    #expect(!rules.canConfirm(response))
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Wed, 01-Jan-31 00:00:00 GMT", 1_924_992_000),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
  ])
  func dates(_ text: String, _ seconds: Int) { #expect(HTTPDate.seconds(text, now: 1e9) == Double(seconds)) }

  @Test(arguments: [
    "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 31 Feb 2001 00:00:00 GMT",
    "Sun, 29 Feb 2001 00:00:00 GMT", "Sun, 29 Feb 2100 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1969 08:49:37 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT",
  ])
  func otherTextIsNoDate(_ text: String) { #expect(HTTPDate.seconds(text, now: 1e9) == nil) }

  @Test func delays() {
    #expect(HTTPDate.delay("120", now: 0) == .seconds(120))
    #expect(HTTPDate.delay("99999999999999999999", now: 0) == .seconds(86400))
    #expect(HTTPDate.delay("Sun, 09 Sep 2001 01:46:50 GMT", now: 1_000_000_000) == .seconds(10))
    #expect(HTTPDate.delay("Sun, 09 Sep 2001 01:46:30 GMT", now: 1_000_000_000) == .zero)
    for text in ["", "x", "-1", "1.5"] { #expect(HTTPDate.delay(text, now: 0) == nil) }
  }
}
