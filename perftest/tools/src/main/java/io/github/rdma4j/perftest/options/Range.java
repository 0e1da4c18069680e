// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.lang.reflect.AnnotatedElement;
import picocli.CommandLine.Model.ArgSpec;

/**
 * The range of an option that is valid on any device.
 *
 * @param least the smallest one
 * @param most the largest one
 * @param powersOfTwo whether only powers of two are allowed
 */
record Range(long least, long most, boolean powersOfTwo) {
    /** Returns the range of an option; null if it has none. */
    static Range of(ArgSpec option) {
        ToolOption<?> declared = ToolOption.of(option);
        if (declared != null) {
            return declared.range();
        }
        Within within =
                option.userObject() instanceof AnnotatedElement element ? element.getAnnotation(Within.class) : null;
        return within == null ? null : new Range(within.least(), within.most(), within.powersOfTwo());
    }

    boolean contains(long value) {
        return value >= least && value <= most && (!powersOfTwo || Long.bitCount(value) == 1);
    }

    /** Returns a description, as in "allowed is 256, 512 or 1024". */
    String words() {
        if (!powersOfTwo) {
            return least + " to " + most;
        }
        StringBuilder values = new StringBuilder();
        for (long value = least; value <= most; value *= 2) {
            values.append(value == least ? "" : value == most ? " or " : ", ").append(value);
        }
        return values.toString();
    }
}
