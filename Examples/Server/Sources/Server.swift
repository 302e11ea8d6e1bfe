// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import ImageCodersBuiltIn
import ImageCodersWorker
import ImageLoading
import Logging
import ServiceLifecycle

/// `server [PORT [ADDRESS]]`: makes thumbnails of pictures that strangers send, and of those on other servers. The address
/// is this machine's own; in a container it is 0.0.0.0.
///
///     curl --data-binary @photo.heic "localhost:8080$(server sign upload w=300 format=webp)" >small.webp
///     curl "localhost:8080$(server sign url=https://example.com/cat.jpg w=300)" >small.jpg
///
/// Decoding blocks no thread that serves requests: `/health` answers at once, however many pictures wait.
@main struct Server {
  /// What strangers send is seen in locked processes alone, within the limits of the policy.
  static let registry = CoderRegistry(builtIn: .all, policy: .web)
  static let mostBytes = 32 << 20

  /// What is accepted: whole pictures of a few formats.
  static let reading = DecodeOptions(isStrict: true, allowedFormats: [.jpeg, .png, .webP, .gif, .heic, .avif])

  static func main() async throws {
    // A worker is this program once more.
    CoderWorker.runIfAsked(.all)
    giveMemoryBack()
    let arguments = CommandLine.arguments.dropFirst()
    let settings = try Settings(Settings.environment)
    if arguments.first == "sign" { return try printSigned(Array(arguments.dropFirst()), settings) }
    let port = arguments.first.flatMap { Int($0) } ?? 8080
    let address = arguments.dropFirst().first ?? "127.0.0.1"
    let logger = Logger(label: "server")
    let telemetry = settings.collector.map { Telemetry(collector: $0, logger: logger) }
    let application = Application(
      router: try router(settings, telemetry),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            RequestDeadline(.seconds(settings.mostSeconds + settings.mostSilence)),
            WholeAnswers(.seconds(settings.mostSeconds)),
          ],
          idleTimeout: .seconds(settings.mostSilence))),
      configuration: .init(address: .hostname(address, port: port)), logger: logger)
    // On SIGTERM, no connection is accepted any more, requests that have begun are answered, and then what was measured is sent.
    let services: [any Service] = (telemetry.map { [$0] } ?? []) + [application]
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(settings.mostSeconds)
    try await ServiceGroup(configuration: configuration).run()
  }

  static func router(_ settings: Settings, _ telemetry: Telemetry?) throws -> Router<BasicRequestContext> {
    let pictures = try RemotePictures(
      registry, settings, reading: reading, mostBytes: mostBytes,
      observers: telemetry.map { [MetricsObserver($0.measurements), TracingObserver($0.tracer)] } ?? [])
    let router = Router()
    if let telemetry { router.add(middleware: RequestSpans(tracer: telemetry.tracer)) }
    router.add(middleware: FairShares(mostWaiting: settings.mostWaiting))
    router.get("health") { _, _ in "ok\n" }
    router.get("status") { _, _ in FairShares<BasicRequestContext>.status() }
    let crowd = Crowd(settings.mostPictures)
    router.get("/") { request, _ in try await crowd.join { try await pictures.respond(to: request) } }
    router.post("thumbnail") { request, _ in
      // Before a byte of the picture is taken.
      let asked = try PictureRequest(request.uri.queryParameters, isUpload: true)
      try settings.check(asked, now: Int(ImageLoader.Options.systemTime()))
      return try await crowd.join {
        // A client that hangs up cancels its task, and so takes its picture out of the queue, or ends its worker. Hummingbird
        // closes the connection after the answer then, which says so.
        do {
          var response = try await request.body.consumeWithCancellationOnInboundClose { body in
            try await thumbnail(of: .bytes(upload(body, of: request, within: settings.mostSeconds)), asked)
          }
          response.headers[.connection] = "close"
          return response
        } catch var error as HTTPError {
          error.headers[.connection] = "close"
          throw error
        } catch is CancellationError {
          throw HTTPError(
            .badRequest, headers: [.connection: "close"], message: "the request ended otherwise than it began")
        }
      }
    }
    return router
  }

  /// `server sign url=… w=…`, `server sign upload w=…`: prints the path of a request with its signature, made with the first of
  /// `SERVER_KEYS`.
  static func printSigned(_ parameters: [String], _ settings: Settings) throws {
    guard let signature = settings.signature else { throw SettingsError("SERVER_KEYS is not set") }
    let isUpload = parameters.first == "upload"
    let pairs = parameters.dropFirst(isUpload ? 1 : 0).map { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
    }
    let signed = pairs.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }
    let text = ((isUpload ? [PictureRequest.uploadLine] : []) + signed).joined(separator: "\n")
    let query = pairs.map { "\($0.name)=\(escaped($0.value))" } + ["s=\(signature.sign(text))"]
    print((isUpload ? "/thumbnail?" : "/?") + query.joined(separator: "&"))
  }

  /// RFC 3986 §2.3: all but unreserved characters as their bytes.
  static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { escaped, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// The bytes of an upload, in memory that is as large as the client says they are, and no larger.
  static func upload(_ body: RequestBody, of request: Request, within seconds: Int64) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    let stated = request.headers[.contentLength].flatMap { Int($0) } ?? 0
    guard stated <= mostBytes else { throw HTTPError(.contentTooLarge) }
    bytes.reserveCapacity(stated)
    let start = ContinuousClock.now
    for try await chunk in body {
      guard ContinuousClock.now - start < .seconds(seconds) else { throw HTTPError(.requestTimeout) }
      guard bytes.count + chunk.readableBytes <= mostBytes else { throw HTTPError(.contentTooLarge) }
      bytes += chunk.readableBytesView
    }
    return bytes
  }

  static func thumbnail(of upload: ByteSource, _ asked: PictureRequest) async throws -> Response {
    do {
      var preset = ThumbnailPreset.web.sized(width: asked.box.width, height: asked.box.height)
      preset.mode = asked.mode
      preset.format = asked.format
      let small = try await registry.async.makeThumbnail(of: upload, preset, reading: reading)
      return Response(
        status: .ok, headers: [.contentType: registry.mimeType(of: small.format) ?? "application/octet-stream"],
        body: .init(byteBuffer: ByteBuffer(bytes: small.bytes)))
    } catch {
      throw HTTPError(status(of: error), message: error.message)
    }
  }

  static func status(of error: CoderError) -> HTTPResponse.Status {
    if error.code == .overloaded { return .serviceUnavailable }
    if error.code == .cancelled { return .badRequest }
    return switch error.code.group {
    case .file: .unprocessableContent
    case .unsupported: .unsupportedMediaType
    case .limits: .contentTooLarge
    case .caller: .badRequest
    case .environment: .internalServerError
    }
  }
}
