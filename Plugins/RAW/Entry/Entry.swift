// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin
import RAWCoder

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
