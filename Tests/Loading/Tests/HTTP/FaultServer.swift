// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A server on the loopback address that does what a script says, down to the bytes: right or wrong.
///
/// The script is asked once for each request, with what the client sent and how many requests came before.
final class FaultServer: Sendable {
  /// What is done with a connection, one after the other.
  enum Step: Sendable {
    case bytes([UInt8])
    case text(String)
    /// Sends a byte each so many milliseconds, so many bytes in all.
    case drip(count: Int, milliseconds: Int64)
    /// Sends zeros until the client closes the connection.
    case endless
    /// Nothing, until the client closes the connection.
    case stall
    /// Closes the connection as usual.
    case close
    /// Closes it with a reset.
    case reset
  }

  struct Request: Sendable {
    let target: String
    /// Names in lower case.
    let headers: [String: String]
    /// How many requests came before.
    let index: Int
  }

  typealias Script = @Sendable (Request) -> [Step]

  private struct State {
    var requests: [Request] = []
    var bytesSent = 0
    var closed = 0
  }

  private let state = Mutex(State())
  private let channel: any Channel
  let port: Int

  init(_ script: @escaping Script) async throws {
    let box = Box()
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(box, script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
    box.server.withLock { $0 = Weak(self) }
  }

  func stop() async { try? await channel.close() }

  var requests: [Request] { state.withLock { $0.requests } }
  var targets: [String] { requests.map(\.target) }
  /// Bytes that were handed to the system for `endless`.
  var bytesSent: Int { state.withLock { $0.bytesSent } }
  /// Connections that the client closed.
  var closedCount: Int { state.withLock { $0.closed } }
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  fileprivate func note(_ target: String, _ headers: [String: String]) -> Request {
    state.withLock { state in
      let request = Request(target: target, headers: headers, index: state.requests.count)
      state.requests.append(request)
      return request
    }
  }
  fileprivate func noteSent(_ count: Int) { state.withLock { $0.bytesSent += count } }
  fileprivate func noteClosed() { state.withLock { $0.closed += 1 } }

  fileprivate struct Weak: Sendable {
    weak let server: FaultServer?
    init(_ server: FaultServer) { self.server = server }
  }

  fileprivate final class Box: Sendable {
    let server = Mutex<Weak?>(nil)
    var value: FaultServer? { server.withLock { $0?.server } }
  }

  /// Reads heads of requests and does the steps of their scripts.
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: Box
    private let script: Script
    private var received = ""
    private var isEndless = false

    init(_ box: Box, _ script: @escaping Script) {
      self.box = box
      self.script = script
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received += String(buffer: Self.unwrapInboundIn(data))
      while let end = received.range(of: "\r\n\r\n") {
        let lines = received[..<end.lowerBound].split(separator: "\r\n")
        received = String(received[end.upperBound...])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = String(line[colon...].dropFirst().drop { $0 == " " })
        }
        let target = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        guard let request = box.value?.note(target, headers) else { return context.close(promise: nil) }
        run(script(request)[...], context)
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      isEndless = false
      box.value?.noteClosed()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelWritabilityChanged(context: ChannelHandlerContext) { if isEndless { fill(context) } }

    private func run(_ steps: ArraySlice<Step>, _ context: ChannelHandlerContext) {
      guard let step = steps.first else { return }
      let rest = steps.dropFirst()
      let next = NIOLoopBound((self, context, rest), eventLoop: context.eventLoop)
      switch step {
      case .text(let text): send(Array(text.utf8), next)
      case .bytes(let bytes): send(bytes, next)
      case .drip(let count, let milliseconds):
        guard count > 0 else { return run(rest, context) }
        let again = NIOLoopBound(
          (self, context, ([.drip(count: count - 1, milliseconds: milliseconds)] + rest)[...]),
          eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
          guard again.value.1.channel.isActive else { return }
          again.value.0.send([0x42], again)
        }
      case .endless:
        isEndless = true
        fill(context)
      case .stall: break
      case .close: context.close(promise: nil)
      case .reset:
        let set = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        set?.assumeIsolated().whenComplete { _ in next.value.1.close(promise: nil) }
      }
    }

    private func send(
      _ bytes: [UInt8], _ next: NIOLoopBound<(Handler, ChannelHandlerContext, ArraySlice<Step>)>
    ) {
      let (handler, context, rest) = next.value
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenSuccess {
        handler.run(rest, context)
      }
    }

    private func fill(_ context: ChannelHandlerContext) {
      let chunk = ByteBuffer(repeating: 0, count: 16 << 10)
      while isEndless, context.channel.isActive, context.channel.isWritable {
        box.value?.noteSent(chunk.readableBytes)
        context.writeAndFlush(Self.wrapOutboundOut(chunk), promise: nil)
      }
    }
  }
}

extension String {
  /// Where a text begins and ends, without Foundation.
  fileprivate func range(of text: String) -> Range<String.Index>? {
    let (bytes, wanted) = (Array(utf8), Array(text.utf8))
    guard bytes.count >= wanted.count else { return nil }
    for start in 0...(bytes.count - wanted.count) where bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      let begin = utf8.index(utf8.startIndex, offsetBy: start)
      return begin..<utf8.index(begin, offsetBy: wanted.count)
    }
    return nil
  }
}

extension FaultServer.Step {
  /// A whole answer, of the type image/png unless the headers say otherwise.
  static func answer(_ status: Int, _ headers: [String] = [], _ body: [UInt8] = []) -> FaultServer.Step {
    let type = headers.contains { $0.lowercased().hasPrefix("content-type") } ? [] : ["Content-Type: image/png"]
    return .bytes(head(status, headers + type + ["Content-Length: \(body.count)"]) + body)
  }

  /// A head alone.
  static func head(_ status: Int, _ headers: [String]) -> FaultServer.Step {
    let bytes: [UInt8] = head(status, headers)
    return .bytes(bytes)
  }

  private static func head(_ status: Int, _ headers: [String]) -> [UInt8] {
    Array((["HTTP/1.1 \(status) X"] + headers).map { $0 + "\r\n" }.joined().utf8) + [13, 10]
  }
}
