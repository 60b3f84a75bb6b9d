#pragma once

#include <memory>
#include <optional>
#include <string>

namespace simtrain {

/// What one rank sent to another.
struct MpiMessage {
  int from = 0;
  int tag = 0;
  std::string bytes;
};

/// This process as a rank of an MPI job. All of its functions are for the thread that made it.
class MpiSession {
 public:
  virtual ~MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  /// Rank 0's text on all ranks: all of them call it.
  [[nodiscard]] virtual std::string from_first(const std::string& text) const = 0;
  virtual void send(int to, int tag, const std::string& bytes) const = 0;
  /// The next message, if one is there.
  [[nodiscard]] virtual std::optional<MpiMessage> poll() const = 0;
  /// Ends all ranks at once.
  [[noreturn]] virtual void abort(int status) const = 0;

 protected:
  MpiSession() = default;
};

/// Joins the job where mpirun or srun started this process as one of several ranks, as their
/// environment shows; `asked` joins in any case. Nothing otherwise: MPI is not touched. Throws
/// InputError where a job is to be joined and this build has no MPI. When the session ends, it
/// waits for the other ranks.
std::unique_ptr<MpiSession> join_mpi(bool asked);

}  // namespace simtrain
