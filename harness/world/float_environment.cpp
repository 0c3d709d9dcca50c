#include "world/float_environment.h"

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace shardproof::world {

void reset_float_environment() {
#if defined(__SSE2__)
  // All exceptions masked, round to nearest, neither flush to zero nor denormals are zero.
  constexpr unsigned kDefault = 0x1f80;
  constexpr unsigned kStickyFlags = 0x3f;
  if ((_mm_getcsr() & ~kStickyFlags) != kDefault) _mm_setcsr(kDefault);
  if (std::fegetround() != FE_TONEAREST) std::fesetround(FE_TONEAREST);
#else
  std::fesetenv(FE_DFL_ENV);
#endif
}

}  // namespace shardproof::world
