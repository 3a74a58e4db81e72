// Box trees. Their shape decides the order in which bodies meet, so it is kept exactly;
// their boxes, as a filter, decide nothing.
#pragma once

#include "topple/iphyre/limits.h"
#include "topple/iphyre/math.h"

namespace topple {
namespace iphyre {

constexpr int8_t kNone = -1;

// Leaves have the number of their body; inner nodes come behind them.
struct Node {
  Box box;
  int8_t parent, a, b;
};

struct Nodes {
  Node list[kMaxNodes];
  uint32_t used_inner;  // a bit for each inner node

  TOPPLE_FN static bool is_leaf(int node) { return node < kMaxBodies; }

  TOPPLE_FN int8_t take_inner() {
    const int k = __builtin_ctz(~used_inner);
    used_inner |= 1u << k;
    return static_cast<int8_t>(kMaxBodies + k);
  }
  TOPPLE_FN void drop_inner(int node) { used_inner &= ~(1u << (node - kMaxBodies)); }
};
static_assert(kMaxBodies < 32, "inner nodes are bits of a word");

// A tree of the nodes, with its leaves in depth-first order.
struct Tree {
  int8_t root;
  int8_t count;
  int8_t leaves[kMaxBodies];
};

namespace detail {

TOPPLE_FN void replace_child(Nodes& nodes, Tree& tree, int8_t parent, int8_t child, int8_t by) {
  nodes.list[by].parent = parent;
  if (parent == kNone) {
    tree.root = by;
  } else if (nodes.list[parent].a == child) {
    nodes.list[parent].a = by;
  } else {
    nodes.list[parent].b = by;
  }
}

// The leaf beside which a new one costs the least area.
TOPPLE_FN int8_t best_sibling(const Nodes& nodes, const Tree& tree, const Box& box) {
  int8_t at = tree.root;
  while (!Nodes::is_leaf(at)) {
    const Node& node = nodes.list[at];
    const Box& a = nodes.list[node.a].box;
    const Box& b = nodes.list[node.b].box;
    double cost_a = area(b) + merged_area(a, box);
    double cost_b = area(a) + merged_area(b, box);
    if (cost_a == cost_b) {
      cost_a = proximity(a, box);
      cost_b = proximity(b, box);
    }
    at = cost_b < cost_a ? node.b : node.a;
  }
  return at;
}

}  // namespace detail

TOPPLE_FN void insert_leaf(Nodes& nodes, Tree& tree, int leaf) {
  const int8_t fresh = static_cast<int8_t>(leaf);
  const Box box = nodes.list[leaf].box;
  if (tree.root == kNone) {
    tree.root = fresh;
    nodes.list[leaf].parent = kNone;
    return;
  }
  const int8_t sibling = detail::best_sibling(nodes, tree, box);
  const int8_t inner = nodes.take_inner();
  detail::replace_child(nodes, tree, nodes.list[sibling].parent, sibling, inner);
  nodes.list[inner].a = fresh;
  nodes.list[inner].b = sibling;
  nodes.list[inner].box = merge(box, nodes.list[sibling].box);
  nodes.list[leaf].parent = nodes.list[sibling].parent = inner;
  for (int8_t at = nodes.list[inner].parent; at != kNone; at = nodes.list[at].parent) {
    nodes.list[at].box = merge(nodes.list[at].box, box);
  }
}

TOPPLE_FN void remove_leaf(Nodes& nodes, Tree& tree, int leaf) {
  const int8_t parent = nodes.list[leaf].parent;
  if (parent == kNone) {
    tree.root = kNone;
    return;
  }
  const int8_t other = nodes.list[parent].a == leaf ? nodes.list[parent].b : nodes.list[parent].a;
  const int8_t above = nodes.list[parent].parent;
  detail::replace_child(nodes, tree, above, parent, other);
  nodes.drop_inner(parent);
  for (int8_t at = above; at != kNone; at = nodes.list[at].parent) {
    Node& node = nodes.list[at];
    node.box = merge(nodes.list[node.a].box, nodes.list[node.b].box);
  }
}

// Calls meet(leaf) for the leaves below a node whose boxes the given one intersects, in order.
template <class Meet>
TOPPLE_FN void query(const Nodes& nodes, int8_t from, const Box& box, const Meet& meet) {
  int8_t stack[kMaxBodies + 1];
  int count = 0;
  stack[count++] = from;
  while (count > 0) {
    const int8_t at = stack[--count];
    if (!intersects(box, nodes.list[at].box)) continue;
    if (Nodes::is_leaf(at)) {
      meet(static_cast<int>(at));
    } else {
      stack[count++] = nodes.list[at].b;
      stack[count++] = nodes.list[at].a;
    }
  }
}

TOPPLE_FN void list_leaves(const Nodes& nodes, Tree& tree) {
  int8_t stack[kMaxBodies + 1];
  int count = 0;
  tree.count = 0;
  if (tree.root != kNone) stack[count++] = tree.root;
  while (count > 0) {
    const int8_t at = stack[--count];
    if (Nodes::is_leaf(at)) {
      tree.leaves[tree.count++] = at;
    } else {
      stack[count++] = nodes.list[at].b;
      stack[count++] = nodes.list[at].a;
    }
  }
}

}  // namespace iphyre
}  // namespace topple
