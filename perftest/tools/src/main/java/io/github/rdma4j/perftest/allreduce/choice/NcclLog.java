// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * NCCL's choices, from its log with {@code NCCL_DEBUG=INFO} and {@code NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET}. The text is
 * made for people and changes between versions, so unknown lines are skipped: a missing entry is no proof that NCCL
 * does not use it. The formats of NCCL 2.4 to 2.27 are supported.
 */
public final class NcclLog {
    /**
     * Bounds the reading of a file that another process may be writing; NCCL writes some hundred lines for each rank.
     */
    private static final int MOST_LINES = 200_000;

    private static final int MOST_LENGTH = 4096;
    private static final int MOST_KEPT = 10_000;

    private static final Pattern LINE = Pattern.compile("NCCL (INFO|WARN) (.*)");
    private static final Pattern VERSION = Pattern.compile("NCCL version (\\d+\\.\\d+\\.\\d+\\S*)");
    private static final Pattern NETWORK = Pattern.compile("Using network (.+)");
    private static final Pattern ADAPTERS = Pattern.compile("NET/\\w+ : Using (\\[\\d+\\].*)");
    private static final Pattern ADAPTER =
            Pattern.compile("\\[(\\d+)\\](?:=\\{\\[\\d+\\] ?)?([\\w.+-]+):(\\d+)/(\\w+)");
    private static final Pattern ADAPTER_DIRECT =
            Pattern.compile("NET/\\S+ : GPU Direct RDMA Enabled for HCA (\\d+) '([^']+)'");
    private static final Pattern PAIR =
            Pattern.compile("(?:NET/\\S+ : )?GPU Direct RDMA (Enabled|Disabled) for GPU (\\S+)"
                    + " / HCA (\\S+) \\(distance (\\d+) (?:<|<=|>|>=) (\\d+)\\).*");
    private static final Pattern DMA_BUF = Pattern.compile("DMA-BUF is available on GPU device (\\d+)");
    private static final Pattern LINK = Pattern.compile("(?:Channel|Ring) (\\d+)(?:/\\d+)? : (\\d+)(?:\\[[^\\]]*\\])?"
            + " -> (\\d+)(?:\\[[^\\]]*\\])? (?:\\[(send|receive)\\] )?via (.+)");
    private static final Pattern OVER_NETWORK = Pattern.compile("NET/(.+?)/(\\d+)(?:\\(\\d+\\))?(/.*)?");
    private static final Pattern RING = Pattern.compile("Channel (\\d+)/(\\d+) *:((?: +\\d+)+)");
    private static final Pattern CHANNELS = Pattern.compile("(\\d+) coll channels, (?:(\\d+) collnet channels, )?"
            + "(?:(\\d+) nvls channels, )?(?:\\d+ nvls tree channels, )?(\\d+) p2p channels.*");
    private static final Pattern GRAPH =
            Pattern.compile("Pattern (\\d+), crossNic (\\d+), nChannels (\\d+), (?:bw|speed) ([\\d.]+)/([\\d.]+),"
                    + " type (\\w+)/(\\w+).*");
    private static final Pattern SYSTEM = Pattern.compile("=== System : maxBw ([\\d.]+) totalBw ([\\d.]+) ===");
    private static final Pattern RANK =
            Pattern.compile(".*\\brank (\\d+) nranks (\\d+) cudaDev (\\d+).*? busId ([0-9a-f]+).*Init COMPLETE.*");
    private static final Pattern VARIABLE = Pattern.compile("(NCCL_\\w+) set by environment to (.*?)\\.?");

    private String version = "";
    private final Set<String> networks = new LinkedHashSet<>();
    private final Map<Integer, Adapter> adapters = new TreeMap<>();
    private final Set<String> directAdapters = new LinkedHashSet<>();
    private final Set<Pair> pairs = new LinkedHashSet<>();
    private final Set<Integer> dmaBufs = new LinkedHashSet<>();
    private final Set<Link> links = new LinkedHashSet<>();
    private final Set<Graph> graphs = new LinkedHashSet<>();
    private final Map<Integer, Rank> ranks = new TreeMap<>();
    private final Map<String, String> variables = new TreeMap<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Map<Integer, String> rings = new TreeMap<>();
    private int channels;
    private double totalBandwidth = Double.NaN;

    private NcclLog() {}

