// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.gpudirect.GpuPath.DMA_BUF;
import static io.github.rdma4j.gpudirect.GpuPath.PEER_MEMORY;
import static io.github.rdma4j.gpudirect.GpuPath.STAGED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceMemory.Kind;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.Project;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The decision table of docs/findings.md, row by row. */
class PathRulesTest {
    private static final List<GpuPath> ORDER = List.of(DMA_BUF, PEER_MEMORY, STAGED);

    /** A machine that supports everything, except for the changes of a row. */
    private static final class Machine {
        CudaVersion driver = CudaVersion.of(13, 0);
        boolean integrated;
        boolean gpuDirect = true;
        boolean exportsDmaBufs = true;
        WriteOrdering ordering = WriteOrdering.ORDERED;
        Kind kind = Kind.ALLOCATED;
        boolean memoryCapable = true;
        boolean adapterTakesDmaBufs = true;
        boolean peerMemoryModule = true;
        Set<AccessFlag> access = Set.of(AccessFlag.LOCAL_WRITE);
        final Map<GpuPath, Reason> failingAttempts = new EnumMap<>(GpuPath.class);

        PathFacts facts() {
            return new PathFacts(
                    driver,
                    integrated,
                    gpuDirect,
                    exportsDmaBufs,
                    ordering,
                    kind,
                    memoryCapable,
                    adapterTakesDmaBufs,
                    peerMemoryModule,
                    access);
        }

        Optional<PathRefusal> attempt(GpuPath path) {
            return Optional.ofNullable(failingAttempts.get(path))
                    .map(reason -> new PathRefusal(path, reason, 14, "as the row has it", ""));
        }
    }

    private static Machine with(UnaryOperator<Machine> change) {
        return change.apply(new Machine());
    }

    /**
     * The rows: what is so, the path that follows, and the reasons against the two direct ones, null where there is
     * none.
     */
    enum Row {
        EVERYTHING(m -> m, DMA_BUF, null, null),
        NO_DMA_BUF_ATTRIBUTE(
                m -> {
                    m.exportsDmaBufs = false;
                    return m;
                },
                PEER_MEMORY,
                Reason.DMA_BUF_UNSUPPORTED_BY_GPU,
                null),
        OLD_DRIVER(
                m -> {
                    m.driver = CudaVersion.of(11, 6);
                    return m;
                },
                PEER_MEMORY,
                Reason.DRIVER_TOO_OLD,
                null),
        ADAPTER_WITHOUT_DMA_BUF(
                m -> {
                    m.adapterTakesDmaBufs = false;
                    return m;
                },
                PEER_MEMORY,
                Reason.DMA_BUF_UNSUPPORTED_BY_ADAPTER,
                null),
        FLAGS_THAT_DMA_BUFS_LACK(
                m -> {
                    m.access = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
                    return m;
                },
                PEER_MEMORY,
                Reason.ACCESS_FLAGS,
                null),
        EXPORT_REFUSED(
                m -> {
                    m.failingAttempts.put(DMA_BUF, Reason.EXPORT_REFUSED);
                    return m;
                },
                PEER_MEMORY,
                Reason.EXPORT_REFUSED,
                null),
        REGISTRATION_OF_THE_DMA_BUF_REFUSED(
                m -> {
                    m.failingAttempts.put(DMA_BUF, Reason.REGISTRATION_REFUSED);
                    return m;
                },
                PEER_MEMORY,
                Reason.REGISTRATION_REFUSED,
                null),
        NO_MODULE(
                m -> {
                    m.exportsDmaBufs = false;
                    m.peerMemoryModule = false;
                    return m;
                },
                STAGED,
                Reason.DMA_BUF_UNSUPPORTED_BY_GPU,
                Reason.PEER_MEMORY_MODULE_ABSENT),
        NO_GPU_DIRECT(
                m -> {
                    m.exportsDmaBufs = false;
                    m.gpuDirect = false;
                    return m;
                },
                STAGED,
                Reason.DMA_BUF_UNSUPPORTED_BY_GPU,
                Reason.GPU_DIRECT_UNSUPPORTED),
        BOTH_REGISTRATIONS_REFUSED(
                m -> {
                    m.failingAttempts.put(DMA_BUF, Reason.REGISTRATION_REFUSED);
                    m.failingAttempts.put(PEER_MEMORY, Reason.REGISTRATION_REFUSED);
                    return m;
                },
                STAGED,
                Reason.REGISTRATION_REFUSED,
                Reason.REGISTRATION_REFUSED),
        INTEGRATED(
                m -> {
                    m.integrated = true;
                    return m;
                },
                STAGED,
                Reason.INTEGRATED_GPU,
                Reason.INTEGRATED_GPU),
        UNORDERED_WRITES(
                m -> {
                    m.ordering = WriteOrdering.UNORDERED;
                    return m;
                },
                STAGED,
                Reason.WRITES_UNORDERED,
                Reason.WRITES_UNORDERED),
        WRITES_THAT_THE_HOST_FLUSHES(
                m -> {
                    m.ordering = WriteOrdering.FLUSHED_BY_HOST;
                    return m;
                },
                DMA_BUF,
                null,
                null),
        MANAGED(
                m -> {
                    m.kind = Kind.MANAGED;
                    m.memoryCapable = false;
                    return m;
                },
                STAGED,
                Reason.MANAGED_MEMORY,
                Reason.MANAGED_MEMORY),
        POOL(
                m -> {
                    m.kind = Kind.POOL;
                    m.memoryCapable = false;
                    return m;
                },
                DMA_BUF,
                null,
                null),
        POOL_WITHOUT_DMA_BUF(
                m -> {
                    m.kind = Kind.POOL;
                    m.failingAttempts.put(DMA_BUF, Reason.EXPORT_REFUSED);
                    return m;
                },
                STAGED,
                Reason.EXPORT_REFUSED,
                Reason.POOL_MEMORY),
        VIRTUAL_NOT_CAPABLE(
                m -> {
                    m.kind = Kind.VIRTUAL;
                    m.memoryCapable = false;
                    return m;
                },
                STAGED,
                Reason.MEMORY_NOT_CAPABLE,
                Reason.MEMORY_NOT_CAPABLE),
        VIRTUAL_CAPABLE(
                m -> {
                    m.kind = Kind.VIRTUAL;
                    return m;
                },
                DMA_BUF,
                null,
                null);

