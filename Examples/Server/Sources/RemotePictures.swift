// SPDX-License-Identifier: Apache-2.0

import Crypto
import Hummingbird
import ImageCodersBuiltIn
import ImageLoading

/// Thumbnails of pictures on other servers: `GET /?url=…&w=…`.
///
/// A picture is downloaded once for all who ask for it, whatever size they want; decoded once for each size; and written
/// once for each size and format.
struct RemotePictures {
  private let registry: CoderRegistry
  private let settings: Settings
  private let loader: ImageLoader
  /// Files that were written, by what was asked for and what it was made of.
  private let written: MemoryCache<Written>
  private let reading: DecodeOptions

  private struct Written: Sendable {
    let bytes: [UInt8]
    let format: ImageFormat
  }

  /// What is said to those who ask again: a minute where the picture's own server says nothing, and where it failed.
  private static let shortLife = 60

  /// - Parameter observers: Get what the loader does.
  init(
    _ registry: CoderRegistry, _ settings: Settings, reading: DecodeOptions, mostBytes: Int,
    observers: [any LoadObserver]
  ) throws {
    self.registry = registry
    self.settings = settings
    self.reading = reading
    var options = ImageLoader.Options()
    options.observers = observers
    options.limits = reading.limits
    options.allowedFormats = reading.allowedFormats
    options.fetchLimits.maxBytes = mostBytes
    options.fetchLimits.deadline = .seconds(15)
    // A server that asked once is soon asked again.
    options.failureLifetime = .seconds(30)
    // Other sizes of a picture come soon or never; what was written is kept as well.
    options.memory?.maxBytes = 32 << 20
    let disk = try settings.cacheFolder.map { try DiskCache(folder: $0) }
    loader = ImageLoader(
      fetcher: HTTPFetcher(policy: settings.addresses), registry: registry, disk: disk, options: options)
    var limits = MemoryCacheOptions()
    limits.maxBytes = 32 << 20
    written = MemoryCache(options: limits)
  }

  func respond(to request: Request) async throws -> Response {
    let asked = try PictureRequest(request.uri.queryParameters)
    let now = Int(ImageLoader.Options.systemTime())
    try settings.check(asked, now: now)
    guard asked.url.hasPrefix("https://") || asked.url.hasPrefix("http://") else {
      throw PictureRequest.refusal("the scheme of url; http and https are known")
    }
    var wanted = ImageRequest(asked.url, thumbnail: asked.box, mode: asked.mode)
    wanted.output.color = .convert(to: .sRGB)
    wanted.output.firstFrameOnly = true
    wanted.output.metadata = []
    let loaded: ImageResponse
    do throws(LoadingError) { loaded = try await loader.image(for: wanted) } catch { throw Self.refusal(error) }
    let format =
      asked.format
      ?? Negotiation.format(accepting: request.headers[.accept], hasAlpha: loaded.pixels.alpha != .opaque) {
        registry.mimeType(of: $0) != nil
      }
    let tag = Self.tag(of: loaded, asked, format)
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: "public, max-age=\(Self.life(of: loaded, asked, now: now))", .vary: "Accept",
      .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; sandbox",
    ]
    if Self.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: headers) }
    let file = try await file(loaded.image, asked, format, key: CacheKey(tag))
    headers[.contentType] = registry.mimeType(of: file.format) ?? "application/octet-stream"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: file.bytes)))
  }

  private func file(
    _ image: Image, _ asked: PictureRequest, _ format: ImageFormat, key: CacheKey
  ) async throws -> Written {
    if let known = written.value(for: key) { return known }
    var options = EncodeOptions(.web)
    options.firstFrameOnly = true
    options.quality = asked.quality.map { Double($0) / 100 } ?? Self.quality(of: format)
    do throws(CoderError) {
      let made = Written(bytes: try await registry.async.encode(image, as: format, options: options), format: format)
      written.put(made, for: key, bytes: made.bytes.count)
      return made
    } catch {
      throw HTTPError(Server.status(of: error), message: error.message)
    }
  }

  /// Qualities at which the three look alike.
  private static func quality(of format: ImageFormat) -> Double? {
    switch format {
    case .avif: 0.55
    case .webP: 0.78
    case .jpeg: 0.80
    default: nil
    }
  }

  /// Names what the answer is made of: the source as its server names it, and what becomes of it.
  private static func tag(of loaded: ImageResponse, _ asked: PictureRequest, _ format: ImageFormat) -> String {
    let stated = loaded.httpResponse?.headers.first { $0.first == "etag" }?.last
    let source =
      stated ?? loaded.httpResponse?.headers.first { $0.first == "last-modified" }?.last ?? digest(of: loaded.pixels)
    let made = "\(asked.box) \(asked.mode) \(asked.quality ?? 0) \(format.rawValue) \(loaded.byteCount ?? 0)"
    let text = "\(asked.url)\n\(source)\n\(made)"
    return "\"\(Signature.base64URL(SHA256.hash(data: Array(text.utf8)).prefix(18)))\""
  }

  /// The pixels, where a server names no version of its file: another file may have the same number of bytes.
  private static func digest(of pixels: PixelBuffer) -> String {
    Signature.base64URL(SHA256.hash(data: pixels.copyBytes()))
  }

  /// RFC 9110 §13.1.2: weak comparison.
  private static func matches(_ given: String?, _ tag: String) -> Bool {
    guard let given else { return false }
    return given.split(separator: ",").contains { part in
      let name = part.drop { $0 == " " }
      return name == "*" || (name.hasPrefix("W/") ? name.dropFirst(2) : name) == tag
    }
  }

  /// As long as the source is fresh, at least a minute and at most a day; not after the link ends.
  private static func life(of loaded: ImageResponse, _ asked: PictureRequest, now: Int) -> Int {
    let stated = loaded.httpResponse?.headers.first { $0.first == "cache-control" }?.last ?? ""
    let age = stated.split(separator: ",").map { $0.filter { $0 != " " } }.first { $0.hasPrefix("max-age=") }
      .flatMap { Int($0.dropFirst(8)) }
    return min(max(age ?? shortLife, shortLife), 86_400, asked.expiry.map { max(0, $0 - now) } ?? .max)
  }

  private static func refusal(_ error: LoadingError) -> HTTPError {
    let status: HTTPResponse.Status =
      switch error.code {
      case .badRequest: .badRequest
      case .forbidden: .forbidden
      case .tooLarge: .contentTooLarge
      case .notAPicture: .unsupportedMediaType
      case .timeout: .gatewayTimeout
      case .decoding, .processing: error.cause.map(Server.status) ?? .unprocessableContent
      case .status where error.status == 404 || error.status == 410: .notFound
      case .connection, .badResponse, .status, .redirects, .failedBefore: .badGateway
      default: .internalServerError
      }
    return HTTPError(status, headers: [.cacheControl: "max-age=\(shortLife)"], message: error.message)
  }
}
