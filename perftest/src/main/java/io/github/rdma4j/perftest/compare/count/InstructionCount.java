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
 * What one operation makes the processors execute, both ends together.
 *
 * <p>SoftRoCE's library rings the doorbell by write(2), once for each request that is posted alone. So between two
 * records lie the instructions of a hundred operations, and nothing that stands before or behind the loop. Nearly all
 * such parts of a run have the same number of instructions. Others have more, because the kernel put the work off and
 * the program waited for it.
 *
 * @param user outside the kernel: so many or fewer have a tenth of the parts
 * @param path outside the kernel with each wait counted once, as the most parts have it that agree with each other. A
 *     stretch that was executed more than a hundred times per operation was waiting
 * @param kernel in the kernel, of the part that had the fewest: in the others a timer has interrupted, or the kernel
 *     put the work off to another thread
 * @param agreement the share of the parts that agree on the path
 */
record InstructionCount(double user, double path, double kernel, double agreement) {
    /** No path of one operation executes the same stretch so often. */
    private static final int WAITING = 100;

    /** Fewer parts tell nothing: the first and the last ones are not only of the loop. */
    private static final int FEWEST_PARTS = 5;

    private static final double UNDISTURBED = 0.1;

    /** Parts whose paths differ by less, as a share, agree: they executed the same code. */
    private static final double SAME = 0.005;

    /**
     * Fewer parts that agree, as a share, tell nothing: something else wrote meanwhile, or waits were short. More than
     * a fifth, since in so many of the last parts C's ib_send_lat posts no receives any more.
     */
    private static final double ENOUGH_AGREE = 0.25;

    /**
     * Of the records of a run.
     *
     * @param shareOfWaits what part of the operations each stretch that waits belongs to: one half, where each of two
     *     different programs waits for the other; else one
     * @throws CompareException when they are too few
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

    /** What an operation had in one part. */
    private record Part(double user, double path, double kernel) {}

    private record Agreed(double path, int parts) {}

    /** The least of the paths that agree where most do. */
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

    /** Whether so many parts agree that the path is that of the code, and of nothing else. */
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
