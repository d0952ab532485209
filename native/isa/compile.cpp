// All kernels for one instruction set: compiled once for each, with RANKINE_ISA naming the namespace and the flags of
// the compiler naming the set (CMakeLists.txt). See kernels.hpp for why nothing here may be shared between sets.
#include "columns.hpp"
#include "dense.hpp"
#include "few_levels.hpp"
#include "kernels.hpp"
#include "logistic.hpp"
#include "many_levels.hpp"
#include "product.hpp"
#include "sort.hpp"
#include "windows.hpp"

namespace rankine::RANKINE_ISA {

#define RANKINE_TEXT_OF(name) #name
#define RANKINE_TEXT(name) RANKINE_TEXT_OF(name)
extern const Kernels table;
constinit const Kernels table{
    .name = RANKINE_TEXT(RANKINE_ISA),
    .sort = sort,
    .sweep = {window_keys, guard_keys, merge_windows, sweep_few_levels, sweep_few_levels, product_few_levels,
              counter_doubles, sweep_many_levels},
    .float32 = {scores<float>, add_rows<float>, add_squares<float>, describe_columns<float>},
    .float64 = {scores<double>, add_rows<double>, add_squares<double>, describe_columns<double>},
    .single_hessian = {padding<float>, n_apart, centre<float, float>, centre<double, float>, subtract_pairs<float>,
                       add_product<float>, flush<float>},
    .double_hessian = {padding<double>, n_apart, centre<float, double>, centre<double, double>, subtract_pairs<double>,
                       add_product<double>, flush<double>},
    .logistic = {logistic_pairs, logistic_product, logistic_rows<float>, logistic_rows<double>},
};

}  // namespace rankine::RANKINE_ISA
