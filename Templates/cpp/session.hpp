// The plugin interface in C++: exceptions instead of statuses, destructors instead of frees. Nothing in this file
// depends on the format. R14: rule of imgcoder/plugin.h.

#ifndef SESSION_HPP
#define SESSION_HPP

#include <imgcoder/imgcoder.h>

#include <cstdint>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace coder {

inline std::string message_part(std::string_view text) { return std::string(text); }
inline std::string message_part(std::uint64_t number) { return std::to_string(number); }

constexpr std::uint64_t no_offset = UINT64_MAX;

// Why a call fails (R14). Any code below an entry point may throw it; the message is joined from texts and numbers.
// no_offset: the problem has no place in the file. Without a message only the status is passed on.
struct failure : std::runtime_error {
  imgcoder_status status;
  std::uint64_t offset;
  // Which limit was exceeded, IMGCODER_LIMIT_*, what the file needs and what is allowed.
  std::uint32_t limit = IMGCODER_LIMIT_NONE;
  std::uint64_t found = 0, allowed = 0;

  template <typename... Parts>
  failure(imgcoder_status why, std::uint64_t where, const Parts &...parts)
      : runtime_error((std::string() + ... + message_part(parts))), status(why), offset(where) {}
};

// Throws the status of a host's function, which has reported the reason already.
inline void check(imgcoder_status status) {
  if (status != IMGCODER_STATUS_OK) throw failure(status, no_offset);
}

// Throws LIMIT_EXCEEDED if the file needs more of a limit than is allowed.
void check_limit(std::uint32_t limit, std::uint64_t found, std::uint64_t allowed, std::uint64_t offset,
                 std::string_view name);

// Reports the exception that is being handled to the host, and returns its status.
imgcoder_status report_exception(const imgcoder_host *host) noexcept;

// Runs the body of a function that the host calls, and catches everything that it throws: an exception that leaves a
// function of the interface ends the process.
template <typename Body>
imgcoder_status guard(const imgcoder_host *host, Body body) noexcept {
  try {
    body();
    return IMGCODER_STATUS_OK;
  } catch (...) {
    return report_exception(host);
  }
}

// Allocates within the session's budget, for containers: `std::pmr::vector<int> numbers{&memory}`.
class session_memory final : public std::pmr::memory_resource {
 public:
  explicit session_memory(const imgcoder_host *owner) : host(owner) {}

 private:
  void *do_allocate(std::size_t size, std::size_t alignment) override {
    void *memory = host->allocate(host, size, alignment);
    return memory != nullptr ? memory : throw std::bad_alloc();
  }
  void do_deallocate(void *memory, std::size_t, std::size_t) override { host->free(host, memory); }
  bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

  const imgcoder_host *host;
};

// What the sessions of readers and writers have in common.
struct session {
  const imgcoder_host *host;
  session_memory memory{host};
};

// Bytes of the source from `offset` on, at most `most`; fewer than `least` only at the end of the file. They are valid
// until the next view.
struct view {
  const std::uint8_t *bytes = nullptr;
  std::uint64_t length = 0;

  view() = default;
  view(const imgcoder_source *source, std::uint64_t offset, std::uint64_t least, std::uint64_t most) {
    check(imgcoder_source_view_available(source, offset, least, most, &bytes, &length));
  }
};

// `open` and `close` of a table. The constructor reads the header, or the options.
template <typename Session, typename Bytes, typename Options>
imgcoder_status open_session(const imgcoder_coder *, const imgcoder_host *host, const Bytes *bytes,
                             const Options *options, Session **result) noexcept {
  return guard(host, [&] { *result = new Session(host, bytes, options); });
}

template <typename Session>
void close_session(Session *session) noexcept { delete session; }

// The other functions of a table: `entry<&imgcoder_reader::info>` calls the method under the guard.
template <auto method>
struct guarded_method;

template <typename Session, typename... Arguments, void (Session::*method)(Arguments...)>
struct guarded_method<method> {
  static imgcoder_status call(Session *session, Arguments... arguments) noexcept {
    return guard(session->host, [&] { (session->*method)(arguments...); });
  }
};

template <auto method>
constexpr auto entry = &guarded_method<method>::call;

}  // namespace coder

#endif
