#pragma once

#include "sim/core/input/yaml_reader.h"
#include "sim/study/validate/documented.h"

namespace simtrain {

template <>
struct Fields<ErrorBounds> {
  template <class Visitor>
  static void visit(Visitor& v, ErrorBounds& bounds) {
    v("mean", bounds.mean);
    v("max", bounds.max);
  }
};

template <>
struct Fields<TrendSpec> {
  template <class Visitor>
  static void visit(Visitor& v, TrendSpec& spec) {
    v("from", spec.from);
    v("to", spec.to);
    v("within", spec.within);
  }
};

template <>
struct Fields<FigureSpec> {
  template <class Visitor>
  static void visit(Visitor& v, FigureSpec& spec) {
    v("figure", spec.figure);
    v("label", spec.label);
    v("kind", spec.kind);
    v("rounding", spec.rounding, Limits{1e-15, 1e6});
    v.optional("within", spec.within);
    v.optional("stage", spec.stage);
  }
};

template <>
struct Fields<DisputedFigure> {
  template <class Visitor>
  static void visit(Visitor& v, DisputedFigure& figure) {
    v("figure", figure.figure);
    v("reason", figure.reason);
  }
};

template <>
struct Fields<DocumentedRow> {
  template <class Visitor>
  static void visit(Visitor& v, DocumentedRow& row) {
    v.optional("row", row.row);
    v.optional("column", row.column);
    v("printed", row.printed);
  }
};

template <>
struct Fields<DocumentedTable> {
  template <class Visitor>
  static void visit(Visitor& v, DocumentedTable& table) {
    v("table", table.table);
    v("use", table.use);
    v("group", table.group);
    v("precision", table.precision);
    v("scenario", table.scenario);
    v.optional("note", table.note);
    v.optional("grade", table.grade);
    v.optional("assumed", table.assumed);
    v.optional("bounds", table.bounds);
    v.optional("trend", table.trend);
    v("figures", table.figures);
    v("rows", table.rows);
    v.optional("disputed", table.disputed);
  }
};

template <>
struct Fields<Document> {
  template <class Visitor>
  static void visit(Visitor& v, Document& document) {
    v("document", document.document);
    v("title", document.title);
    v.optional("source", document.source);
    v.optional("framework", document.framework);
    v.optional("year", document.year, Limits{2017, 2100});
    v("tables", document.tables);
  }
};

template <>
struct Fields<DocumentedFile> {
  template <class Visitor>
  static void visit(Visitor& v, DocumentedFile& file) {
    v("name", file.name);
    v.optional("scenarios", file.scenarios);
    v.optional("bounds", file.bounds);
    v.optional("memory_bounds", file.memory_bounds);
    v("documents", file.documents);
  }
};

}  // namespace simtrain
