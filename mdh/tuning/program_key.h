// What two programs have in common that are the same but for their names.
//
// The canonical text of a program is a function of the program with all parameters bound: types and
// constants are written out, names are positional (out1, in1, d1, ...), and the size of every
// dimension is a parameter, N1, N2, ..., so that one text serves all sizes. So a program of the
// catalogue, the same one in a file, and one with its sizes written as numbers have one text:
//
//   program matvec<T: type = f32, I: size = 7, K: size = 13> =  out_view( w: T = [i] )
//     * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; } * inp_view( M: T = [i, k]; v: T = [k]
//     )
//
//   program p<N1: size, N2: size> = out_view( out1: f32 = [d1] )
//     * md_hom( d1: N1 by cc, d2: N2 by pw(add) ) { out1 = in1 * in2; }
//     * inp_view( in1: f32 = [d1, d2]; in2: f32 = [d2] )                           N1 = 7, N2 = 13
//
// Declared extents are left out where they follow anyway, and are parameters, too, E1, E2, ...,
// where they do not. Affine index functions are written in one way. A size that stands elsewhere,
// in f or in an index function, is a number there: such a program has a text for each of its sizes.
// Names inside of definitions (records, functions, operators) and their order count.
#pragma once

#include <map>
#include <string>

#include "mdh/hl/program.h"
#include "mdh/tuning/config_names.h"

namespace mdh::tuning {

struct CanonicalProgram {
  std::string text;
  std::map<std::string, int64_t> sizes;      // of N1, ..., E1, ...; those known at run time are not
  std::map<std::string, std::string> types;  // by buffer
  ConfigNames names;                         // from those of the program to those of the text

  /// A short name of the text.
  std::string key() const;
};

/// Of a program without parameters but for sizes that are known only at run time.
CanonicalProgram canonical_program(const hl::Program& program);

}  // namespace mdh::tuning
