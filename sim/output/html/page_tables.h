#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simtrain {

/// The body of a page with tables that nobody has to scroll: headings say that they head a column,
/// each cell has the heading of its column as `data-label`, and a table of many columns is of a
/// class of web/templates/stacked.css, which shows its rows as cards where it would not fit. Areas
/// that scroll all the same are reached by keyboard and have the name of what stands above them.
std::string labelled_tables(std::string_view body);

/// The class of a table of so many columns; empty where it fits everywhere.
std::string_view stacking_class(std::size_t columns);

/// The style sheet of these classes.
std::string stacking_style();

}  // namespace simtrain
