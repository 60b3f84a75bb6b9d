#include "sim/app/serve/http_server.h"

#include <chrono>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "sim/core/input/input_error.h"

namespace simtrain {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr int kOtherMethod = 405;
constexpr int kTooLarge = 413;

/// Whom a page in a browser takes the server for: a name that only resolves to it is none of these.
bool is_own_host(beast::string_view host) {
  const beast::string_view name = host.substr(0, host.rfind(':'));
  return name == "127.0.0.1" || name == "localhost";
}

HttpAnswer refusal(int status, const std::string& why) {
  return {status, "text/plain; charset=utf-8", why + "\n"};
}

HttpAnswer other_method() { return refusal(kOtherMethod, "GET and HEAD only"); }

bool asks(const Request& request) {
  return request.method() == http::verb::get || request.method() == http::verb::head;
}

HttpAnswer answer_to(const Request& request, const HttpHandler& handler) {
  if (request.count(http::field::host) > 1) return refusal(400, "it names several hosts");
  if (!is_own_host(request[http::field::host])) return refusal(403, "this host is not served");
  if (!asks(request)) return other_method();
  HttpRequest parsed;
  const beast::string_view target = request.target();
  if (!parse_target({target.data(), target.size()}, parsed))
    return refusal(400, "the address cannot be read");
  return handler(parsed);
}

/// What is wrong with a request that cannot be parsed; 0: nobody is there to be told.
int status_of(const ErrorCode& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message) return 0;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit || error == http::error::unexpected_body) return kTooLarge;
  const bool malformed = error.category() == make_error_code(http::error::bad_method).category();
  return malformed ? 400 : 0;
}

/// One connection: request after request, one at a time.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Tcp::socket socket, const HttpHandler& handler, std::atomic<int>& open)
      : stream_(std::move(socket)), handler_(handler), open_(open) {}
  ~Session() { --open_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(0);
    stream_.expires_after(std::chrono::seconds(kRequestSeconds));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const ErrorCode& error, std::size_t /*bytes*/) {
                       self->on_read(error);
                     });
  }

 private:
  void on_read(const ErrorCode& error) {
    if (!error) {
      const Request& request = parser_->get();
      return write(answer_to(request, handler_), request, request.keep_alive());
    }
    const int status = status_of(error);
    if (status == kTooLarge && !asks(parser_->get())) return write(other_method(), {}, false);
    if (status != 0) return write(refusal(status, "the request cannot be read"), {}, false);
    close();
  }

  /// In the request's version of HTTP: a client of 1.0 waits for the end of a connection that is
  /// not said to be kept.
  void write(HttpAnswer answer, const Request& request, bool keep_alive) {
    response_ = Response(static_cast<http::status>(answer.status), request.version());
    response_.set(http::field::content_type, answer.type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    if (answer.status == kOtherMethod) response_.set(http::field::allow, "GET, HEAD");
    response_.keep_alive(keep_alive);
    response_.content_length(answer.body.size());
    if (request.method() != http::verb::head) response_.body() = std::move(answer.body);
    stream_.expires_after(std::chrono::seconds(kRequestSeconds));
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const ErrorCode& error, std::size_t /*bytes*/) {
                        if (!error && self->response_.keep_alive()) return self->read();
                        self->close();
                      });
  }

  void close() {
    ErrorCode ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * kMostHeader};
  std::optional<http::request_parser<http::empty_body>> parser_;
  Response response_;
  const HttpHandler& handler_;
  std::atomic<int>& open_;
};

}  // namespace

struct HttpServer::Listener {
  Listener(int port, HttpHandler answer) : handler(std::move(answer)) {
    const Tcp::endpoint loopback(asio::ip::address_v4::loopback(),
                                 static_cast<unsigned short>(port));
    ErrorCode error;
    acceptor.open(loopback.protocol(), error);
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
    acceptor.bind(loopback, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw InputError({}, "--port", fmt::format("{} cannot be had: {}", port, error.message()));
  }

  void accept() {
    acceptor.async_accept(asio::make_strand(context),
                          [this](const ErrorCode& error, Tcp::socket socket) {
                            if (!error && ++open <= kMostConnections) {
                              std::make_shared<Session>(std::move(socket), handler, open)->read();
                            } else if (!error) {
                              --open;
                            }
                            accept();
                          });
  }

  void watch(const std::atomic<int>& stop) {
    timer.expires_after(std::chrono::milliseconds(50));
    timer.async_wait([this, &stop](const ErrorCode& /*error*/) {
      if (stop != 0) return context.stop();
      watch(stop);
    });
  }

  HttpHandler handler;
  std::atomic<int> open{0};
  asio::io_context context;
  Tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};
};

HttpServer::HttpServer(int port, HttpHandler handler)
    : listener_(std::make_unique<Listener>(port, std::move(handler))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return listener_->acceptor.local_endpoint().port(); }

void HttpServer::run(int threads, const std::atomic<int>& stop) {
  listener_->accept();
  listener_->watch(stop);
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([this] { listener_->context.run(); });
  listener_->context.run();
}

}  // namespace simtrain
