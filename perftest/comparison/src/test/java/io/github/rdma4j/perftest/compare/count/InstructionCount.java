// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.count.InstructionRecord.Block;
import io.github.rdma4j.perftest.exit.CompareException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The instructions of one operation on the processors of both ends together.
 *
 * <p>SoftRoCE's library rings the doorbell by write(2), once for each request that is posted alone. Two records are
 * thus a hundred operations apart, and exclude the code before and after the loop. Nearly all such parts of a run have
 * an equal number of instructions. Other parts have more, because the kernel deferred its work and the program waited
 * for it.
 *
 * @param user outside the kernel: the tenth percentile of the parts
 * @param path outside the kernel with each wait counted once: the value on which most parts agree. A stretch that was
 *     executed more than a hundred times per operation counts as a wait
 * @param kernel in the kernel, from the part with the fewest: in other parts a timer has interrupted, or the kernel
 *     deferred its work to another thread
 * @param agreement the share of the parts that agree on the path
 */
record InstructionCount(double user, double path, double kernel, double agreement) {
    /** The most times that the path of one operation executes the same stretch. */
    private static final int WAITING = 100;

    /** Fewer parts are not enough, because the first and the last part do not consist of the loop alone. */
    private static final int FEWEST_PARTS = 5;

    private static final double UNDISTURBED = 0.1;

    /** The largest difference, as a share, between two parts that executed the same code. */
    private static final double SAME = 0.005;

    /**
     * If a smaller share of the parts agrees, the count is unreliable: other writers interfered, or waits were short.
     * It must be more than a fifth, because in the last fifth of the parts C's ib_send_lat posts no receives any more.
     */
    private static final double ENOUGH_AGREE = 0.25;

    /**
     * Computes the count from the records of a run.
     *
     * @param shareOfWaits the share of the operations that each stretch of waiting belongs to: one half if two
     *     different programs wait for each other; else one
     * @throws CompareException when there are too few
     */
    static InstructionCount of(List<InstructionRecord> records, double shareOfWaits) {
        List<Part> parts = new ArrayList<>();
        for (int i = 1; i < records.size(); i++) {
            InstructionRecord before = records.get(i - 1);
            InstructionRecord now = records.get(i);
            double operations = now.number() - before.number();
            parts.add(new Part(
                    (now.user() - before.user()) / operations,
                    path(now.blocks(), operations, shareOfWaits),
                    (now.kernel() - before.kernel()) / operations));
        }
        if (parts.size() < FEWEST_PARTS) {
            throw new CompareException(
                    "only %d parts of a hundred operations were counted".formatted(parts.size()), "run more: -n");
        }
        double[] paths = sorted(parts, Part::path);
        Agreed agreed = agreed(paths);
        return new InstructionCount(
                sorted(parts, Part::user)[(int) (parts.size() * UNDISTURBED)],
                agreed.path(),
                parts.stream().mapToDouble(Part::kernel).min().orElseThrow(),
                (double) agreed.parts() / paths.length);
    }

    /** The instructions per operation in one part. */
    private record Part(double user, double path, double kernel) {}

    private record Agreed(double path, int parts) {}

    /** Returns the least of the paths in the largest group that agrees. */
    private static Agreed agreed(double[] sorted) {
        Agreed best = new Agreed(sorted[0], 0);
        int end = 0;
        for (int begin = 0; begin < sorted.length; begin++) {
            while (end < sorted.length && sorted[end] <= sorted[begin] * (1 + SAME)) {
                end++;
            }
            if (end - begin > best.parts()) {
                best = new Agreed(sorted[begin], end - begin);
            }
        }
        return best;
    }

    /** Returns whether enough parts agree to attribute the path to the measured code alone. */
    boolean isOfOneCode() {
        return agreement >= ENOUGH_AGREE;
    }

    private static double path(Map<Block, Long> blocks, double operations, double shareOfWaits) {
        double path = 0;
        for (Map.Entry<Block, Long> block : blocks.entrySet()) {
            double times = block.getValue() / operations;
            path += block.getKey().instructions() * (times <= WAITING ? times : shareOfWaits);
        }
        return path;
    }

    private static double[] sorted(List<Part> parts, ToDoubleFunction<Part> figure) {
        return parts.stream().mapToDouble(figure).sorted().toArray();
    }
}
