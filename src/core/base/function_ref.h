// SPDX-License-Identifier: BSD-3-Clause
// A callable that belongs to the caller: two words, no allocation, one indirect call. For parameters alone: it does not keep what it names.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace halo {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
    template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> && std::is_invocable_r_v<Result, Callable &, Arguments...>)
        FunctionRef(Callable &&callable)
        : callable_(const_cast<void *>(static_cast<const void *>(std::addressof(callable)))),
          call_([](void *object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Callable> *>(object))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

private:
    void *callable_;
    Result (*call_)(void *, Arguments...);
};

} // namespace halo
