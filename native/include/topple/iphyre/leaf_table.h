// The order in which moving bodies are checked for having left their fat boxes.
//
// The original keeps them in a chained hash table by the numbers of their shapes. Slots in
// rising order, each chain from its head, is a list; new entries go before all others of
// their slot.
#pragma once

#include "topple/iphyre/limits.h"

namespace topple {
namespace iphyre {

constexpr int kTableSizes[] = {5, 13, 23, 47};
static_assert(kMaxBodies < 47, "the largest table has to hold all bodies");

struct LeafTable {
  int32_t size;
  int32_t count;
  int8_t order[kMaxBodies];
};

// The size of a table that has held so many entries at once.
TOPPLE_FN int table_size_for(int entries) {
  int k = 0;
  while (entries >= kTableSizes[k]) ++k;
  return kTableSizes[k];
}

namespace detail {

template <class Number>
TOPPLE_FN void put_first_in_slot(LeafTable& table, int leaf, const Number& number) {
  const uint64_t size = static_cast<uint64_t>(table.size);
  const uint64_t slot = number(leaf) % size;
  int place = 0;
  while (place < table.count && number(table.order[place]) % size < slot) ++place;
  for (int i = table.count++; i > place; --i) table.order[i] = table.order[i - 1];
  table.order[place] = static_cast<int8_t>(leaf);
}

}  // namespace detail

// number(leaf) is the number of a leaf's shape.
template <class Number>
TOPPLE_FN void add_to_table(LeafTable& table, int leaf, const Number& number) {
  detail::put_first_in_slot(table, leaf, number);
  if (table.count < table.size) return;
  const LeafTable before = table;
  table.size = table_size_for(table.count);
  table.count = 0;
  for (int i = 0; i < before.count; ++i) {
    detail::put_first_in_slot(table, before.order[i], number);
  }
}

TOPPLE_FN void drop_from_table(LeafTable& table, int leaf) {
  int kept = 0;
  for (int i = 0; i < table.count; ++i) {
    if (table.order[i] != leaf) table.order[kept++] = table.order[i];
  }
  table.count = kept;
}

}  // namespace iphyre
}  // namespace topple