        final Machine machine;
        final GpuPath path;
        final Reason againstDmaBuf;
        final Reason againstPeerMemory;

        Row(UnaryOperator<Machine> change, GpuPath path, Reason againstDmaBuf, Reason againstPeerMemory) {
            this.machine = with(change);
            this.path = path;
            this.againstDmaBuf = againstDmaBuf;
            this.againstPeerMemory = againstPeerMemory;
        }
    }

    @ParameterizedTest
    @EnumSource
    void firstPathThatNothingSpeaksAgainst(Row row) {
        PathDecision decision = PathRules.decide("memory", ORDER, row.machine.facts(), row.machine::attempt);
        assertThat(decision.path()).isEqualTo(row.path);
        assertThat(decision.refusal(DMA_BUF).map(PathRefusal::reason).orElse(null))
                .isEqualTo(row.againstDmaBuf);
        assertThat(decision.refusal(PEER_MEMORY).map(PathRefusal::reason).orElse(null))
                .isEqualTo(row.againstPeerMemory);
        assertThat(decision.refusals())
                .hasSize(ORDER.indexOf(row.path))
                .allSatisfy(refusal -> assertThat(refusal.explanation()).isNotEmpty());
    }

    @Test
    void pageHasTheSameTable() throws Exception {
        List<String> page = Files.readAllLines(Project.page("findings.md"));
        for (Row row : Row.values()) {
            assertThat(page)
                    .filteredOn(line -> line.matches(".*\\| `" + row + "`( \\*)? \\|"))
                    .singleElement()
                    .asString()
                    .contains("| %s | %s | %s | `%s`"
                            .formatted(cell(row.againstDmaBuf), cell(row.againstPeerMemory), row.path.name(), row)
                            .replace("|  |", "| |")
                            .replace("|  |", "| |"));
        }
    }

    private static String cell(Reason reason) {
        return reason == null ? "" : "`" + reason + "`";
    }

    @Test
    void usersOrderIsTheOrder() {
        Machine machine = new Machine();
        assertThat(PathRules.decide("memory", List.of(STAGED, DMA_BUF), machine.facts(), machine::attempt))
                .isEqualTo(new PathDecision(STAGED, List.of()));
        assertThat(PathRules.decide("memory", List.of(PEER_MEMORY, DMA_BUF), machine.facts(), machine::attempt)
                        .path())
                .isEqualTo(PEER_MEMORY);
    }

    @Test
    void forcedPathThatTheMachineLacksIsRefusedInWords() {
        Machine machine = new Machine();
        machine.peerMemoryModule = false;
        assertThatThrownBy(
                        () -> PathRules.decide("the memory", List.of(PEER_MEMORY), machine.facts(), machine::attempt))
                .isInstanceOfSatisfying(
                        GpuPathUnavailableException.class,
                        e -> assertThat(e.refusals())
                                .extracting(PathRefusal::reason)
                                .containsExactly(Reason.PEER_MEMORY_MODULE_ABSENT))
                .hasMessage(
                        "the memory cannot be registered, not by peer memory: no peer-memory module is loaded (none of"
                                + " sys/kernel/mm/memory_peers/nv_mem/version,"
                                + " sys/kernel/mm/memory_peers/nv_mem_nc/version, sys/module/nvidia_peermem/version,"
                                + " sys/module/nv_peer_mem/version) (remedy: run modprobe nvidia_peermem, which needs the"
                                + " ib_core of MLNX_OFED or DOCA-OFED). The path 'staged' works everywhere; it was not"
                                + " among those allowed");
    }

    @Test
    void decisionHasADescription() {
        Machine machine = new Machine();
        machine.gpuDirect = false;
        machine.adapterTakesDmaBufs = false;
        assertThat(PathRules.decide("memory", ORDER, machine.facts(), machine::attempt)
                        .toString())
                .startsWith("staged; not by dma-buf: the adapter's driver")
                .contains("; not by peer memory: the GPU does not offer");
    }

    @Test
    void ordersNeededAfterAnAdaptersWrite() {
        assertThat(WriteOrdering.of(100, 0, 80)).isEqualTo(WriteOrdering.ORDERED);
        assertThat(WriteOrdering.of(200, 1, 70)).isEqualTo(WriteOrdering.ORDERED);
        assertThat(WriteOrdering.of(0, 1, 80)).isEqualTo(WriteOrdering.FLUSHED_BY_HOST);
        assertThat(WriteOrdering.of(0, 3, 70)).isEqualTo(WriteOrdering.FLUSHED_BY_HOST);
        assertThat(WriteOrdering.of(0, 2, 80)).isEqualTo(WriteOrdering.UNORDERED);
        assertThat(WriteOrdering.of(0, 0, 90)).isEqualTo(WriteOrdering.ORDERED);
    }
}
