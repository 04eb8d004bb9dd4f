// Dimensions joined to one, before anything else is decided.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/program.h"

namespace mdh::passes {

/// rewrite:  md_hom( r: R by pw(⊕), s: S by pw(⊕) ) ... F[k, r, s]   ->   md_hom( r_s: R * S by
/// pw(⊕) ) ... F[k, r_s]
///
/// Sound because concatenation and reduction see sets of indices only, and (r, s) -> r * S + s is a
/// bijection. Buffer dimensions that lie side by side become one; in memory nothing changes.
/// Refused with E352: scans, different operators, accesses that are not affine afterwards.
hl::Program fuse(const hl::Program& program, const std::vector<std::vector<std::string>>& groups);

}  // namespace mdh::passes
