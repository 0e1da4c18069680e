// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LaunchTest {
    @Test
    void aloneOrWithOthersThatItStarts() {
        assertThat(Launch.of(null, null, null, Map.of())).isEqualTo(new Launch(0, 1, 0, Optional.empty(), ""));
        Launch four = Launch.of(null, 4, null, Map.of());
        assertThat(four).isEqualTo(new Launch(0, 4, 0, Optional.empty(), ""));
        assertThat(four.startsOthers()).isTrue();
        // As "srun --pty" leaves it: one of one.
        assertThat(Launch.of(null, 4, null, Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "1")))
                .isEqualTo(four);
    }

    @Test
    void launchers() {
        assertThat(Launch.of(
                        null,
                        null,
                        "a:1",
                        Map.of(
                                "OMPI_COMM_WORLD_RANK", "5",
                                "OMPI_COMM_WORLD_SIZE", "8",
                                "OMPI_COMM_WORLD_LOCAL_RANK", "1")))
                .isEqualTo(new Launch(5, 8, 1, Optional.of("a:1"), "Open MPI"));
        assertThat(Launch.of(null, 2, "a:1", Map.of("PMI_RANK", "1", "PMI_SIZE", "2")))
                .isEqualTo(new Launch(1, 2, -1, Optional.of("a:1"), "MPICH"));
        assertThat(Launch.of(null, null, "a:1", Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_LOCALID", "0")))
                .isEqualTo(new Launch(1, 2, 0, Optional.of("a:1"), "Slurm"));
        assertThat(Launch.of(
                        null,
                        null,
                        null,
                        Map.of("RANK", "1", "WORLD_SIZE", "2", "LOCAL_RANK", "1", "MASTER_ADDR", "10.0.0.1")))
                .isEqualTo(new Launch(1, 2, 1, Optional.of("10.0.0.1:18520"), "torchrun"));
        // The command line goes before.
        assertThat(Launch.of(0, 2, "a:1", Map.of("RANK", "1", "WORLD_SIZE", "4"))
                        .rank())
                .isZero();
    }

    private static void refused(String message, Integer rank, Integer ranks, String server, Map<String, String> set) {
        assertThatExceptionOfType(IllegalParameterException.class)
                .isThrownBy(() -> Launch.of(rank, ranks, server, set))
                .withMessage(message);
    }

    @Test
    void contradictoryOptionsAreRefused() {
        refused("--ranks: 0 is not in 1..65536", null, 0, null, Map.of());
        refused("--rank: of how many? Give --ranks", 0, null, null, Map.of());
        refused("--rank: 2 is not in 0..1", 2, 2, "a:1", Map.of());
        refused(
                "where do the 2 ranks meet? Give --server HOST:PORT, an address of rank 0's machine",
                0,
                2,
                null,
                Map.of());
        refused(
                "--server is for one rank of several: also give --rank and --ranks, or start it with a launcher",
                null,
                2,
                "a:1",
                Map.of());
        Map<String, String> torch = Map.of("RANK", "1", "WORLD_SIZE", "2");
        refused(
                "where do the 2 ranks meet? Give --server HOST:PORT, an address of rank 0's machine",
                null,
                null,
                null,
                torch);
        refused("--ranks: 3, and torchrun has started 2", null, 3, "a:1", torch);
        refused("the variable RANK: 'x' is not in 0..1", null, null, "a:1", Map.of("RANK", "x", "WORLD_SIZE", "2"));
        refused(
                "the variable WORLD_SIZE: '0' is not in 1..65536",
                null,
                null,
                "a:1",
                Map.of("RANK", "0", "WORLD_SIZE", "0"));
    }
}
