// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The flow labels of --flow_label, which the queue pairs take in turns.
 *
 * @param labels at least one, of 20 bits each
 */
record FlowLabels(List<Integer> labels) {
    /** The flow label of queue pairs without the option. */
    static final FlowLabels NONE = new FlowLabels(List.of(0));

    private static final int LARGEST = 0xfffff;

    /** The label of a queue pair, counted from 0. */
    int of(int queuePair) {
        return labels.get(queuePair % labels.size());
    }

    /** Reads numbers between commas as strtol of C does: decimal, hexadecimal after 0x, octal after 0. */
    static final class Converter implements ITypeConverter<FlowLabels> {
        @Override
        public FlowLabels convert(String text) {
            // Includes an empty word at the end if there is a comma too many.
            return new FlowLabels(
                    Arrays.stream(text.split(",", -1)).map(Converter::label).toList());
        }

        private static int label(String word) {
            try {
                int label = Integer.decode(word);
                if (label >= 0 && label <= LARGEST) {
                    return label;
                }
            } catch (NumberFormatException _) {
                // No number is no label either.
            }
            throw new TypeConversionException(
                    "'" + word + "' is no flow label; allowed are numbers of 0 to 0xfffff with commas between");
        }
    }
}
