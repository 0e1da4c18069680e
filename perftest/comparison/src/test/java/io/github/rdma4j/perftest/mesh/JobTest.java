// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobTest {
    private static final Job.Request NOTHING = new Job.Request(null, null, null, null, null);
    private static final Map<String, String> SLURM = Map.of(
            "SLURM_JOB_ID", "77",
            "SLURM_STEP_ID", "1",
            "SLURM_STEP_NODELIST", "n[01-03]",
            "SLURM_NODEID", "2",
            "SLURM_LOCALID", "0");

    private static Job job(Job.Request request, Map<String, String> environment) {
        return Job.of(request, environment, host -> host.equals("beta"));
    }

    @Test
    void slurmSuppliesTheHosts() {
        Job job = job(NOTHING, SLURM);

        assertThat(job.hosts()).containsExactly("n01", "n02", "n03");
        assertThat(job.rank()).isEqualTo(2);
        assertThat(job.server()).hasToString("n01:18518");
        assertThat(job.id()).isEqualTo("job 77.1 of Slurm");
    }

    @Test
    void portAndServerReplaceTheDefaults() {
        Job job = job(new Job.Request(null, null, null, "n01-ib", 9000), SLURM);

        assertThat(job.server()).hasToString("n01-ib:9000");
    }

    @Test
    void invalidServerIsRefusedByItsOption() {
        assertThatThrownBy(() -> job(new Job.Request(null, 2, 1, "n01:99999", null), Map.of()))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--server: 'n01:99999' is not HOST");
    }

    @Test
    void slurmNeedsAStepWithOneTaskPerNode() {
        Map<String, String> batch = new HashMap<>(SLURM);
        batch.remove("SLURM_STEP_NODELIST");
        assertThatThrownBy(() -> job(NOTHING, batch))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageContaining("run srun --ntasks-per-node=1 rdma4j mesh");
        Map<String, String> second = new HashMap<>(SLURM);
        second.put("SLURM_LOCALID", "1");
        assertThatThrownBy(() -> job(NOTHING, second)).hasMessageContaining("several tasks on this node");
        Map<String, String> outside = new HashMap<>(SLURM);
        outside.put("SLURM_NODEID", "3");
        assertThatThrownBy(() -> job(NOTHING, outside)).hasMessage("the variable SLURM_NODEID: '3' is not in 0..2");
    }

    @Test
    void kubernetesSuppliesTheRank() {
        Job job = job(
                new Job.Request(null, 3, null, "mesh-0.mesh.default.svc", null), Map.of("JOB_COMPLETION_INDEX", "1"));

        assertThat(job.rank()).isEqualTo(1);
        assertThat(job.hosts()).containsExactly("mesh-0", "mesh-1", "mesh-2");
        assertThat(job.server()).hasToString("mesh-0.mesh.default.svc:18518");
    }

    @Test
    void kubernetesNeedsTheNumberOfPods() {
        assertThatThrownBy(() -> job(NOTHING, Map.of("JOB_COMPLETION_INDEX", "1")))
                .hasMessageContaining("give --ranks and --server");
    }

    @Test
    void hostFindsItselfInTheFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("hosts"), "alpha\nbeta\n");

        Job job = job(new Job.Request(file, null, null, null, null), Map.of());

        assertThat(job.rank()).isEqualTo(1);
        assertThat(job.server()).hasToString("alpha:18518");
        assertThat(job.id())
                .isEqualTo(
                        job(new Job.Request(file, null, 0, null, null), SLURM).id());
    }

    @Test
    void fileMustNameThisHostOnce(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("hosts"), "alpha\ngamma\n");
        Job.Request request = new Job.Request(file, null, null, null, null);

        assertThatThrownBy(() -> job(request, Map.of())).hasMessageContaining("does not name this host");
        assertThatThrownBy(() -> Job.of(request, Map.of(), _ -> true))
                .hasMessageContaining("names this host twice, as alpha and gamma");
        assertThatThrownBy(() -> job(new Job.Request(file, null, 2, null, null), Map.of()))
                .hasMessage("--rank: 2 is not in 0..1");
    }

    @Test
    void missingHostsAreRefused() {
        assertThatThrownBy(() -> job(NOTHING, Map.of()))
                .hasMessage("which hosts? Start it with srun, give --hosts, or give --rank, --ranks and --server");
    }
}
