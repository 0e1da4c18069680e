// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import io.github.rdma4j.gpudirect.nccl.NcclOperation;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The names of types and operations in nccl-tests. */
final class TypeName {
    private static final Map<String, NcclDataType> TYPES = new LinkedHashMap<>();
    private static final Map<String, NcclOperation> OPERATIONS = new LinkedHashMap<>();
    private static final String ALL = "all";

    static {
        TYPES.put("int8", NcclDataType.INT8);
        TYPES.put("uint8", NcclDataType.UINT8);
        TYPES.put("int32", NcclDataType.INT32);
        TYPES.put("uint32", NcclDataType.UINT32);
        TYPES.put("int64", NcclDataType.INT64);
        TYPES.put("uint64", NcclDataType.UINT64);
        TYPES.put("half", NcclDataType.FLOAT16);
        TYPES.put("float", NcclDataType.FLOAT32);
        TYPES.put("double", NcclDataType.FLOAT64);
        TYPES.put("bfloat16", NcclDataType.BFLOAT16);
        TYPES.put("f8e4m3", NcclDataType.FLOAT8_E4M3);
        TYPES.put("f8e5m2", NcclDataType.FLOAT8_E5M2);
        OPERATIONS.put("sum", NcclOperation.SUM);
        OPERATIONS.put("prod", NcclOperation.PRODUCT);
        OPERATIONS.put("max", NcclOperation.MAX);
        OPERATIONS.put("min", NcclOperation.MIN);
        OPERATIONS.put("avg", NcclOperation.AVERAGE);
    }

    private TypeName() {}

    static List<NcclDataType> types(List<String> words) {
        return find("-d", words, TYPES);
    }

    static List<NcclOperation> operations(List<String> words) {
        return find("-o", words, OPERATIONS);
    }

    private static <T> List<T> find(String option, List<String> words, Map<String, T> known) {
        if (words.equals(List.of(ALL))) {
            return List.copyOf(known.values());
        }
        return words.stream()
                .map(word -> {
                    T found = known.get(word);
                    if (found == null) {
                        throw new IllegalParameterException("%s: '%s' is none of %s, or all"
                                .formatted(option, word, String.join(", ", known.keySet())));
                    }
                    return found;
                })
                .distinct()
                .toList();
    }

    static String of(NcclDataType type) {
        return name(TYPES, type);
    }

    static String of(NcclOperation operation) {
        return name(OPERATIONS, operation);
    }

    private static <T> String name(Map<String, T> known, T value) {
        return known.entrySet().stream()
                .filter(each -> each.getValue() == value)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }
}