    /**
     * An adapter that NCCL uses.
     *
     * @param number NCCL's number, from 0
     * @param name such as {@code mlx5_0}
     * @param port its port
     * @param link {@code IB} or {@code RoCE}
     */
    public record Adapter(int number, String name, int port, String link) {}

    /**
     * NCCL's decision about a GPU and an adapter.
     *
     * @param gpu NCCL's name of the GPU: a number, or in older versions hexadecimal digits of the PCI address
     * @param adapter NCCL's number of the adapter
     * @param direct whether the adapter accesses the GPU's memory directly
     * @param distance NCCL's number of the kind of path; a greater number is a longer path, and the numbers differ
     *     between versions
     * @param limit the greatest distance at which NCCL uses direct access
     */
    public record Pair(String gpu, String adapter, boolean direct, int distance, int limit) {}

    /**
     * A path from one rank to another.
     *
     * @param channel the number of the channel
     * @param from the rank that sends
     * @param to the rank that receives
     * @param over the transport: {@code P2P}, {@code SHM}, {@code NET/IB} or {@code NET/Socket}
     * @param adapter NCCL's number of the adapter; -1 if there is none
     * @param direct whether the network accesses the GPU's memory directly
     * @param text the line in the log
     */
    public record Link(int channel, int from, int to, String over, int adapter, boolean direct, String text) {
        /** Returns whether it leaves the machine, or may. */
        public boolean isOverNetwork() {
            return over.startsWith("NET/");
        }
    }

    /**
     * A graph that NCCL has found.
     *
     * @param pattern 1 to 3 trees, 4 ring, 5 NVLS, 6 collnet
     * @param channels the number of channels
     * @param bandwidth of a channel within the machine, in GB/s
     * @param inside the longest kind of path between GPUs, such as {@code NVL}
     * @param outside the longest kind of path from a GPU to an adapter, such as {@code PIX}
     */
    public record Graph(int pattern, int channels, double bandwidth, String inside, String outside) {}

    /**
     * A rank whose initialization is complete.
     *
     * @param rank its number
     * @param ranks the number of ranks
     * @param device CUDA's number of its GPU
     * @param pciAddress of its GPU, as {@code 0000:3b:00.0}
     */
    public record Rank(int rank, int ranks, int device, String pciAddress) {}

