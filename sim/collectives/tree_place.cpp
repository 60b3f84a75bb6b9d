#include "sim/collectives/move_schedule.h"

namespace simtrain {
namespace {

/// The binary tree in which 0 is the root and a number hangs by its lowest bit that is set.
TreePlace plain_tree(int domains, int domain) {
  TreePlace place;
  int bit = 1;
  while (bit < domains && (domain & bit) == 0) bit *= 2;
  if (domain != 0) {
    place.up = (domain ^ bit) | (bit * 2);
    if (place.up >= domains) place.up = domain ^ bit;
  }
  const int lowest = bit / 2;
  if (domain != 0 && lowest > 0) place.down.push_back(domain - lowest);
  int right = domain == 0 ? bit / 2 : domain + lowest;
  for (int step = lowest; domain != 0 && right >= domains && step > 0;) {
    step /= 2;
    right = domain + step;
  }
  const bool exists = domain == 0 ? domains > 1 : lowest > 0 && right > domain && right < domains;
  if (exists) place.down.push_back(right);
  return place;
}

}  // namespace

TreePlace tree_place(int domains, int domain, int tree) {
  if (tree == 0) return plain_tree(domains, domain);
  const bool mirrored = domains % 2 == 0;
  const auto turned = [&](int number) {
    return mirrored ? domains - 1 - number : (number + domains - 1) % domains;
  };
  const auto back = [&](int number) {
    return mirrored ? domains - 1 - number : (number + 1) % domains;
  };
  TreePlace place = plain_tree(domains, turned(domain));
  if (place.up >= 0) place.up = back(place.up);
  for (int& down : place.down) down = back(down);
  return place;
}

void add_tree_moves(Schedule& schedule, const GroupShape& shape, int local, int part,
                    int parts_per_tree) {
  for (int tree = 0; tree < 2; ++tree) {
    std::vector<int> order;  // parents first
    for (int domain = 0; domain < shape.domains; ++domain) {
      if (tree_place(shape.domains, domain, tree).up < 0) order.push_back(domain);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const int down : tree_place(shape.domains, order[i], tree).down) order.push_back(down);
    }
    const int number = tree * parts_per_tree + part;
    const auto join = [&](int from, int to, bool reduce) {
      schedule.moves.push_back({shape.rank(from, local), shape.rank(to, local), number, reduce});
    };
    for (auto domain = order.rbegin(); domain != order.rend(); ++domain) {
      const int up = tree_place(shape.domains, *domain, tree).up;
      if (up >= 0) join(*domain, up, true);
    }
    for (const int domain : order) {
      for (const int down : tree_place(shape.domains, domain, tree).down) join(domain, down, false);
    }
  }
}

double tree_sent(const GroupShape& shape, int domain, double bytes) {
  std::size_t messages = 0;
  for (int tree = 0; tree < 2; ++tree) {
    const TreePlace place = tree_place(shape.domains, domain, tree);
    messages += place.down.size() + (place.up >= 0 ? 1 : 0);
  }
  return bytes / 2 / shape.per_domain * static_cast<double>(messages);
}

}  // namespace simtrain
