// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import CMalloc
#endif

/// Has memory go back to the system when it is freed. glibc has up to eight arenas for each processor, and with each large
/// block that is freed raises the size from which memory is mapped, up to 32 MiB: a server of pictures then keeps the
/// largest blocks that each thread has seen. See mallopt(3); docs/benchmarks.md says what it saves and costs.
func giveMemoryBack() {
  #if canImport(Glibc)
    mallopt(M_ARENA_MAX, 2)
    mallopt(M_MMAP_THRESHOLD, 128 << 10)
    mallopt(M_TRIM_THRESHOLD, 128 << 10)
  #endif
}
