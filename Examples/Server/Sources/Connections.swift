// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypes

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

/// Lets an answer go out before its connection is closed. A server that shuts down closes each connection right after the last
/// part of its answer, of which much may still wait for the client to read: without this the client would get a part of its picture.
final class WholeAnswers: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// How long a client may take for what is left.
  private let time: TimeAmount
  /// The last part of an answer, until it has gone out.
  private var ending: EventLoopFuture<Void>?

  init(_ time: TimeAmount) { self.time = time }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    let promise = promise ?? context.eventLoop.makePromise()
    ending = promise.futureResult
    promise.futureResult.assumeIsolated().whenComplete { _ in self.ending = nil }
    context.write(data, promise: promise)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode == .all, let ending else { return context.close(mode: mode, promise: promise) }
    // Who closes again does not wait.
    self.ending = nil
    let loop = context.eventLoop.assumeIsolated()
    let late = loop.scheduleTask(in: time) { context.close(mode: mode, promise: nil) }
    ending.assumeIsolated().whenComplete { _ in
      late.cancel()
      context.close(mode: mode, promise: promise)
    }
  }
}
