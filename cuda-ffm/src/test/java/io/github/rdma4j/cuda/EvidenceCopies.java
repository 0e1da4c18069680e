// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * Prints bandwidths of pinned copies, for each size in KiB that is an argument: steps 5 and 6 of scripts/evidence gpu.
 * With {@code c} as the first argument, it runs the C program and Java by turns and prints both.
 */
final class EvidenceCopies {
    private static final int TURNS = 3;
    /** Of each size in each turn, so that short copies are many: Java's first ones are not compiled yet. */
    private static final long BYTES_IN_TURN = 1L << 30;

    private EvidenceCopies() {}

    public static void main(String[] arguments) {
        boolean withC = arguments[0].equals("c");
        String library = System.getProperty("io.github.rdma4j.cuda.library", "libcuda.so.1");
        for (String size : Arrays.asList(arguments).subList(withC ? 1 : 0, arguments.length)) {
            long bytes = Long.parseLong(size) << 10;
            int rounds = (int) Math.max(16, BYTES_IN_TURN / bytes);
            CopyBandwidth c = new CopyBandwidth(0, 0);
            CopyBandwidth java = c;
            for (int turn = 0; turn < TURNS; turn++) {
                if (withC) {
                    c = c.orBetter(CopyBandwidth.ofC(Path.of("."), library, bytes, rounds));
                }
                java = java.orBetter(CopyBandwidth.ofJava(bytes, rounds));
            }
            System.out.printf("pinned copies of %s KiB: %sJava %s%n", size, withC ? "C " + c + "; " : "", java);
        }
    }
}
