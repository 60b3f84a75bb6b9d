#pragma once

#include <string_view>

namespace simtrain {

// The files of web/, as they were when the program was built.

std::string_view page_style();         ///< page.css
std::string_view echarts_library();    ///< echarts/echarts.min.js
std::string_view charts_script();      ///< charts.js
std::string_view run_page_script();    ///< run_page.js
std::string_view sweep_page_script();  ///< sweep_page.js
std::string_view tune_page_script();   ///< tune_page.js
std::string_view scale_page_script();  ///< scale_page.js

}  // namespace simtrain