    /**
     * Parses a file.
     *
     * @throws IOException if it cannot be read
     */
    public static NcclLog read(Path file) throws IOException {
        // NCCL writes names of hosts and files without converting them.
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return of(lines);
        }
    }

    /** Parses lines. */
    public static NcclLog of(Stream<String> lines) {
        NcclLog log = new NcclLog();
        lines.limit(MOST_LINES).filter(line -> line.length() <= MOST_LENGTH).forEach(log::line);
        return log;
    }

    private void line(String line) {
        Matcher entry = LINE.matcher(line);
        if (!entry.find()) {
            version(line);
        } else if (entry.group(1).equals("WARN")) {
            keep(warnings, entry.group(2).strip());
        } else {
            information(entry.group(2).strip());
        }
    }

    private void version(String text) {
        Matcher found = VERSION.matcher(text);
        if (found.find()) {
            version = found.group(1);
        }
    }

    private void information(String text) {
        version(text);
        Matcher found;
        if ((found = matched(LINK, text)) != null) {
            link(found);
        } else if ((found = matched(PAIR, text)) != null) {
            keep(
                    pairs,
                    new Pair(
                            found.group(2),
                            found.group(3),
                            found.group(1).equals("Enabled"),
                            number(found.group(4)),
                            number(found.group(5))));
        } else if ((found = matched(NETWORK, text)) != null) {
            keep(networks, found.group(1));
        } else if ((found = matched(ADAPTER_DIRECT, text)) != null) {
            keep(directAdapters, found.group(2));
        } else if ((found = matched(ADAPTERS, text)) != null) {
            adapters(found.group(1));
        } else if ((found = matched(DMA_BUF, text)) != null) {
            keep(dmaBufs, number(found.group(1)));
        } else if ((found = matched(RING, text)) != null) {
            rings.putIfAbsent(number(found.group(1)), found.group(3).strip().replaceAll(" +", " "));
            channels = Math.max(channels, number(found.group(2)));
        } else if ((found = matched(CHANNELS, text)) != null) {
            channels = number(found.group(1));
        } else if ((found = matched(GRAPH, text)) != null) {
            keep(
                    graphs,
                    new Graph(
                            number(found.group(1)),
                            number(found.group(3)),
                            decimal(found.group(4)),
                            found.group(6),
                            found.group(7)));
        } else if ((found = matched(SYSTEM, text)) != null) {
            totalBandwidth = decimal(found.group(2));
        } else if ((found = matched(RANK, text)) != null) {
            int rank = number(found.group(1));
            ranks.put(rank, new Rank(rank, number(found.group(2)), number(found.group(3)), pciAddress(found.group(4))));
        } else if ((found = matched(VARIABLE, text)) != null) {
            variables.put(found.group(1), found.group(2));
        }
    }

    private static Matcher matched(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.matches() ? matcher : null;
    }

    private static <T> void keep(Set<T> into, T thing) {
        if (into.size() < MOST_KEPT) {
            into.add(thing);
        }
    }

    private void adapters(String text) {
        Matcher each = ADAPTER.matcher(text);
        while (each.find()) {
            int number = number(each.group(1));
            adapters.put(number, new Adapter(number, each.group(2), number(each.group(3)), each.group(4)));
        }
    }

    private void link(Matcher found) {
        String text = found.group(5).strip();
        Matcher network = OVER_NETWORK.matcher(text);
        boolean over = network.matches();
        String more = over && network.group(3) != null ? network.group(3) : "";
        keep(
                links,
                new Link(
                        number(found.group(1)),
                        number(found.group(2)),
                        number(found.group(3)),
                        over ? "NET/" + network.group(1) : text.split("/")[0],
                        over ? number(network.group(2)) : -1,
                        more.contains("/GDRDMA"),
                        text));
    }

    /** Parses digits without leading zeros. NCCL never writes a number that is too long. */
    private static int number(String digits) {
        return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
    }

    private static double decimal(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException _) {
            return Double.NaN;
        }
    }

    /** NCCL omits colons and dots of a PCI address: 3b000 is 0000:3b:00.0. */
    private static String pciAddress(String digits) {
        long number = digits.length() > 12 ? 0 : Long.parseLong(digits, 16);
        return "%04x:%02x:%02x.%x".formatted(number >> 20, number >> 12 & 0xff, number >> 4 & 0xff, number & 0xf);
    }

    /** Returns NCCL's version, such as {@code 2.27.3+cuda12.9}; empty if the log does not contain it. */
    public String version() {
        return version;
    }

    /** Returns NCCL's names of the networks that it uses, such as IB. */
    public List<String> networks() {
        return List.copyOf(networks);
    }

    /** Returns the adapters that NCCL uses, by number. */
    public List<Adapter> adapters() {
        return List.copyOf(adapters.values());
    }

    /** Returns the adapters that can access GPU memory, by name. */
    public Set<String> directAdapters() {
        return directAdapters;
    }

    /** Returns the decisions about GPUs and adapters. */
    public List<Pair> pairs() {
        return List.copyOf(pairs);
    }

    /** Returns the GPUs, by CUDA's numbers, whose memory NCCL exports as dma-bufs. */
    public Set<Integer> dmaBufs() {
        return dmaBufs;
    }

    /** Returns all paths between ranks. */
    public List<Link> links() {
        return List.copyOf(links);
    }

    /** Returns the graphs that NCCL has found. */
    public List<Graph> graphs() {
        return List.copyOf(graphs);
    }

    /** Returns the ranks whose initialization is complete, by number. */
    public List<Rank> ranks() {
        return new ArrayList<>(ranks.values());
    }

    /** Returns the variables that were set. */
    public Map<String, String> variables() {
        return new LinkedHashMap<>(variables);
    }

    /** Returns NCCL's warnings. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Returns the order of the ranks in each channel's ring. */
    public Map<Integer, String> rings() {
        return rings;
    }

    /** Returns the number of channels for collectives; 0 if the log has none. */
    public int channels() {
        return channels;
    }

    /** Returns the total bandwidth of a GPU in NCCL's topology, in GB/s; NaN if the log has none. */
    public double totalBandwidth() {
        return totalBandwidth;
    }

    /** Returns whether the log contains nothing that was understood. */
    public boolean isEmpty() {
        return version.isEmpty() && ranks.isEmpty() && links.isEmpty() && networks.isEmpty();
    }
}
