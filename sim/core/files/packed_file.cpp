#include "sim/core/files/packed_file.h"

#include <array>
#include <zlib.h>

#include "sim/core/invariant.h"

namespace simtrain {
namespace {

constexpr std::size_t kPackedBlock = 1U << 18U;
constexpr int kEffort = 6;
constexpr int kGzipWindow = 15 + 16;  ///< zlib's way to ask for the gzip format
constexpr int kMemory = 8;

}  // namespace

/// Owns a zlib stream.
class PackedFile::Packer {
 public:
  Packer() {
    invariant(deflateInit2(&stream_, kEffort, Z_DEFLATED, kGzipWindow, kMemory,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              "zlib can be set up");
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  ~Packer() { deflateEnd(&stream_); }

  /// What comes out for `bytes`; all that is left where they are the last.
  std::string pack(std::string_view bytes, bool last) {
    std::string packed;
    std::array<unsigned char, 1U << 16U> out{};
    // zlib only reads what next_in shows.
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    do {
      stream_.next_out = out.data();
      stream_.avail_out = static_cast<unsigned>(out.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      packed.append(reinterpret_cast<const char*>(out.data()), out.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return packed;
  }

 private:
  z_stream stream_{};
};

std::string deflated(std::string_view bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  invariant(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kEffort) == Z_OK,
            "zlib packs what fits");
  packed.resize(size);
  return packed;
}

std::string inflated_start(std::string_view packed, std::size_t most) {
  z_stream stream{};
  invariant(inflateInit(&stream) == Z_OK, "zlib can be set up");
  std::string bytes(most, '\0');
  // zlib only reads what next_in shows.
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<unsigned>(packed.size());
  stream.next_out = reinterpret_cast<unsigned char*>(bytes.data());
  stream.avail_out = static_cast<unsigned>(bytes.size());
  inflate(&stream, Z_SYNC_FLUSH);
  bytes.resize(most - stream.avail_out);
  inflateEnd(&stream);
  return bytes;
}

PackedFile::PackedFile(const std::string& path)
    : file_(path), packer_(path.ends_with(".gz") ? std::make_unique<Packer>() : nullptr) {
  block_.reserve(2 * kPackedBlock);
}

PackedFile::~PackedFile() = default;

void PackedFile::write(std::string_view bytes) {
  block_.append(bytes);
  if (block_.size() >= kPackedBlock) flush(false);
}

void PackedFile::commit() {
  flush(true);
  file_.commit();
}

void PackedFile::flush(bool last) {
  file_.write(packer_ ? packer_->pack(block_, last) : block_);
  block_.clear();
}

}  // namespace simtrain
