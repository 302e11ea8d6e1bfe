// How errors reach the host.

#include "session.hpp"

namespace coder {

void check_limit(std::uint32_t limit, std::uint64_t found, std::uint64_t allowed, std::uint64_t offset,
                 std::string_view name) {
  if (found <= allowed) return;
  failure problem(IMGCODER_STATUS_LIMIT_EXCEEDED, offset, "a ", name, " of ", found, ", ", allowed, " is allowed");
  problem.limit = limit;
  problem.found = found;
  problem.allowed = allowed;
  throw problem;
}

imgcoder_status report_exception(const imgcoder_host *host) noexcept {
  const auto report = [host](imgcoder_status status, std::string_view message) {
    return host->fail(host, status, -1, {message.data(), message.size()});
  };
  try {
    throw;
  } catch (const failure &problem) {
    const std::string_view text = problem.what();
    if (text.empty()) return problem.status;
    const imgcoder_string message = {text.data(), text.size()};
    const auto offset = static_cast<std::int64_t>(problem.offset);  // no_offset becomes -1
    if (problem.limit == IMGCODER_LIMIT_NONE) return host->fail(host, problem.status, offset, message);
    return imgcoder_fail_limit(host, problem.limit, problem.found, problem.allowed, offset, message);
  } catch (const std::bad_alloc &) {
    return report(IMGCODER_STATUS_OUT_OF_MEMORY, "an allocation failed");
  } catch (const std::exception &error) {
    // Exceptions of a library that say more than this get a `catch` of their own above.
    return report(IMGCODER_STATUS_LIBRARY, error.what());
  } catch (...) {
    return report(IMGCODER_STATUS_LIBRARY, "an exception of an unknown type");
  }
}

}  // namespace coder
