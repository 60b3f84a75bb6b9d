#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "sim/app/command.h"
#include "sim/app/options/options.h"
#include "sim/app/options/shared_rows.h"
#include "sim/app/serve/answers.h"
#include "sim/app/stop_signals.h"

namespace simtrain {
namespace {

constexpr int kMostPort = 65535;

constexpr std::array kServeOptions{
    OptionRow{.name = "port",
              .value = "N",
              .help = "of 127.0.0.1, where it listens and nowhere else; 0: one that is free",
              .type = OptionType::whole,
              .preset = "8017"}};

CommandResult serve_command(const CommandCall& call) {
  const auto values = parse_options(call.arguments, kServeOptions);
  if (!plain_arguments(values).empty())
    throw InputError({}, "", "serve takes options only; 'simtrain help serve' shows them");
  const int port = *int_option(values, "port");
  if (port < 0 || port > kMostPort)
    throw InputError({}, "--port", fmt::format("must be from 0 to {}", kMostPort));
  const StopSignals signals(StopSignals::First::is_noted, {});
  ServeAnswers answers(call.data);
  HttpServer server(port, [&](const HttpRequest& request) { return answers(request); });
  call.console.note(
      fmt::format("simtrain: serving http://127.0.0.1:{}/; Ctrl-C ends it\n", server.port()));
  server.run(std::max(2, static_cast<int>(std::thread::hardware_concurrency())), signals.came());
  return {};
}

}  // namespace

const CommandRow kServeCommand{"serve",
                               "serves a page to play with",
                               "simtrain serve",
                               "Serves a web page on this machine alone (127.0.0.1): choose a "
                               "scenario, a machine, a model and a "
                               "plan, see the step, share the link. /run answers with the JSON of "
                               "'simtrain run'. It reads the "
                               "data folder and no other file. Ctrl-C ends it.",
                               serve_command,
                               kServeOptions};

}  // namespace simtrain
