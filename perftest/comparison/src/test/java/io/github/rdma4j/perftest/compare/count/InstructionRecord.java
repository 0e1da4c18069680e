// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.exit.CompareException;
import java.util.HashMap;
import java.util.Map;

/**
 * The instruction counts of a guest at one moment, as {@code scripts/softroce --count} writes them.
 *
 * @param mark whether a program asked for the record; if not, it belongs to a hundredth call of write(2)
 * @param number the number of the mark, or the number of counted write(2) calls so far
 * @param user instructions executed outside the kernel so far
 * @param kernel instructions executed in the kernel so far
 * @param blocks the stretches of instructions outside the kernel that were executed often since the previous record,
 *     with their counts
 */
record InstructionRecord(boolean mark, long number, long user, long kernel, Map<Block, Long> blocks) {
    /**
     * A stretch of instructions that is always executed from beginning to end.
     *
     * @param address of the first instruction
     * @param instructions the number of instructions
     */
    record Block(long address, int instructions) {}

    /**
     * Reads the lines of a file one after the other. There are hundreds of thousands, and the slow guest that is
     * counted reads them, so nothing except the block is created for a line.
     */
    static final class Reader {
        private String kind;
        private long number;
        private long user;
        private long kernel;
        private Map<Block, Long> blocks = new HashMap<>();

        /**
         * Reads a line.
         *
         * @return the record that the line ends, or null
         * @throws CompareException when the line does not belong to such a file
         */
        InstructionRecord line(String line) {
            try {
                int word = line.indexOf(' ');
                switch (word < 0 ? line : line.substring(0, word)) {
                    case "block" -> block(line, word + 1);
                    case "mark", "writes" -> {
                        kind = line.substring(0, word);
                        number = decimal(line, word);
                        blocks = new HashMap<>();
                    }
                    case "user" -> user = decimal(line, word);
                    case "kernel" -> kernel = decimal(line, word);
                    case "end" -> {
                        if (kind != null) {
                            return new InstructionRecord(kind.equals("mark"), number, user, kernel, blocks);
                        }
                    }
                    default -> throw notOfThisKind(line);
                }
                return null;
            } catch (NumberFormatException | IndexOutOfBoundsException _) {
                throw notOfThisKind(line);
            }
        }

        private void block(String line, int begin) {
            int address = line.indexOf(' ', begin);
            int instructions = line.indexOf(' ', address + 1);
            // A stretch may have been translated more than once.
            blocks.merge(
                    new Block(
                            Long.parseUnsignedLong(line, begin, address, 16),
                            Integer.parseInt(line, address + 1, instructions, 10)),
                    Long.parseLong(line, instructions + 1, line.length(), 10),
                    Long::sum);
        }

        /** Returns the number after a line's first word, at the end of the line. */
        private static long decimal(String line, int word) {
            return Long.parseLong(line, word + 1, line.length(), 10);
        }

        private static CompareException notOfThisKind(String line) {
            return new CompareException("'" + line + "' is no line of a file of scripts/softroce --count", "");
        }
    }
}
