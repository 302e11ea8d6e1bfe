// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  @_exported public import MobileCoreServices
#endif
