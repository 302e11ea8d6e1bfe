// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import ImageCodersBuiltIn
import ImageLoading

/// Divides the processors among those whose pictures are made: the host of each URL, and uploads. Work that would have to
/// wait too long is refused with 503, which says when to come again.
struct FairShares<Context: RequestContext>: RouterMiddleware {
  /// The tenant of all pictures that are sent.
  static var uploads: String { "uploads" }

  /// - Parameter mostWaiting: How many pieces of work of one tenant may wait.
  init(mostWaiting: Int) {
    WorkQueue.shared.policy = WorkQueue.Policy(maxWaitingOfTenant: mostWaiting, maxExpectedWait: .seconds(10))
  }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await WorkQueue.$tenant.withValue(Self.tenant(of: request)) { try await next(request, context) }
    } catch let error as HTTPError where error.status == .serviceUnavailable && error.headers[.retryAfter] == nil {
      var error = error
      error.headers[.retryAfter] = "\(Int(WorkQueue.shared.status.expectedWait / .seconds(1)) + 1)"
      throw error
    }
  }

  private static func tenant(of request: Request) -> WorkQueue.Tenant {
    let url = request.uri.queryParameters["url"].flatMap { try? URLParts(String($0)) }
    return WorkQueue.Tenant(url.map { "host \($0.host)" } ?? uploads)
  }

  /// `GET /status`: what waits, as JSON.
  static func status() -> String {
    let status = WorkQueue.shared.status
    let numbers = [
      ("running", status.running), ("waiting", status.waiting), ("tenants", status.waitingByTenant.count),
      ("longest_wait_ms", Int(status.longestWait / .milliseconds(1))),
      ("expected_wait_ms", Int(status.expectedWait / .milliseconds(1))), ("finished", status.finished),
      ("refused", status.refused),
    ]
    return "{" + numbers.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}\n"
  }
}
