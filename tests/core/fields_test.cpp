#include "sim/core/fields.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace simtrain::testing::fields_test {
namespace {

struct Listed {
  int first = 1;
  int second = 2;
};

struct ListedElsewhere {
  int first = 1;
};

struct WithMember {
  int only = 3;
  template <class Visitor>
  void fields(Visitor& v) {
    v("only", only);
  }
};

struct Plain {
  int value = 0;
};

}  // namespace
}  // namespace simtrain::testing::fields_test

namespace simtrain {

template <>
struct Fields<testing::fields_test::Listed> {
  template <class Visitor>
  static void visit(Visitor& v, testing::fields_test::Listed& value) {
    v("first", value.first);
    v.optional("second", value.second);
  }
};
template <>
struct Fields<testing::fields_test::ListedElsewhere>;

}  // namespace simtrain

namespace simtrain::testing::fields_test {

namespace {

struct Names {
  std::vector<std::string> all;
  void operator()(const char* key, int& /*field*/) { all.emplace_back(key); }
  void optional(const char* key, int& /*field*/) { all.push_back(std::string(key) + "?"); }
};

template <class T>
std::vector<std::string> visited() {
  T value{};
  Names names;
  visit_fields(names, value);
  return names.all;
}

}  // namespace

TEST_CASE("the fields of a struct are visited in the order of its list") {
  CHECK(visited<Listed>() == std::vector<std::string>{"first", "second?"});
  CHECK(visited<WithMember>() == std::vector<std::string>{"only"});
}

TEST_CASE("a struct whose list is declared counts as one with fields where it is not included") {
  CHECK(Fielded<ListedElsewhere>);
  CHECK_FALSE(FieldsIncluded<ListedElsewhere>);
  CHECK(FieldsIncluded<Listed>);
  CHECK(FieldsIncluded<WithMember>);
}

TEST_CASE("a type without a list has no fields") {
  CHECK_FALSE(Fielded<Plain>);
  CHECK_FALSE(Fielded<int>);
  CHECK_FALSE(Fielded<std::vector<Listed>>);
}

}  // namespace simtrain::testing::fields_test
