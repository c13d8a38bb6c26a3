// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Json.h"

#include <string_view>
#include <type_traits>

#include "output/io/Text.h"

namespace graphprof {

namespace {

// The member of `object` that a column's key names.
OrderedJson &member(OrderedJson &object, std::string_view key) {
  const std::size_t end = key.find('/');
  OrderedJson &of = object[std::string(key.substr(0, end))];
  return end == std::string_view::npos ? of : member(of, key.substr(end + 1));
}

} // namespace

OrderedJson asJson(const Figure &figure) {
  return std::visit(
      []<class Value>(const Value &of) {
        if constexpr (std::is_same_v<Value, std::monostate>)
          return OrderedJson();
        else if constexpr (std::is_same_v<Value, std::string>)
          return OrderedJson(utf8(of));
        else
          return OrderedJson(of);
      },
      figure.value);
}

OrderedJson asJson(const FigureTable &table) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t i = 0; i < table.rows; ++i) {
    OrderedJson object = OrderedJson::object();
    for (const FigureColumn &column : table.columns)
      if (!column.key.empty())
        member(object, column.key) = asJson(column.figures[i]);
    list.push_back(std::move(object));
  }
  return list;
}

std::string jsonText(const OrderedJson &document) {
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

} // namespace graphprof
