// Arrays that are read in order, asked for some pages ahead on the CPU. The processor itself asks too late for what
// comes from the outer caches, and not at all beyond a page.
#pragma once

namespace heddle {

// One line, `bytes` behind `at`; beyond the end of an array this is nothing.
template <int bytes, class T>
inline void ask_ahead(const T* at) {
  __builtin_prefetch(reinterpret_cast<const char*>(at) + bytes);
}

// The lines of `count` elements, 4 KiB behind them.
template <class T>
inline void ask_ahead(const T* from, int count) {
  constexpr int line = 64;
  for (int at = 0; at < count * static_cast<int>(sizeof(T)); at += line)
    ask_ahead<4096>(reinterpret_cast<const char*>(from) + at);
}

}  // namespace heddle
