/* 64-bit hashing: an order-free checksum of a state, and keys of caches. */
#ifndef ICF_BASE_HASH_H
#define ICF_BASE_HASH_H

#include <string.h>

#include "base/types.h"

/* Mixes a word into a hash; a bijection of h for every word. */
static inline uint64_t icf_hash_word(uint64_t h, uint64_t word)
{
    h ^= word;
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    h ^= h >> 31;
    return h;
}

/* Mixes the bits of a number, -0 as 0. */
static inline uint64_t icf_hash_double(uint64_t h, double value)
{
    const double positive_zero = value == 0.0 ? 0.0 : value;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return icf_hash_word(h, bits);
}

/* Mixes n bytes. */
static inline uint64_t icf_hash_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
    return icf_hash_word(h, (uint64_t)n);
}

#endif
