// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rank of this process, from its command line or from a launcher's environment variables.
 *
 * @param rank its number, from 0
 * @param ranks the number of ranks
 * @param localRank its number on this machine; -1 if unknown
 * @param server the address where rank 0 waits for the others, as {@code HOST:PORT}; empty if this process starts them,
 *     or is alone
 * @param launcher the launcher that set the variables; empty for the command line
 */
record Launch(int rank, int ranks, int localRank, Optional<String> server, String launcher) {
    /** More than any published NCCL run. */
    static final int MOST_RANKS = 1 << 16;

    private static final String DEFAULT_PORT = ":18520";

    private static final List<Launcher> LAUNCHERS = List.of(
            new Launcher("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
            new Launcher("MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
            new Launcher("Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
            new Launcher("torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"));

    private record Launcher(String name, String rank, String size, String local) {}

    /**
     * Finds the rank of this process.
     *
     * @param rank from the command line, or null
     * @param ranks from the command line, or null
     * @param server from the command line, or null
     * @param environment the environment variables
     */
    static Launch of(Integer rank, Integer ranks, String server, Map<String, String> environment) {
        if (ranks != null && (ranks < 1 || ranks > MOST_RANKS)) {
            throw new IllegalParameterException("--ranks: %d is not in 1..%d".formatted(ranks, MOST_RANKS));
        }
        if (rank != null) {
            IllegalParameterException.when(ranks == null, "--rank: of how many? Give --ranks");
            IllegalParameterException.when(
                    rank < 0 || rank >= ranks, () -> "--rank: %d is not in 0..%d".formatted(rank, ranks - 1));
            return checked(new Launch(rank, ranks, -1, Optional.ofNullable(server), ""));
        }
        for (Launcher launcher : LAUNCHERS) {
            if (environment.containsKey(launcher.rank) && environment.containsKey(launcher.size)) {
                Launch found = of(launcher, server, environment);
                if (found.ranks > 1) {
                    IllegalParameterException.when(
                            ranks != null && ranks != found.ranks,
                            () -> "--ranks: %d, and %s has started %d".formatted(ranks, launcher.name, found.ranks));
                    return checked(found);
                }
            }
        }
        IllegalParameterException.when(
                server != null,
                "--server is for one rank of several: also give --rank and --ranks, or start it with a launcher");
        return new Launch(0, ranks == null ? 1 : ranks, 0, Optional.empty(), "");
    }

    private static Launch of(Launcher launcher, String server, Map<String, String> environment) {
        int ranks = number(launcher.size, environment.get(launcher.size), 1, MOST_RANKS);
        int rank = number(launcher.rank, environment.get(launcher.rank), 0, ranks - 1);
        String local = environment.get(launcher.local);
        String master = environment.get("MASTER_ADDR");
        return new Launch(
                rank,
                ranks,
                local == null ? -1 : number(launcher.local, local, 0, ranks - 1),
                Optional.ofNullable(server == null && master != null ? master + DEFAULT_PORT : server),
                launcher.name);
    }

    private static int number(String variable, String text, int least, int most) {
        int value = text.matches("\\d{1,6}") ? Integer.parseInt(text) : -1;
        if (value < least || value > most) {
            throw new IllegalParameterException(
                    "the variable %s: '%s' is not in %d..%d".formatted(variable, text, least, most));
        }
        return value;
    }

    private static Launch checked(Launch launch) {
        if (launch.ranks > 1 && launch.server.isEmpty()) {
            throw new IllegalParameterException(
                    "where do the %d ranks meet? Give --server HOST:PORT, an address of rank 0's machine"
                            .formatted(launch.ranks));
        }
        return launch;
    }

    /** Returns whether this process starts the others. */
    boolean startsOthers() {
        return ranks > 1 && server.isEmpty();
    }

    /** Returns this launch with the address of the ranks' meeting. */
    Launch at(String address) {
        return new Launch(rank, ranks, localRank, Optional.of(address), launcher);
    }
}
