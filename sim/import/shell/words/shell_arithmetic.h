#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace simtrain {

/// What `$((text))` is: whole numbers and names, `+ - * / % ** <<`, comparisons (1 or 0), `? :`,
/// signs and brackets as the shell has them. `value_of` gives the value of a name (with or without
/// `$`), or of what is in the brackets of `${NAME:-8}`, or nothing where only a run knows it.
/// Nothing for any other text, a division by zero and numbers beyond 64 bits.
std::optional<std::int64_t> shell_arithmetic(
    std::string_view text,
    const std::function<std::optional<std::string>(const std::string& name)>& value_of);

}  // namespace simtrain
