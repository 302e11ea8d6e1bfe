// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Those who wait for a picture, or have one made. One more than there may be is told to come again.
final class Crowd: Sendable {
  private let most: Int
  private let count = Atomic(0)

  init(_ most: Int) { self.most = most }

  /// - Throws: 503 if there are too many.
  func join<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
    defer { count.subtract(1, ordering: .relaxed) }
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "5"], message: "too many pictures at a time")
    }
    return try await work()
  }
}

/// Closes a connection whose client takes too long to send a whole request, also one that was answered already.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private let time: TimeAmount
  private var end: Scheduled<Void>?

  init(_ time: TimeAmount) { self.time = time }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      let channel = context.channel
      end = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    case .body: break
    case .end: end?.cancel()
    }
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    context.fireChannelInactive()
  }
}
