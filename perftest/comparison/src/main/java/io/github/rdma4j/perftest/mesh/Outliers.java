// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.figures.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
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

    /** The cells of a host or pair hardly change the median of more cells, so these are compared with all cells. */
    private static final int MOST_COMPARED_WITH_OTHERS = 1000;

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
        List<Cell> rest = rest();
        Baseline all = rest.size() > MOST_COMPARED_WITH_OTHERS ? baseline(rest, _ -> true) : null;
        for (Cell cell : rest) {
            // Of two cells that differ, either may be the bad one.
            if (all != null || pairs(rest, other -> !other.isOfPair(cell)) > 1) {
                Baseline others = all != null ? all : baseline(rest, other -> !other.isOfPair(cell));
                if (cell.badness > others.limit) {
                    links.add(new Link(cell, others.median));
                }
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

    private List<Cell> rest() {
        return cells.stream().filter(cell -> !isExplained(cell)).toList();
    }

    private Optional<Host> worstHost() {
        List<Cell> rest = rest();
        Baseline all = rest.size() > MOST_COMPARED_WITH_OTHERS ? baseline(rest, _ -> true) : null;
        Map<Integer, List<Cell>> cellsOf = new TreeMap<>();
        for (Cell cell : rest) {
            cellsOf.computeIfAbsent(cell.from, _ -> new ArrayList<>()).add(cell);
            cellsOf.computeIfAbsent(cell.to, _ -> new ArrayList<>()).add(cell);
        }
        cellsOf.keySet().removeAll(hosts.keySet());
        for (Side side : Side.values()) {
            Optional<Host> worst = cellsOf.entrySet().stream()
                    .map(entry -> {
                        int rank = entry.getKey();
                        return host(
                                entry.getValue().stream()
                                        .filter(cell -> isOf(cell, rank, side))
                                        .toList(),
                                rank,
                                side,
                                all != null ? all : baseline(rest, cell -> !cell.touches(rank)));
                    })
                    .filter(Objects::nonNull)
                    .max(Comparator.comparing(host -> host.median / host.others));
            if (worst.isPresent()) {
                return worst;
            }
        }
        return Optional.empty();
    }

    /** Returns the host if all of its cells are bad; otherwise null. */
    private static Host host(List<Cell> own, int rank, Side side, Baseline others) {
        // With one pair, the link explains it.
        return pairs(own, _ -> true) > 1 && own.stream().allMatch(cell -> cell.badness > others.limit)
                ? new Host(rank, side, Spread.of(badness(own, _ -> true)).median(), others.median)
                : null;
    }

    /**
     * Cells that others are compared with.
     *
     * @param median their median
     * @param limit the badness from which a cell stands out
     */
    private record Baseline(double median, double limit) {}

    private Baseline baseline(List<Cell> from, Predicate<Cell> chosen) {
        double[] distances = badness(from, chosen);
        if (distances.length == 0) {
            return new Baseline(Double.NaN, Double.POSITIVE_INFINITY);
        }
        double median = Spread.of(distances).median();
        for (int i = 0; i < distances.length; i++) {
            distances[i] = Math.abs(distances[i] - median);
        }
        double deviation = NORMAL * Spread.of(distances).median();
        return new Baseline(median, Math.max(factor * median, median + DEVIATIONS * deviation));
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
