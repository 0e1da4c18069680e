/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Elements and what is done with them. Floats of 8 and 16 bits are computed in double and rounded to nearest even after
 * each step, as hardware without wider accumulators would.
 */
#include "standin.h"

#include <math.h>
#include <string.h>

size_t type_size(int type) {
    static const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < TYPES ? sizes[type] : 0;
}

/* Exponent bits, fraction bits, and whether the highest exponent means infinity (not with E4M3). */
static const struct {
    int exponent, fraction;
    bool infinity;
} formats[TYPES] = {
    [FLOAT16] = {5, 10, true}, [BFLOAT16] = {8, 7, true}, [FLOAT8E4M3] = {4, 3, false}, [FLOAT8E5M2] = {5, 2, true}};

static double decode(uint32_t bits, int type) {
    int exponent_bits = formats[type].exponent, fraction_bits = formats[type].fraction;
    int bias = (1 << (exponent_bits - 1)) - 1, highest = (1 << exponent_bits) - 1;
    int exponent = (int)(bits >> fraction_bits) & highest;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (formats[type].infinity && exponent == highest) return fraction ? NAN : sign * INFINITY;
    if (!formats[type].infinity && exponent == highest && fraction == (1u << fraction_bits) - 1) return NAN;
    if (exponent == 0) return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (double)(1u << fraction_bits), exponent - bias - fraction_bits);
}

static uint32_t encode(double value, int type) {
    int exponent_bits = formats[type].exponent, fraction_bits = formats[type].fraction;
    int bias = (1 << (exponent_bits - 1)) - 1, highest = (1 << exponent_bits) - 1;
    uint32_t sign = (signbit(value) ? 1u : 0u) << (exponent_bits + fraction_bits);
    uint32_t ones = (1u << fraction_bits) - 1;
    if (isnan(value)) return sign | (uint32_t)highest << fraction_bits | ones;
    double magnitude = fabs(value);
    int exponent = magnitude == 0 ? 1 - bias : ilogb(isinf(magnitude) ? 1e300 : magnitude);
    if (exponent < 1 - bias) exponent = 1 - bias;
    double scaled = isinf(magnitude) ? magnitude : nearbyint(ldexp(magnitude, fraction_bits - exponent));
    if (!isinf(scaled) && scaled >= ldexp(1, fraction_bits + 1)) exponent++, scaled /= 2;
    int field = exponent + bias;
    bool over = isinf(scaled) || field > highest || (formats[type].infinity && field == highest) ||
                (!formats[type].infinity && field == highest && scaled >= ldexp(1, fraction_bits) + ones);
    if (over)
        return formats[type].infinity ? sign | (uint32_t)highest << fraction_bits
                                      : sign | (uint32_t)highest << fraction_bits | (ones - 1);
    uint32_t fraction = (uint32_t)scaled;
    if (fraction < 1u << fraction_bits) return sign | fraction;
    return sign | (uint32_t)field << fraction_bits | (fraction & ones);
}

static double load(const void *at, int type) {
    uint16_t two;
    switch (type) {
    case FLOAT8E4M3:
    case FLOAT8E5M2: return decode(*(const uint8_t *)at, type);
    case FLOAT16:
    case BFLOAT16: memcpy(&two, at, 2); return decode(two, type);
    case FLOAT32: return *(const float *)at;
    default: return *(const double *)at;
    }
}

static void store(void *at, double value, int type) {
    uint16_t two;
    switch (type) {
    case FLOAT8E4M3:
    case FLOAT8E5M2: *(uint8_t *)at = (uint8_t)encode(value, type); break;
    case FLOAT16:
    case BFLOAT16: two = (uint16_t)encode(value, type); memcpy(at, &two, 2); break;
    case FLOAT32: *(float *)at = (float)value; break;
    default: *(double *)at = value;
    }
}

static int64_t load_integer(const void *at, int type) {
    switch (type) {
    case INT8: return *(const int8_t *)at;
    case UINT8: return *(const uint8_t *)at;
    case INT32: return *(const int32_t *)at;
    case UINT32: return *(const uint32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static void store_integer(void *at, int64_t value, int type) { memcpy(at, &value, type_size(type)); }

static bool is_integer(int type) { return type <= UINT64; }

static int64_t reduce_integers(int64_t a, int64_t b, int type, int operation) {
    bool less = type == UINT64 ? (uint64_t)a < (uint64_t)b : a < b;
    switch (operation) {
    case PROD: return (int64_t)((uint64_t)a * (uint64_t)b);
    case MAX: return less ? b : a;
    case MIN: return less ? a : b;
    default: return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

static double reduce_floats(double a, double b, int operation) {
    switch (operation) {
    case PROD: return a * b;
    case MAX: return fmax(a, b);
    case MIN: return fmin(a, b);
    default: return a + b;
    }
}

void reduce(void *into, const void *with, uint64_t count, int type, int operation) {
    size_t size = type_size(type);
    for (uint64_t i = 0; i < count; i++) {
        char *a = (char *)into + i * size;
        const char *b = (const char *)with + i * size;
        if (is_integer(type))
            store_integer(a, reduce_integers(load_integer(a, type), load_integer(b, type), type, operation), type);
        else store(a, reduce_floats(load(a, type), load(b, type), operation), type);
    }
}

void scale(void *values, uint64_t count, int type, double factor) {
    size_t size = type_size(type);
    for (uint64_t i = 0; i < count; i++) {
        char *at = (char *)values + i * size;
        if (is_integer(type)) store_integer(at, load_integer(at, type) * (int64_t)factor, type);
        else store(at, load(at, type) * factor, type);
    }
}

void divide(void *values, uint64_t count, int type, int by) {
    size_t size = type_size(type);
    for (uint64_t i = 0; i < count; i++) {
        char *at = (char *)values + i * size;
        if (type == UINT64) store_integer(at, (int64_t)((uint64_t)load_integer(at, type) / (uint64_t)by), type);
        else if (is_integer(type)) store_integer(at, load_integer(at, type) / by, type);
        else store(at, load(at, type) / by, type);
    }
}

double value_of(const void *at, int type) { return is_integer(type) ? (double)load_integer(at, type) : load(at, type); }
