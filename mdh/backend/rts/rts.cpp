#include "mdh/backend/rts/rts.h"

#include "mdh/backend/rts/files.h"
#include "mdh/support/diagnostic.h"

namespace mdh::backend {

std::string rts_text(const std::string& name) {
  const auto file = rts_files().find(name);
  internal_check(file != rts_files().end(), "there is no helper '{}'", name);
  const std::string& text = file->second;
  const size_t behind_comment = text.find("\n\n");
  internal_check(text.starts_with("// ") && behind_comment != std::string::npos,
                 "helper '{}' does not say what it is for", name);
  const size_t begin = behind_comment + 2, end = text.find_last_not_of('\n') + 1;
  return text.substr(begin, end - begin);
}

}  // namespace mdh::backend
