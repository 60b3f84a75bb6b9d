#include "sim/core/input/scalar_text.h"

#include <limits>

#include <doctest/doctest.h>

#include "tests/core/error_of.h"

namespace simtrain::testing::scalar_text_test {

namespace {

YamlNode scalar(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.place = {"a.yaml", 3, 9};
  node.text = text;
  return node;
}

template <class Value>
Value quantity(const std::string& text) {
  Value value{};
  scalar_quantity(scalar(text), "key", value);
  return value;
}

template <class Value>
std::string refused(const std::string& text) {
  return error_of([&] { quantity<Value>(text); });
}

std::int64_t integer(const std::string& text, Limits limits = kCount) {
  return scalar_integer(scalar(text), "key", limits);
}

double real(const std::string& text, Limits limits = kNotNegative) {
  return scalar_real(scalar(text), "key", limits);
}

}  // namespace

TEST_CASE("bytes take decimal and binary units, which are different words") {
  CHECK(quantity<Bytes>("7 B") == Bytes(7));
  CHECK(quantity<Bytes>("1 KiB") == Bytes(1024));
  CHECK(quantity<Bytes>("1 KB") == Bytes(1000));
  CHECK(quantity<Bytes>("80 GiB") == Bytes(80LL << 30));
  CHECK(quantity<Bytes>("80 GB") == Bytes(80'000'000'000));
  CHECK(quantity<Bytes>("1.5 MiB") == Bytes(1'572'864));
  CHECK(quantity<Bytes>("2 TiB") == Bytes(2LL << 40));
}

TEST_CASE("bandwidths count bits with a small b and bytes with a large one") {
  CHECK(quantity<Bandwidth>("400 Gb/s") == Bandwidth(50e9));
  CHECK(quantity<Bandwidth>("400 GB/s") == Bandwidth(400e9));
  CHECK(quantity<Bandwidth>("3.35 TB/s") == Bandwidth(3.35e12));
  CHECK(quantity<Bandwidth>("1.6 Tb/s") == Bandwidth(0.2e12));
}

TEST_CASE("rates of work and times take their own units") {
  CHECK(quantity<FlopRate>("989 TFLOP/s") == FlopRate(989e12));
  CHECK(quantity<FlopRate>("2 PFLOP/s") == FlopRate(2e15));
  CHECK(quantity<Duration>("1.33 us") == Duration(1'330'000));
  CHECK(quantity<Duration>("3 ps") == Duration(3));
  CHECK(quantity<Duration>("2 s") == std::chrono::seconds(2));
  CHECK(quantity<Duration>("0 us") == Duration(0));
}

TEST_CASE("power, money and what energy costs take their own units") {
  CHECK(quantity<Power>("700 W") == Power(700));
  CHECK(quantity<Power>("1.7 kW") == Power(1700));
  CHECK(quantity<Power>("0 W") == Power(0));
  CHECK(quantity<Money>("2.5 USD") == Money(2.5));
  CHECK(quantity<EnergyPrice>("0.08 USD/kWh") == EnergyPrice(0.08));
  CHECK(quantity<EnergyPrice>("80 USD/MWh") == EnergyPrice(0.08));
  CHECK(quantity<CarbonIntensity>("400 g/kWh") == CarbonIntensity(400));
  CHECK(quantity<CarbonIntensity>("0.4 kg/kWh") == CarbonIntensity(400));
  CHECK(refused<Power>("700") == "a.yaml:3:9: key: '700' needs one of the units W, kW, MW");
  CHECK(refused<Power>("-5 W") == "a.yaml:3:9: key: '-5 W' is negative");
  CHECK(refused<Money>("2.5 EUR") == "a.yaml:3:9: key: 'EUR' is no unit here; it takes one of USD");
  CHECK(refused<EnergyPrice>("8 USD") ==
        "a.yaml:3:9: key: 'USD' is no unit here; it takes one of USD/kWh, USD/MWh");
  CHECK(refused<CarbonIntensity>("1e30 g/kWh") == "a.yaml:3:9: key: '1e30 g/kWh' is too large");
}

TEST_CASE("the space before a unit is optional and an exponent is part of the number") {
  CHECK(quantity<Bytes>("4KiB") == Bytes(4096));
  CHECK(quantity<Bandwidth>("1e3 GB/s") == Bandwidth(1e12));
}

TEST_CASE("a quantity without a unit is refused with the units that would do") {
  CHECK(refused<Bytes>("80") ==
        "a.yaml:3:9: key: '80' needs one of the units B, KiB, MiB, GiB, TiB, KB, MB, GB, TB");
  CHECK(refused<Duration>("5") ==
        "a.yaml:3:9: key: '5' needs one of the units ps, ns, us, ms, s, min, h");
}

TEST_CASE("a unit of another kind or spelling is refused") {
  CHECK(refused<Bandwidth>("450 GB") ==
        "a.yaml:3:9: key: 'GB' is no unit here; it takes one of MB/s, GB/s, TB/s, Gb/s, Tb/s");
  CHECK(refused<Bytes>("80 gb") != "");
  CHECK(refused<FlopRate>("989 TFLOPS") != "");
  CHECK(refused<Duration>("2 us 3") != "");
}

TEST_CASE("what is no number is refused as a quantity") {
  for (const char* text : {"", "GB/s", "fast", ".nan GB/s", ".inf GB/s", "nan GB/s", "0x10 GB/s",
                           "1_000 GB/s", "1e400 GB/s", "1,5 GB/s", "+5 GB/s"}) {
    CAPTURE(text);
    CHECK(refused<Bandwidth>(text) != "");
  }
}

TEST_CASE("negative, zero and too large quantities are refused") {
  CHECK(refused<Duration>("-1 us") == "a.yaml:3:9: key: '-1 us' is negative");
  CHECK(refused<Bytes>("0 B") == "a.yaml:3:9: key: '0 B' is zero; it must be more");
  CHECK(refused<Bytes>("0.4 B") == "a.yaml:3:9: key: '0.4 B' is zero; it must be more");
  CHECK(refused<Bandwidth>("0 GB/s") == "a.yaml:3:9: key: '0 GB/s' is zero; it must be more");
  CHECK(refused<Bytes>("1e30 TiB") == "a.yaml:3:9: key: '1e30 TiB' is too large");
  CHECK(refused<Bytes>("1e308 TB") == "a.yaml:3:9: key: '1e308 TB' is too large");
  CHECK(refused<Duration>("1e9 s") == "a.yaml:3:9: key: '1e9 s' is too large");
}

TEST_CASE("integers are decimal") {
  CHECK(integer("8") == 8);
  CHECK(integer("0", kCountOrNone) == 0);
  CHECK(integer("-3", {-10, 10}) == -3);
  CHECK(error_of([] { integer("010"); }) ==
        "a.yaml:3:9: key: '010' starts with a zero; write it without");
  for (const char* text : {"", "8.0", "1e3", "0x10", "0o10", "+8", "8 ", "eight", "1_000", "-"}) {
    CAPTURE(text);
    CHECK(error_of([&] { integer(text); }) ==
          "a.yaml:3:9: key: must be a whole number, found '" + std::string(text) + "'");
  }
}

TEST_CASE("integers stay within their limits, and huge ones are refused") {
  CHECK(error_of([] { integer("0"); }) ==
        "a.yaml:3:9: key: '0' is out of range; 1 to 1000000000 would do");
  CHECK(error_of([] {
          integer("9", {1, 8});
        }) == "a.yaml:3:9: key: '9' is out of range; 1 to 8 would do");
  CHECK(error_of([] { integer("99999999999999999999"); }) ==
        "a.yaml:3:9: key: '99999999999999999999' is too large");
}

TEST_CASE("reals are finite and stay within their limits") {
  CHECK(real("0.94") == 0.94);
  CHECK(real("-2", {-3, 3}) == -2);
  CHECK(real("1e3") == 1000);
  for (const char* text : {"", ".nan", "nan", ".inf", "-.inf", "inf", "1e400", "0x1p3", "1.2.3"}) {
    CAPTURE(text);
    CHECK(error_of([&] { real(text); }) ==
          "a.yaml:3:9: key: must be a number, found '" + std::string(text) + "'");
  }
  CHECK(error_of([] { real("1.1", kShare); }) ==
        "a.yaml:3:9: key: '1.1' is out of range; 0 to 1 would do");
  CHECK(error_of([] { real("-1"); }) == "a.yaml:3:9: key: '-1' is too small; 0 or more would do");
  CHECK(error_of([] { real("1e305"); }) ==
        "a.yaml:3:9: key: '1e305' is out of range; 0 to 1e+300 would do");
}

TEST_CASE("only true and false are booleans") {
  CHECK(scalar_bool(scalar("true"), "key"));
  CHECK_FALSE(scalar_bool(scalar("false"), "key"));
  for (const char* text : {"no", "yes", "on", "off", "True", "1", ""}) {
    CAPTURE(text);
    CHECK(error_of([&] { static_cast<void>(scalar_bool(scalar(text), "key")); }) ==
          "a.yaml:3:9: key: must be true or false, found '" + std::string(text) + "'");
  }
}

}  // namespace simtrain::testing::scalar_text_test
