// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The hosts of a job and the place of this process among them, from the launcher or the command line.
 *
 * @param id identifies the job
 * @param launcher what has started the hosts, for the report
 * @param hosts their names, by rank
 * @param rank the rank of this process's host, from 0
 * @param server where rank 0 waits for the others
 */
record Job(String id, String launcher, List<String> hosts, int rank, PeerAddress server) {
    private static final int MOST_RANKS = 1 << 20;

    /** Copies the list. */
    Job {
        hosts = List.copyOf(hosts);
    }

    /**
     * The options about the hosts; each may be null.
     *
     * @param file a host file
     * @param ranks the number of hosts
     * @param rank the rank of this host
     * @param server the host of rank 0
     * @param port the TCP port of rank 0
     */
    record Request(Path file, Integer ranks, Integer rank, String server, Integer port) {}

    /** Recognises this machine among the hosts. */
    @FunctionalInterface
    interface Self {
        /** Returns whether the name or address is this machine's. */
        boolean is(String host);
    }

    /**
     * Returns the job.
     *
     * @throws IllegalParameterException if options and environment do not describe one
     */
    static Job of(Request request, Map<String, String> environment, Self self) {
        if (request.file != null) {
            return ofFile(request, self);
        }
        if (request.rank == null && environment.containsKey("SLURM_JOB_ID")) {
            return ofSlurm(request, environment);
        }
        return ofRanks(request, environment);
    }

    private static Job ofFile(Request request, Self self) {
        List<String> hosts = HostList.read(request.file);
        IllegalParameterException.when(
                request.ranks != null, "--ranks: the file of --hosts already has the number of hosts");
        int rank = request.rank != null
                ? within("--rank", request.rank, hosts.size())
                : find(hosts, self, request.file.toString());
        return new Job(
                String.format(Locale.ROOT, "the host file with %d hosts %08x", hosts.size(), hosts.hashCode()),
                "host file " + request.file,
                hosts,
                rank,
                server(request, hosts.getFirst()));
    }

    private static int find(List<String> hosts, Self self, String file) {
        List<Integer> mine = IntStream.range(0, hosts.size())
                .filter(i -> self.is(hosts.get(i)))
                .boxed()
                .toList();
        IllegalParameterException.when(
                mine.isEmpty(),
                () -> "--hosts: " + file + " does not name this host (" + Environment.hostName()
                        + "); give --rank, or add it");
        IllegalParameterException.when(
                mine.size() > 1,
                () -> "--hosts: " + file + " names this host twice, as " + hosts.get(mine.get(0)) + " and "
                        + hosts.get(mine.get(1)) + "; give --rank, or remove one");
        return mine.getFirst();
    }

    private static Job ofSlurm(Request request, Map<String, String> environment) {
        String list = environment.get("SLURM_STEP_NODELIST");
        String node = environment.get("SLURM_NODEID");
        IllegalParameterException.when(
                list == null || node == null,
                "this is a job of Slurm, and not a step on its nodes: run srun --ntasks-per-node=1 rdma4j mesh");
        IllegalParameterException.when(
                !environment.getOrDefault("SLURM_LOCALID", "0").equals("0"),
                "Slurm has started several tasks on this node: mesh needs one, so give srun --ntasks-per-node=1");
        List<String> hosts = HostList.expand("the variable SLURM_STEP_NODELIST", list);
        IllegalParameterException.when(
                hosts.size() < 2 || hosts.size() > HostList.MOST_HOSTS,
                () -> "the step has " + hosts.size() + " nodes; mesh measures 2 to " + HostList.MOST_HOSTS);
        int rank = number("the variable SLURM_NODEID", node, hosts.size());
        String id = "job " + environment.get("SLURM_JOB_ID") + "." + environment.getOrDefault("SLURM_STEP_ID", "0")
                + " of Slurm";
        return new Job(id, id, hosts, rank, server(request, hosts.getFirst()));
    }

    private static Job ofRanks(Request request, Map<String, String> environment) {
        String index = environment.get("JOB_COMPLETION_INDEX");
        IllegalParameterException.when(
                request.rank == null && index == null,
                "which hosts? Start it with srun, give --hosts, or give --rank, --ranks and --server");
        IllegalParameterException.when(
                request.ranks == null || request.server == null,
                "the number of hosts and rank 0's host are unknown: give --ranks and --server");
        int ranks = request.ranks;
        IllegalParameterException.when(
                ranks < 2 || ranks > HostList.MOST_HOSTS,
                () -> "--ranks: " + ranks + " is not in 2.." + HostList.MOST_HOSTS);
        int rank = request.rank != null
                ? within("--rank", request.rank, ranks)
                : number("the variable JOB_COMPLETION_INDEX", index, ranks);
        PeerAddress server = server(request, request.server);
        return new Job(
                ranks + " ranks at " + server,
                index != null ? "Indexed Job of Kubernetes" : "--rank",
                names(server.host(), ranks),
                rank,
                server);
    }

    /** Pods of an Indexed Job are called JOB-INDEX; other hosts report their names when they arrive. */
    private static List<String> names(String server, int ranks) {
        int dot = server.indexOf('.');
        String first = dot < 0 ? server : server.substring(0, dot);
        String stem = first.endsWith("-0") ? first.substring(0, first.length() - 1) : "rank ";
        List<String> names = new ArrayList<>();
        for (int i = 0; i < ranks; i++) {
            names.add(stem + i);
        }
        return names;
    }

    private static PeerAddress server(Request request, String host) {
        PeerAddress address = request.server == null
                ? PeerAddress.parse(Protocol.MESH, "the first host", host)
                : PeerAddress.parse(Protocol.MESH, "--server", request.server);
        return request.port == null ? address : new PeerAddress(address.host(), request.port);
    }

    private static int within(String name, int rank, int ranks) {
        IllegalParameterException.when(
                rank < 0 || rank >= ranks, () -> name + ": " + rank + " is not in 0.." + (ranks - 1));
        return rank;
    }

    private static int number(String name, String text, int ranks) {
        int value = text.matches("\\d{1,7}") ? Math.min(Integer.parseInt(text), MOST_RANKS) : -1;
        IllegalParameterException.when(
                value < 0 || value >= ranks, () -> name + ": '" + text + "' is not in 0.." + (ranks - 1));
        return value;
    }

    /** Returns whether a host of a list is this machine, by its name or by the addresses of its interfaces. */
    static boolean isThisMachine(String host) {
        String name = Environment.hostName();
        if (host.equalsIgnoreCase(name) || shortName(host).equalsIgnoreCase(name) && !host.matches("[0-9.:]+")) {
            return true;
        }
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (NetworkInterface.getByInetAddress(address) != null) {
                    return true;
                }
            }
        } catch (IOException _) {
            // An unknown host is not this one.
        }
        return false;
    }

    private static String shortName(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? host : host.substring(0, dot);
    }
}
