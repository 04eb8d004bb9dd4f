#include "mdh/driver/npy.h"

#include <array>
#include <cstring>
#include <regex>

#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::driver {
namespace {

using scalar::Array;
using scalar::Scalar;

struct Row {
  Scalar type;
  std::string_view code;  // of NumPy, without the byte order
};

constexpr std::array<Row, 12> table = {{{Scalar::boolean, "b1"},
                                        {Scalar::i8, "i1"},
                                        {Scalar::i16, "i2"},
                                        {Scalar::i32, "i4"},
                                        {Scalar::i64, "i8"},
                                        {Scalar::u8, "u1"},
                                        {Scalar::u16, "u2"},
                                        {Scalar::u32, "u4"},
                                        {Scalar::u64, "u8"},
                                        {Scalar::f16, "f2"},
                                        {Scalar::f32, "f4"},
                                        {Scalar::f64, "f8"}}};

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void broken(const std::filesystem::path& path, const std::string& what) {
  user_error("E820", {}, fmt::format("'{}' cannot be used: {}", path.string(), what),
             "write it with numpy.save, in C order and the machine's byte order");
}

/// The text of the header and where the data begin.
struct Header {
  std::string text;
  size_t data;
};

Header header_of(const std::string& content, const std::filesystem::path& path) {
  if (content.size() < 12 || content.compare(0, magic.size(), magic) != 0) {
    broken(path, "it is not a .npy file");
  }
  const bool is_long = content[6] > 1;
  const size_t begin = is_long ? 12 : 10;
  uint32_t length = 0;
  std::memcpy(&length, content.data() + 8, is_long ? 4 : 2);
  if (begin + length > content.size()) broken(path, "its header is cut off");
  return {content.substr(begin, length), begin + length};
}

Scalar type_in(const std::string& header, const std::filesystem::path& path) {
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr': *'([<|=>])([a-z][0-9])'"))) {
    broken(path, "its elements are not scalars");
  }
  if (match[1] == ">") broken(path, "it is big-endian");
  for (const Row& row : table) {
    if (row.code == match[2].str()) return row.type;
  }
  broken(path, fmt::format("its element type '{}' is unknown", match[2].str()));
}

scalar::Extents extents_in(const std::string& header, const std::filesystem::path& path) {
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'shape': *\\(([0-9, ]*)\\)"))) {
    broken(path, "its header has no shape");
  }
  scalar::Extents extents;
  for (std::string word : split(match[1].str(), ',')) {
    word.erase(0, word.find_first_not_of(' '));
    long long extent = 0;
    if (word.empty()) continue;
    if (!to_integer(word, extent) || extent > (int64_t{1} << 40))
      broken(path, "its shape is wrong");
    extents.push_back(extent);
  }
  return extents;
}

}  // namespace

Array read_npy(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  const Header header = header_of(content, path);
  if (header.text.find("'fortran_order': True") != std::string::npos) {
    broken(path, "it is stored in column-major order");
  }
  const Scalar type = type_in(header.text, path);
  const scalar::Extents extents = extents_in(header.text, path);
  const auto bytes = static_cast<size_t>(scalar::volume(extents) * scalar::bytes_of(type));
  if (content.size() - header.data != bytes) {
    broken(path, fmt::format("it holds {} bytes of data, but its shape needs {}",
                             content.size() - header.data, bytes));
  }
  return scalar::copy_from_memory(type, extents, content.data() + header.data);
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  std::string_view code;
  for (const Row& row : table) {
    if (scalar::Type(row.type) == array.type) code = row.code;
  }
  if (code.empty()) {
    unsupported("E821", {}, fmt::format("writing {} to a .npy file", to_string(array.type)),
                "give the output a scalar type that NumPy has");
  }
  std::vector<std::string> extents;
  for (const int64_t n : array.extents) extents.push_back(std::to_string(n));
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   code[1] == '1' ? "|" : "<", code, join(extents, ", "),
                                   extents.size() == 1 ? "," : "");
  // The data begin at a multiple of 64, after a line break.
  header.append(63 - (magic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string content(magic);
  content += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  content += header;
  const size_t data = content.size();
  content.resize(data + static_cast<size_t>(array.size() * scalar::bytes_of(array.type)));
  copy_to_memory(array, content.data() + data);
  write_file(path, content);
}

}  // namespace mdh::driver
