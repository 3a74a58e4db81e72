// Broad phase: which shapes are near enough to touch, and in which order they are tried.
//
// A moving body that has left its fat box is fresh: it gets a new one, and looks for what
// that meets, static bodies first. Otherwise it goes through the pairs it has found before,
// the newest first. The solver works through contacts in the order in which they are found
// here, so every list keeps the order of the original.
#pragma once

#include "topple/iphyre/world.h"

namespace topple {
namespace iphyre {

namespace detail {

TOPPLE_FN Box fat_box(const Box& box, Vec v) {
  const double x = (box.r - box.l) * kFat;
  const double y = (box.t - box.b) * kFat;
  const Vec q = v * kFat;
  return {box.l + min(-x, q.x), box.b + min(-y, q.y), box.r + max(x, q.x), box.t + max(y, q.y)};
}

TOPPLE_FN void add_pair(World& world, int looking, int other) {
  Pairs& pairs = world.pairs[looking];
  pairs.list[pairs.count++] = {0, static_cast<int8_t>(other)};
}

TOPPLE_FN void drop_pairs_with(World& world, int body) {
  for (int i = 0; i < world.dynamic_count; ++i) {
    Pairs& pairs = world.pairs[world.dynamic[i]];
    int kept = 0;
    for (int k = 0; k < pairs.count; ++k) {
      if (pairs.list[k].other != body) pairs.list[kept++] = pairs.list[k];
    }
    pairs.count = kept;
  }
}

TOPPLE_FN void clear_pairs(World& world, int body) {
  world.pairs[body].count = 0;
  if (world.dynamic_count > 1) drop_pairs_with(world, body);
}

// The search of a fresh body; hit(first, second) is called for what it meets at once, while
// bodies that come later in the tree will meet it when it is their turn.
template <class Hit>
TOPPLE_FN void search_around(World& world, int body, const Hit& hit) {
  const Box& box = world.nodes.list[body].box;
  for (int i = 0; i < world.still.count; ++i) {
    const int other = world.still.leaves[i];
    if (!intersects(box, world.shapes[other].box)) continue;
    add_pair(world, body, other);
    hit(body, other);
  }
  const Node* nodes = world.nodes.list;
  for (int8_t at = static_cast<int8_t>(body); nodes[at].parent != kNone; at = nodes[at].parent) {
    const Node& parent = nodes[nodes[at].parent];
    if (parent.a == at) {
      query(world.nodes, parent.b, box, [&](int other) { add_pair(world, other, body); });
    } else {
      query(world.nodes, parent.a, box, [&](int other) {
        if (!world.is_fresh(other)) add_pair(world, body, other);
        hit(body, other);
      });
    }
  }
}

TOPPLE_FN void renew_boxes(World& world) {
  for (int i = 0; i < world.table.count; ++i) {
    const int body = world.table.order[i];
    const Box& tight = world.shapes[body].box;
    Box& box = world.nodes.list[body].box;
    if (contains(box, tight)) continue;
    const Box renewed = fat_box(tight, world.bodies[body].v);
    if (world.dynamic_count > 1) {
      box = renewed;
      remove_leaf(world.nodes, world.moving, body);
      insert_leaf(world.nodes, world.moving, body);
    } else {
      box = renewed;  // alone in its tree
    }
    clear_pairs(world, body);
    world.fresh |= 1u << body;
  }
  if (world.fresh != 0 && world.dynamic_count > 1) list_leaves(world.nodes, world.moving);
}

}  // namespace detail

// Enters the shape of the last body of the list.
TOPPLE_FN void enter_shape(World& world, int body) {
  Shape& shape = world.shapes[body];
  shape.number = world.next_number++;
  update_shape(shape, world.bodies[body]);
  if (!is_dynamic(world.bodies[body])) {
    world.nodes.list[body].box = shape.box;
    insert_leaf(world.nodes, world.still, body);
    list_leaves(world.nodes, world.still);
    if (world.moving.root == kNone) return;
    query(world.nodes, world.moving.root, shape.box,
          [&](int other) { detail::add_pair(world, other, body); });
    return;
  }
  world.nodes.list[body].box = detail::fat_box(shape.box, world.bodies[body].v);
  world.pairs[body].count = 0;
  world.dynamic[world.dynamic_count++] = static_cast<int8_t>(body);
  insert_leaf(world.nodes, world.moving, body);
  list_leaves(world.nodes, world.moving);
  detail::search_around(world, body, [](int, int) {});
  add_to_table(world.table, body, [&](int leaf) { return world.shapes[leaf].number; });
}

TOPPLE_FN void withdraw_shape(World& world, int body) {
  for (int i = world.arbiter_count - 1; i >= 0; --i) {
    const Arbiter& arbiter = world.arbiters[i];
    if (arbiter.a == body || arbiter.b == body) drop_arbiter(world, i);
  }
  const bool moves = is_dynamic(world.bodies[body]);
  Tree& tree = moves ? world.moving : world.still;
  remove_leaf(world.nodes, tree, body);
  list_leaves(world.nodes, tree);
  detail::drop_pairs_with(world, body);
  if (!moves) return;
  drop_from_table(world.table, body);
  int kept = 0;
  for (int i = 0; i < world.dynamic_count; ++i) {
    if (world.dynamic[i] != body) world.dynamic[kept++] = world.dynamic[i];
  }
  world.dynamic_count = kept;
}

// Calls hit(first, second, memory) for all that may touch, in order; it returns the memory
// of the search between two capsules for the next step.
template <class Hit>
TOPPLE_FN void meet(World& world, const Hit& hit) {
  detail::renew_boxes(world);
  for (int i = 0; i < world.moving.count; ++i) {
    const int body = world.moving.leaves[i];
    if (world.is_fresh(body)) {
      detail::search_around(world, body, [&](int a, int b) { hit(a, b, 0u); });
      continue;
    }
    Pairs& pairs = world.pairs[body];
    for (int k = pairs.count - 1; k >= 0; --k) {
      Pair& pair = pairs.list[k];
      const uint32_t memory = hit(pair.other, body, pair.memory);
      if (memory != pair.memory) {
        pair.memory = memory;
        world.steady = false;
      }
    }
  }
  if (world.fresh != 0) world.steady = false;
  world.fresh = 0;
}

}  // namespace iphyre
}  // namespace topple
