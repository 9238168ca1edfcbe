#include "features/cuts.hpp"

#include <algorithm>
#include <array>

namespace headlong {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array<Code, 256> make_crc_table() {
  std::array<Code, 256> table{};
  for (Code byte = 0; byte < 256; ++byte) {
    Code code = byte;
    for (int bit = 0; bit < 8; ++bit) code = (code >> 1) ^ (code & 1 ? 0xEDB88320U : 0U);
    table[byte] = code;
  }
  return table;
}

constexpr std::array<Code, 256> CRC_TABLE = make_crc_table();

Code crc32(std::span<const std::uint8_t> bytes, Code seed) {
  Code code = ~seed;
  for (std::uint8_t byte : bytes) code = CRC_TABLE[(code ^ byte) & 0xFF] ^ (code >> 8);
  return ~code;
}

bool is_between(std::uint8_t byte, char first, char last) { return byte >= first && byte <= last; }

void to_lower(std::span<const std::uint8_t> word, Bytes& out) {
  out.assign(word.begin(), word.end());
  for (std::uint8_t& byte : out)
    if (is_between(byte, 'A', 'Z')) byte += 'a' - 'A';
}

void make_shape(std::span<const std::uint8_t> word, Bytes& out) {
  out.clear();
  for (const std::uint8_t byte : word) {
    const std::uint8_t kind = is_between(byte, 'A', 'Z')   ? 'X'
                              : is_between(byte, 'a', 'z') ? 'x'
                              : is_between(byte, '0', '9') ? '9'
                                                           : byte;
    const std::size_t size = out.size();
    if (size < 2 || out[size - 1] != kind || out[size - 2] != kind) out.push_back(kind);
  }
}

Index clip(Index position, Index size) { return std::clamp(position < 0 ? position + size : position, 0, size); }

}  // namespace

void cut_codes(std::span<const std::uint8_t> bytes, std::span<const Index> offsets, std::span<const Cut> cuts,
               std::span<Code> codes) {
  Bytes lower, shape;
  std::size_t next = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto word = bytes.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    to_lower(word, lower);
    make_shape(word, shape);
    const std::array<std::span<const std::uint8_t>, 3> texts = {lower, word, shape};
    for (const Cut& cut : cuts) {
      const auto text = texts[static_cast<std::size_t>(cut.of)];
      const Index size = static_cast<Index>(text.size());
      const Index begin = clip(cut.begin, size), end = std::max(begin, clip(cut.end, size));
      codes[next++] = crc32(text.subspan(begin, end - begin), cut.seed);
    }
  }
}

}  // namespace headlong
