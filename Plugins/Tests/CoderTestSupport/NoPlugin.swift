// SPDX-License-Identifier: Apache-2.0

public import CImageCoder

/// What the plugin interface's entry asks for. The SDK brings the entry into every program that links it; unit tests are
/// no plugin and have no coder.
@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { nil }
