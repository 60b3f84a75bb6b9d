#include "sim/study/tasks/mpi_session.h"

#include <array>
#include <cstdlib>

#include "sim/core/input/input_error.h"
#include "sim/core/input/number_text.h"

#ifdef SIMTRAIN_MPI
#include <mpi.h>
#endif

namespace simtrain {
namespace {

/// What launchers set for the ranks of a job of several: Open MPI's mpirun, the mpirun of MPICH and
/// relatives, and srun with PMI-2. With PMIx (srun --mpi=pmix) only ranks are set.
bool started_as_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) return number_as<int>(value).value_or(0) > 1;
  }
  return std::getenv("PMIX_RANK") != nullptr;
}

#ifdef SIMTRAIN_MPI

class Session final : public MpiSession {
 public:
  Session() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~Session() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  [[nodiscard]] std::string from_first(const std::string& text) const override {
    auto length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::string result = rank_ == 0 ? text : std::string(static_cast<std::size_t>(length), '\0');
    MPI_Bcast(result.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return result;
  }
  void send(int to, int tag, const std::string& bytes) const override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
  }
  [[nodiscard]] std::optional<MpiMessage> poll() const override {
    int there = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    MpiMessage message{status.MPI_SOURCE, status.MPI_TAG,
                       std::string(static_cast<std::size_t>(length), '\0')};
    MPI_Recv(message.bytes.data(), length, MPI_CHAR, message.from, message.tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }
  [[noreturn]] void abort(int status) const override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

#endif

}  // namespace

std::unique_ptr<MpiSession> join_mpi(bool asked) {
  if (!asked && !started_as_rank()) return nullptr;
#ifdef SIMTRAIN_MPI
  return std::make_unique<Session>();
#else
  throw InputError({}, "",
                   "this simtrain was built without MPI and cannot be a rank of a job; install "
                   "libopenmpi-dev and build it again");
#endif
}

}  // namespace simtrain
