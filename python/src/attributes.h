#pragma once

#include <pybind11/pybind11.h>

/// Adds one read-only attribute after the other.
template <class T>
class Attributes {
 public:
  Attributes(pybind11::module_& module, const char* name) : class_(module, name) {}

  template <class Member>
  Attributes& operator()(const char* name, Member T::*member) {
    class_.def_readonly(name, member);
    return *this;
  }
  pybind11::class_<T>& type() { return class_; }

 private:
  pybind11::class_<T> class_;
};

/// The report and the document of an answer.
template <class Answer>
void bind_texts(Attributes<Answer>& answer) {
  answer.type()
      .def("json", [](const Answer& value) { return value.json; })
      .def("text", [](const Answer& value) { return value.text; });
}
