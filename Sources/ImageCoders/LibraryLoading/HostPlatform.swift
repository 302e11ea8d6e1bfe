// SPDX-License-Identifier: Apache-2.0

import CHostSystem
import CImageCoder
import Glibc

/// What plugins have to fit.
package enum HostPlatform {
  package static let abiMajor = Int(IMGCODER_ABI_MAJOR)
  package static let abiMinor = Int(IMGCODER_ABI_MINOR)

  package static var name: String {
    #if arch(x86_64)
      "linux-x86_64"
    #elseif arch(arm64)
      "linux-aarch64"
    #else
      "linux-unknown"
    #endif
  }

  /// The Swift runtime of this process, as manifests name it: major and minor version, which is all that it tells.
  package static let runtime = Array("swift/\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2)).joined(
    separator: ".")

  /// Whether the Swift runtime of this process is a library that plugins can share. A program that was linked with
  /// `--static-swift-stdlib` has one of its own, and a second one in the same process would not know its types.
  package static let sharesRuntime = dlopen("libswiftCore.so", RTLD_LAZY | RTLD_NOLOAD) != nil

  /// The directory of the libraries of that runtime, or nil if this process has none of them.
  static let runtimeFolder: String? = {
    guard let name = chostsystem_library_of("swift_retain").map({ String(cString: $0) }) else { return nil }
    return name.hasSuffix("/libswiftCore.so") ? PluginSearchPath.parent(of: name) : nil
  }()

  /// Why a plugin that shares the runtime cannot be used otherwise, and the ways out.
  static let staticRuntimeAdvice = """
    shares the Swift runtime as a library, but this program has linked its own (--static-swift-stdlib); build the coder \
    into the program (product ImageCodersBuiltIn), or link the program without that option
    """
}
