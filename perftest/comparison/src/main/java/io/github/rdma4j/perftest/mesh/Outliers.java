// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.figures.MedianInterval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Finds hosts and links that are worse than the others. A host explains a row and a column of the matrix; a link
 * explains only its own cell. So hosts are found first: a host stands out if each of its cells is worse than the cells
 * of the others. Then links are compared without the cells of these hosts.
 *
 * <p>A cell is worse than others if it exceeds their median by a factor and by a multiple of their spread. The spread
 * is the median of their distances from the median, which a few bad cells do not change.
 */
final class Outliers {
    /** The factor that makes the median distance of normally distributed figures their standard deviation. */
    private static final double NORMAL = 1.4826;

    private static final int DEVIATIONS = 5;

    private final List<Cell> cells;
    private final double factor;
    private final Map<Integer, Host> hosts = new LinkedHashMap<>();
    private final List<Link> links = new ArrayList<>();

    /**
     * A cell of the matrix.
     *
     * @param from the sending host
     * @param to the receiving host
     * @param badness the figure; more is worse
     */
    record Cell(int from, int to, double badness) {
        boolean touches(int host) {
            return from == host || to == host;
        }

        boolean isOfPair(Cell other) {
            return other.touches(from) && other.touches(to);
        }
    }

    /** The bad cells of a host. */
    enum Side {
        /** What it sends and what it receives. */
        BOTH,
        /** What it sends. */
        SENDS,
        /** What it receives. */
        RECEIVES
    }

    /**
     * A host that stands out.
     *
     * @param rank its number
     * @param side which of its cells are bad
     * @param median of these cells
     * @param others median of the cells of the others
     */
    record Host(int rank, Side side, double median, double others) {}

    /**
     * A cell that stands out.
     *
     * @param cell the cell
     * @param others median of the other cells
     */
    record Link(Cell cell, double others) {}

    /**
     * Finds them.
     *
     * @param cells the measured cells of a matrix; symmetric figures have one cell per pair
     * @param factor how many times worse than the median a cell must be at least
     */
    Outliers(List<Cell> cells, double factor) {
        this.cells = cells;
        this.factor = factor;
        for (Optional<Host> worst = worstHost(); worst.isPresent(); worst = worstHost()) {
            hosts.put(worst.get().rank(), worst.get());
        }
        List<Cell> rest = cells.stream().filter(cell -> !isExplained(cell)).toList();
        for (Cell cell : rest) {
            double[] others = badness(rest, other -> !other.isOfPair(cell));
            // Of two cells that differ, either may be the bad one.
            if (pairs(rest, other -> !other.isOfPair(cell)) > 1 && cell.badness > limit(others)) {
                links.add(new Link(cell, MedianInterval.of(others).median()));
            }
        }
    }

    /** Returns the hosts that stand out. */
    List<Host> hosts() {
        return List.copyOf(hosts.values());
    }

    /** Returns the cells of other hosts that stand out. */
    List<Link> links() {
        return List.copyOf(links);
    }

    private boolean isExplained(Cell cell) {
        return hosts.values().stream().anyMatch(host -> isOf(cell, host.rank(), host.side()));
    }

    private static boolean isOf(Cell cell, int host, Side side) {
        return switch (side) {
            case BOTH -> cell.touches(host);
            case SENDS -> cell.from == host;
            case RECEIVES -> cell.to == host;
        };
    }

    private Optional<Host> worstHost() {
        List<Cell> rest = cells.stream().filter(cell -> !isExplained(cell)).toList();
        TreeSet<Integer> ranks = new TreeSet<>();
        rest.forEach(cell -> ranks.addAll(List.of(cell.from, cell.to)));
        ranks.removeAll(hosts.keySet());
        Host worst = null;
        for (Side side : Side.values()) {
            for (int rank : ranks) {
                Host host = host(rest, rank, side);
                if (host != null && (worst == null || host.median / host.others > worst.median / worst.others)) {
                    worst = host;
                }
            }
            if (worst != null) {
                break;
            }
        }
        return Optional.ofNullable(worst);
    }

    /** Returns the host if all of its cells are bad; otherwise null. */
    private Host host(List<Cell> rest, int rank, Side side) {
        double[] mine = badness(rest, cell -> isOf(cell, rank, side));
        double[] others = badness(rest, cell -> !cell.touches(rank));
        // With one pair, the link explains it.
        if (pairs(rest, cell -> isOf(cell, rank, side)) < 2 || others.length == 0) {
            return null;
        }
        double limit = limit(others);
        for (double each : mine) {
            if (each <= limit) {
                return null;
            }
        }
        return new Host(
                rank,
                side,
                MedianInterval.of(mine).median(),
                MedianInterval.of(others).median());
    }

    private double limit(double[] others) {
        double median = MedianInterval.of(others).median();
        double[] distances = others.clone();
        for (int i = 0; i < distances.length; i++) {
            distances[i] = Math.abs(distances[i] - median);
        }
        double deviation = NORMAL * MedianInterval.of(distances).median();
        return Math.max(factor * median, median + DEVIATIONS * deviation);
    }

    private static double[] badness(List<Cell> cells, Predicate<Cell> chosen) {
        return cells.stream().filter(chosen).mapToDouble(Cell::badness).toArray();
    }

    private static long pairs(List<Cell> cells, Predicate<Cell> chosen) {
        return cells.stream()
                .filter(chosen)
                .map(cell -> Rounds.Pair.of(cell.from, cell.to))
                .distinct()
                .count();
    }
}
