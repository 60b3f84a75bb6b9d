#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtrain {

/// A GET request: the path and the fields behind its '?', decoded, in their order.
struct HttpRequest {
  std::string path;
  std::vector<std::pair<std::string, std::string>> fields;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
};

/// Answers a request; called by several threads at a time. It must not throw.
using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;

/// What a request may take of the server.
inline constexpr int kMostConnections = 256;      ///< further ones are closed at once
inline constexpr std::size_t kMostHeader = 8192;  ///< bytes of a request's head
inline constexpr int kRequestSeconds = 5;         ///< to send a request or to take its answer

/// An HTTP/1.1 server on the loopback address 127.0.0.1, for GET and HEAD alone. Requests that are
/// malformed, too large, too slow or meant for another host get an answer that says so, or none.
class HttpServer {
 public:
  /// Takes the port, 0: one that is free. Throws InputError where it cannot.
  HttpServer(int port, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] int port() const;
  /// Serves in `threads` threads until `stop` is not 0.
  void run(int threads, const std::atomic<int>& stop);

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

/// The path and fields of a request's target, "/run?set=tp%3D2&row=a+b". False where it is none.
bool parse_target(std::string_view target, HttpRequest& request);

}  // namespace simtrain
