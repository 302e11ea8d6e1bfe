// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  /// A type: its identifier, what it is a kind of, and its names, the preferred ones first.
  struct Row {
    let identifier: String
    let name: String
    let parents: [String]
    let extensions: [String]
    let mimeTypes: [String]

    func tags(_ tagClass: UTTagClass) -> [String] {
      switch tagClass {
      case .filenameExtension: extensions
      case .mimeType: mimeTypes
      default: []
      }
    }

    private init(_ identifier: String, _ name: String, of parents: String, ext: String = "", mime: String = "") {
      self.identifier = identifier
      self.name = name
      self.parents = parents.split(separator: " ").map { "public.\($0)" }
      extensions = ext.split(separator: " ").map(String.init)
      mimeTypes = mime.split(separator: " ").map(String.init)
    }

    static let all: [Row] = [
      Row("public.item", "item", of: ""), Row("public.content", "content", of: ""),
      Row("public.data", "data", of: "item"), Row("public.directory", "directory", of: "item"),
      Row("public.folder", "folder", of: "directory"), Row("public.archive", "archive", of: "data"),
      Row("public.image", "image", of: "data content"),
      Row("public.camera-raw-image", "camera raw image", of: "image"),
      Row("public.jpeg", "JPEG image", of: "image", ext: "jpeg jpg jpe jfif", mime: "image/jpeg image/jpg"),
      Row("public.png", "PNG image", of: "image", ext: "png", mime: "image/png"),
      Row("com.compuserve.gif", "GIF image", of: "image", ext: "gif", mime: "image/gif"),
      Row("public.tiff", "TIFF image", of: "image", ext: "tiff tif", mime: "image/tiff"),
      Row("public.heif-standard", "HEIF Image", of: "image"),
      Row("public.heic", "HEIF Image", of: "heif-standard", ext: "heic", mime: "image/heic"),
      Row("public.heif", "HEIF Image", of: "heif-standard", ext: "heif hif", mime: "image/heif"),
      Row("public.heics", "HEIF Image Sequence", of: "heif-standard", ext: "heics", mime: "image/heic-sequence"),
      Row("public.avif", "AVIF Image", of: "heif-standard", ext: "avif", mime: "image/avif"),
      Row("public.avis", "AVIF Image Sequence", of: "heif-standard", ext: "avis"),
      Row("org.webmproject.webp", "WebP image", of: "image", ext: "webp", mime: "image/webp"),
      Row("com.microsoft.bmp", "BMP image", of: "image", ext: "bmp dib", mime: "image/bmp image/x-ms-bmp"),
      Row("com.microsoft.ico", "Windows icon", of: "image", ext: "ico", mime: "image/vnd.microsoft.icon image/x-icon"),
      Row("com.microsoft.cur", "Windows cursor", of: "image", ext: "cur"),
      Row("com.apple.icns", "Apple icon image", of: "image", ext: "icns"),
      Row("public.jpeg-2000", "JPEG 2000 image", of: "image", ext: "jp2 j2k jpf jpx jpm", mime: "image/jp2"),
      Row("public.jpeg-xl", "JPEG XL image", of: "image", ext: "jxl", mime: "image/jxl"),
      Row(
        "com.adobe.photoshop-image", "Adobe Photoshop document", of: "image", ext: "psd",
        mime: "image/vnd.adobe.photoshop"),
      Row("com.ilm.openexr-image", "OpenEXR image", of: "image", ext: "exr", mime: "image/x-exr"),
      Row("public.radiance", "Radiance HDR image", of: "image", ext: "hdr pic", mime: "image/vnd.radiance"),
      Row("com.adobe.raw-image", "Digital Negative", of: "camera-raw-image", ext: "dng", mime: "image/x-adobe-dng"),
      Row(
        "com.canon.cr2-raw-image", "Canon CR2 raw image", of: "camera-raw-image", ext: "cr2", mime: "image/x-canon-cr2"),
      Row("com.canon.cr3-raw-image", "Canon CR3 raw image", of: "camera-raw-image", ext: "cr3"),
      Row("com.nikon.raw-image", "Nikon raw image", of: "camera-raw-image", ext: "nef", mime: "image/x-nikon-nef"),
      Row("com.sony.arw-raw-image", "Sony ARW raw image", of: "camera-raw-image", ext: "arw"),
      Row(
        "net.sourceforge.netpbm", "Netpbm image", of: "image", ext: "pnm pgm ppm pam", mime: "image/x-portable-anymap"),
      Row("public.pbm", "PBM image", of: "image", ext: "pbm"),
      Row("org.qoiformat.qoi", "QOI image", of: "image", ext: "qoi", mime: "image/qoi"),
      Row("public.svg-image", "SVG image", of: "image text", ext: "svg svgz", mime: "image/svg+xml"),
      Row("com.truevision.tga-image", "TGA image", of: "image", ext: "tga", mime: "image/targa"),
      Row("com.adobe.pdf", "PDF document", of: "data content", ext: "pdf", mime: "application/pdf"),
      Row("com.apple.live-photo", "live photo", of: "content"),
      Row("public.audiovisual-content", "audiovisual content", of: "data content"),
      Row("public.movie", "movie", of: "audiovisual-content"), Row("public.video", "video", of: "movie"),
      Row("public.audio", "audio", of: "audiovisual-content"),
      Row("public.mpeg-4", "MPEG-4 movie", of: "movie", ext: "mp4 mpg4", mime: "video/mp4"),
      Row("com.apple.quicktime-movie", "QuickTime movie", of: "movie", ext: "mov qt", mime: "video/quicktime"),
      Row("public.mp3", "MP3 audio", of: "audio", ext: "mp3", mime: "audio/mpeg"),
      Row("public.zip-archive", "ZIP archive", of: "archive", ext: "zip", mime: "application/zip"),
      Row("public.text", "text", of: "data content"),
      Row("public.plain-text", "text", of: "text", ext: "txt text", mime: "text/plain"),
      Row("public.utf8-plain-text", "text", of: "plain-text"),
      Row("public.html", "HTML text", of: "text", ext: "html htm", mime: "text/html"),
      Row("public.xml", "XML text", of: "text", ext: "xml", mime: "application/xml text/xml"),
      Row("public.json", "JSON", of: "text", ext: "json", mime: "application/json"),
      Row("public.comma-separated-values-text", "CSV document", of: "text", ext: "csv", mime: "text/csv"),
      Row("public.url", "URL", of: "data"), Row("public.file-url", "file URL", of: "url"),
    ]
  }
#endif
