// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import io.github.rdma4j.perftest.exit.Unreadable;
import io.github.rdma4j.perftest.predict.model.DataPath.ServiceTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The time that a device takes for each message, for each packet and for each 1024 bytes, from three measured sizes.
 *
 * @param file the measurement's file
 * @param tool the tool that measured
 * @param device the RDMA device
 * @param mtu its path MTU in bytes
 * @param measured bytes per second by size
 * @param fitted the three sizes
 * @param times the times that fit them
 */
public record Calibration(
        String file,
        String tool,
        String device,
        int mtu,
        Map<Long, Double> measured,
        List<Long> fitted,
        ServiceTime times) {
    private static final int UNKNOWNS = 3;
    private static final double MICROSECONDS = 1e6;
    private static final double KIBIBYTE = 1024;
    /**
     * The bounds of messages per second: no test is slower, and no adapter is faster. The computation fails beyond
     * them.
     */
    private static final double LEAST_RATE = 1e-6;

    private static final double MOST_RATE = 1e12;

    /** Copies list and map; the map stays in the order of sizes. */
    public Calibration {
        measured = new TreeMap<>(measured);
        fitted = List.copyOf(fitted);
    }

    /**
     * Reads a bandwidth tool's {@code --out_json} files, and fits three sizes. If there are several documents, the best
     * result of each size counts, because disturbances only make a measurement slower.
     *
     * @param files at least one, of the same tool, device and MTU
     * @param sizes the sizes to fit; empty for the least, the one next to the MTU, and the greatest
     * @throws MachineFileException if a file is not such a document, or the sizes are missing
     */
    public static Calibration of(List<Path> files, List<Long> sizes) {
        Document first = Document.read(files.getFirst());
        Map<Long, Double> measured = new TreeMap<>(first.measured);
        for (Path file : files.subList(1, files.size())) {
            Document other = Document.read(file);
            if (!other.about().equals(first.about())) {
                throw new MachineFileException(
                        file + " is of " + other.about() + ", and " + files.getFirst() + " of " + first.about(),
                        "give documents of one tool, device and MTU");
            }
            other.measured.forEach((size, rate) -> measured.merge(size, rate, Math::max));
        }
        String name = files.getFirst() + (files.size() > 1 ? " and " + (files.size() - 1) + " more" : "");
        List<Long> chosen = sizes.isEmpty() ? usual(measured, first.mtu) : sizes;
        for (long size : chosen) {
            if (!measured.containsKey(size)) {
                throw new MachineFileException(
                        name + " has no result of " + size + " bytes; it has " + measured.keySet(), "");
            }
        }
        if (chosen.stream().distinct().count() != UNKNOWNS) {
            throw new MachineFileException(
                    name + ": a calibration needs three sizes, not " + chosen, "measure with -a");
        }
        return new Calibration(
                name, first.tool, first.device, first.mtu, measured, chosen, fit(measured, chosen, first.mtu));
    }

    /** A document of a bandwidth tool. */
    private record Document(String tool, String device, int mtu, Map<Long, Double> measured) {
        static Document read(Path file) {
            String text;
            try {
                text = DescribedMachines.text(file);
            } catch (IOException failure) {
                throw new MachineFileException(Unreadable.sentence(file, failure), "");
            }
            Described.Source source = new Described.Source(
                    file.toString(), "measure with ib_write_bw -a --out_json_file=FILE, or another bandwidth tool");
            Described root = Described.read(source, text);
            Described info = child(source, root, "test_info");
            Map<Long, Double> measured = new TreeMap<>();
            Described ours = root.object("rdma4j").orElse(null);
            for (Described result : ours == null ? root.objects("results") : ours.objects("sizes")) {
                long size = result.whole(ours == null ? "MsgSize" : "size");
                double rate = 1e6
                        * (ours == null
                                ? result.number("MsgRate")
                                : child(source, result, "bandwidth").number("message_rate"));
                if (size < 1 || rate < LEAST_RATE || rate > MOST_RATE) {
                    throw new MachineFileException(
                            file + ": a size of " + size + " bytes with " + rate + " messages/s", "measure again");
                }
                measured.put(size, size * rate);
            }
            int mtu = info.whole("Mtu");
            if (mtu < 1) {
                throw new MachineFileException(file + ": \"Mtu\" is " + mtu, "measure again");
            }
            String tool = ours == null
                    ? info.text("test")
                    : child(source, ours, "test").text("tool");
            return new Document(tool, info.text("Device"), mtu, measured);
        }

        private static Described child(Described.Source source, Described parent, String name) {
            return parent.object(name).orElseThrow(() -> source.wrong(1, "\"" + name + "\" is missing"));
        }

        String about() {
            return tool + " on " + device + ", MTU " + mtu;
        }
    }

    private static List<Long> usual(Map<Long, Double> measured, int mtu) {
        List<Long> sizes = new ArrayList<>(measured.keySet());
        if (sizes.size() < UNKNOWNS) {
            return sizes;
        }
        long middle = sizes.subList(1, sizes.size() - 1).stream()
                .min((one, other) -> Long.compare(Math.abs(one - mtu), Math.abs(other - mtu)))
                .orElseThrow();
        return List.of(sizes.getFirst(), middle, sizes.getLast());
    }

    /**
     * Fits t = a + b packets + c KiB without negative coefficients. Of all subsets of coefficients, it takes the one
     * with the smallest relative errors.
     */
    private static ServiceTime fit(Map<Long, Double> measured, List<Long> sizes, int mtu) {
        double[][] rows = new double[UNKNOWNS][];
        for (int i = 0; i < UNKNOWNS; i++) {
            long size = sizes.get(i);
            double time = size / measured.get(size) * MICROSECONDS;
            rows[i] = new double[] {1 / time, Math.ceilDiv(size, mtu) / time, size / KIBIBYTE / time};
        }
        double[] best = null;
        double least = Double.POSITIVE_INFINITY;
        for (int parts = 1; parts < 1 << UNKNOWNS; parts++) {
            double[] solution = LeastSquares.solve(rows, parts);
            double error = LeastSquares.error(rows, solution);
            boolean possible = true;
            for (double part : solution) {
                possible &= part >= 0;
            }
            if (possible && error < least) {
                least = error;
                best = solution;
            }
        }
        // A single coefficient is never negative.
        return new ServiceTime(best[0], best[1], mtu, best[2]);
    }

    /** Bytes per second that the model has for a size. */
    public double predict(long size) {
        return size / times.of(size) * MICROSECONDS;
    }
}
