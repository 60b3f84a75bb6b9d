#pragma once

#include <string>

/// The fields of a struct, listed once for all that reads, lists or writes its keys. A struct that
/// many files use is a plain shape; its header only declares that there is a list:
///
///     struct LinkSpec {                         // link_spec.h
///       std::string name;
///       Bandwidth bandwidth;
///       int lanes = 1;
///       SourcePlace where;                      // optional: filled with the place of the map
///     };
///     template <>
///     struct Fields<LinkSpec>;
///
/// and the list is in a header of its own, for the few files that visit the fields:
///
///     template <>
///     struct Fields<LinkSpec> {                 // link_fields.h, includes yaml_reader.h
///       template <class Visitor>
///       static void visit(Visitor& v, LinkSpec& link) {
///         v("name", link.name);
///         v("bandwidth", link.bandwidth);            // required
///         v.optional("lanes", link.lanes, kCount);   // may be missing: the struct's default stays
///       }
///     };
///
/// The declaration makes the struct `Fielded` everywhere: a file that visits it without the list
/// does not compile. A struct that is used in one .cpp file only may have the list as a member:
/// `template <class Visitor> void fields(Visitor& v)`.
namespace simtrain {

struct YamlNode;

/// The list of a struct; this one is of all types that have none.
template <class T>
struct Fields {
  using None = void;
};

namespace fields_detail {
struct AnyVisitor;
}

template <class T>
requires requires(T& value, fields_detail::AnyVisitor& v) { value.fields(v); }
struct Fields<T> {
  template <class Visitor>
  static void visit(Visitor& v, T& value) {
    value.fields(v);
  }
};

/// Has a list of its fields, whether or not this file includes it.
template <class T>
concept Fielded = !requires {
  typename Fields<T>::None;
};

/// The list is included here.
template <class T>
concept FieldsIncluded = requires {
  sizeof(Fields<T>);
};

/// Hands each field to the visitor, in order: `v(key, field, limits...)` for one that must be
/// there, `v.optional(key, field, limits...)` for one that may be missing.
template <class Visitor, Fielded T>
void visit_fields(Visitor& v, T& value) {
  static_assert(FieldsIncluded<T>, "include the header that lists the struct's fields, *_fields.h");
  Fields<T>::visit(v, value);
}

/// Reads a struct from a map; `key` is the dotted way to it, for messages (yaml_reader.h).
template <class T>
T read_yaml(const YamlNode& node, const std::string& key);

}  // namespace simtrain
