#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "check.h"
#include "iphyre/fixture.h"
#include "random.h"

using namespace topple::iphyre;

namespace {

// The chained hash table the list stands for.
struct Chains {
  size_t size = 5;
  size_t count = 0;
  std::vector<std::vector<int>> slots = std::vector<std::vector<int>>(5);

  void put(int leaf, const std::map<int, uint64_t>& number) {
    auto& chain = slots[number.at(leaf) % size];
    chain.insert(chain.begin(), leaf);
  }
  void add(int leaf, const std::map<int, uint64_t>& number) {
    put(leaf, number);
    if (++count < size) return;
    const auto before = slots;
    size = static_cast<size_t>(table_size_for(static_cast<int>(count)));
    slots.assign(size, {});
    for (const auto& chain : before) {
      for (const int each : chain) put(each, number);
    }
  }
  void drop(int leaf) {
    --count;
    for (auto& chain : slots)
      chain.erase(std::remove(chain.begin(), chain.end(), leaf), chain.end());
  }
  std::vector<int> order() const {
    std::vector<int> all;
    for (const auto& chain : slots) all.insert(all.end(), chain.begin(), chain.end());
    return all;
  }
};

void check_tree(const Nodes& nodes, const Tree& tree, const std::set<int>& leaves) {
  std::set<int> found;
  for (int i = 0; i < tree.count; ++i) found.insert(tree.leaves[i]);
  CHECK(found == leaves);
  for (const int leaf : leaves) {
    for (int8_t at = nodes.list[leaf].parent; at != kNone; at = nodes.list[at].parent) {
      CHECK(contains(nodes.list[at].box, nodes.list[leaf].box));
    }
  }
}

}  // namespace

TEST(the_table_lists_chains_in_order) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    LeafTable table = {5, 0, {}};
    Chains chains;
    std::map<int, uint64_t> number;
    std::set<int> in;
    uint64_t next = static_cast<uint64_t>(random.below(60));
    for (int i = 0; i < 60; ++i) {
      const int leaf = random.below(kMaxBodies);
      if (in.count(leaf)) {
        drop_from_table(table, leaf);
        chains.drop(leaf);
        in.erase(leaf);
      } else {
        number[leaf] = next++;
        add_to_table(table, leaf, [&](int each) { return number.at(each); });
        chains.add(leaf, number);
        in.insert(leaf);
      }
      CHECK(std::vector<int>(table.order, table.order + table.count) == chains.order());
      CHECK_EQUAL(static_cast<size_t>(table.size), chains.size);
    }
  }
}

TEST(trees_hold_their_leaves_in_boxes_and_give_nodes_back) {
  Random random(13);
  for (int round = 0; round < 200; ++round) {
    Nodes nodes = {};
    Tree tree = {kNone, 0, {}};
    std::set<int> in;
    for (int i = 0; i < 100; ++i) {
      const int leaf = random.below(kMaxBodies);
      if (in.count(leaf)) {
        remove_leaf(nodes, tree, leaf);
        in.erase(leaf);
      } else {
        const double x = random.between(0, 600);
        const double y = random.between(0, 600);
        nodes.list[leaf].box = {x, y, x + random.between(1, 90), y + random.between(1, 90)};
        insert_leaf(nodes, tree, leaf);
        in.insert(leaf);
      }
      list_leaves(nodes, tree);
      check_tree(nodes, tree, in);
      const int inner = __builtin_popcount(nodes.used_inner);
      CHECK_EQUAL(inner, in.empty() ? 0 : static_cast<int>(in.size()) - 1);
    }
  }
}

// Whatever the lists say, nothing that touches may be missed, and nothing met twice.
TEST(everything_that_overlaps_meets_once) {
  Random random(17);
  const SceneBuilder built = random_scenes(random, 40);
  const PackedScenes scenes = built.scenes(0.1);
  static World world;
  for (int n = 0; n < scenes.scene_count; ++n) {
    const SceneView view = scenes.view(n);
    build_world(world, view, scenes.physics, 1 + random.below(4));
    for (int tick = 0; tick < 60; ++tick) {
      if (random.below(20) == 0) remove_body(world, random.below(view.body_count));
      step(world, scenes.physics.dt, scenes.physics.bias);
      static World probe;
      copy_world(probe, world);
      std::set<std::pair<int, int>> met;
      meet(probe, [&](int a, int b, uint32_t memory) {
        CHECK(met.insert({std::min(a, b), std::max(a, b)}).second);
        return memory;
      });
      for (int a = 0; a < view.body_count; ++a) {
        for (int b = a + 1; b < view.body_count; ++b) {
          if (!world.has(a) || !world.has(b)) continue;
          if (!is_dynamic(world.bodies[a]) && !is_dynamic(world.bodies[b])) continue;
          if (intersects(world.shapes[a].box, world.shapes[b].box)) CHECK(met.count({a, b}) == 1);
        }
      }
    }
  }
}
