#pragma once

/// In front of a function whose loops are worth compiling for wider registers, too: the program
/// takes the widest version that the processor has. Sanitizers cannot be asked that early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define SHARDPROOF_WIDE_CODE [[gnu::target_clones("avx2", "default")]]
#else
#define SHARDPROOF_WIDE_CODE
#endif
