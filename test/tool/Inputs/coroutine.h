// What of <coroutine> a coroutine needs, for tests without the standard library.

namespace std {
template <class R, class...> struct coroutine_traits { using promise_type = typename R::promise_type; };
template <class P = void> struct coroutine_handle;
template <class P> struct coroutine_handle {
  static coroutine_handle from_address(void *);
  operator coroutine_handle<>() const;
};
template <> struct coroutine_handle<> {
  static coroutine_handle from_address(void *);
};
} // namespace std
struct Always {
  bool await_ready() noexcept;
  void await_suspend(std::coroutine_handle<>) noexcept;
  void await_resume() noexcept;
};
