#include "sim/core/printable.h"

#include <doctest/doctest.h>

#include "sim/core/input/input_error.h"

namespace simtrain::testing::printable_test {
namespace {

TEST_CASE("what a terminal acts on is shown as '?', other text as it is") {
  CHECK(printable("Größe 50 µs, 模型 🚀") == "Größe 50 µs, 模型 🚀");
  CHECK(printable("a\nb\tc\x1b[31md\x7f") == "a?b?c?[31md?");
  CHECK(printable("a\u0085b") == "a?b");                           // C1: next line
  CHECK(printable("user\u202Etxt.exe\u202C") == "user?txt.exe?");  // right to left
  CHECK(printable("\u2066x\u2069\u200F\u061C\u2028\uFEFF") == "?x?????");
  CHECK(printable(std::string("a\0b", 3)) == "a?b");
}

TEST_CASE("bytes that are no UTF-8 are shown one by one") {
  CHECK(printable("\xff\xfe") == "??");
  CHECK(printable("a\xc3") == "a?");               // cut off
  CHECK(printable("\xc0\xaf") == "??");            // longer than needed
  CHECK(printable("\xed\xa0\x80") == "???");       // half of a pair
  CHECK(printable("\xf4\x90\x80\x80") == "????");  // beyond Unicode
}

TEST_CASE("a long word and a long text lose their middle, between characters") {
  const std::string word(1000, 'x');
  const std::string shown = echoed("found " + word + ", a number would do", 4000);
  CHECK(shown == "found " + std::string(225, 'x') + "...(701 bytes left out)..." +
                     std::string(74, 'x') + ", a number would do");
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "ä ";
  const std::string cut = echoed(many, 1000);
  CHECK(cut.size() < 1100);
  CHECK(printable(cut) == cut);
  CHECK(cut.find(" bytes left out)...") != std::string::npos);
  CHECK(echoed("short", 1000) == "short");
}

TEST_CASE("a text is cut before a character, not within it") {
  const std::string text = "a\u20acb";  // three bytes from the second on
  CHECK(cut_before(text, 0) == 0);
  CHECK(cut_before(text, 1) == 1);
  CHECK(cut_before(text, 2) == 1);
  CHECK(cut_before(text, 3) == 1);
  CHECK(cut_before(text, 4) == 4);
  CHECK(cut_before(text, 5) == 5);
}

TEST_CASE("an error stays one short line, whatever it echoes") {
  const std::string big(3'000'000, 'y');
  const InputError error({"a\u202E.yaml", 3, 4}, "key" + big, "found '" + big + "'; 5 would do");
  const std::string message = error.what();
  CHECK(message.size() < 6000);
  CHECK(message.starts_with("a?.yaml:3:4: keyyyy"));
  CHECK(message.ends_with("; 5 would do"));
  CHECK(error.reason().starts_with("keyyyy"));
  const InputError option({"--set " + big + "=1", 1, 7}, "key", "is not known here");
  CHECK(std::string(option.what()).size() < 2000);
  CHECK(option.reason() == "key: is not known here");
  const std::string path(1100, 'p');
  CHECK(std::string(InputError({path}, "", "is empty").what()) == path + ": is empty");
}

}  // namespace
}  // namespace simtrain::testing::printable_test
