// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Tests libraries that are older, too old or missing, and the version numbers of nccl.h. */
class NcclVersionsTest extends NcclFixture {
    private static final int NCCL_2_10 = 21003;

    private static void use(int version) {
        StandInNccl.older(
                version,
                Arrays.stream(NcclFunction.values())
                        .filter(function -> function.since() > version)
                        .map(NcclFunction::symbol)
                        .toArray(String[]::new));
    }

    @Test
    void oldLibraryWorksAndNewCallsNameTheirVersion() {
        use(NCCL_2_10);
        initAll(config -> {});
        NcclCommunicator first = communicators.getFirst();
        assertThat(first.version()).hasToString("2.10.3");
        assertThat(first.mode()).isEqualTo(NcclMode.BLOCKING);
        DeviceMemory[] memory = {floats(0, 1), floats(1, 2), floats(2, 3)};
        all((communicator, rank, stream) -> communicator.allReduce(
                memory[rank].slice(), memory[rank].slice(), NcclDataType.FLOAT32, NcclOperation.SUM, stream));
        assertThat(floats(memory[2])).containsExactly(6);
        wants("ncclCommSplit needs NCCL 2.18.1", () -> first.split(0, 0));
        wants("ncclCommShrink needs NCCL 2.27.3", () -> first.shrink(java.util.List.of(1), false));
        wants("ncclMemAlloc needs NCCL 2.19.1", () -> Nccl.allocate(contexts.getFirst(), 16));
        wants("ncclCommRegister needs NCCL 2.19.1", () -> first.register(memory[0].slice()));
        wants("ncclCommWindowRegister needs NCCL 2.27.3", () -> first.registerWindow(memory[0].slice(), true));
        wants("ncclRedOpCreatePreMulSum needs NCCL 2.11.4", () -> first.createScaledSum(NcclDataType.FLOAT32, 2));
        wants("ncclCommRevoke needs NCCL 2.28.7", first::revoke);
        wants("ncclCommSuspend needs NCCL 2.29.7", first::suspend);
        wants("ncclCommMemStats needs NCCL 2.29.7", first::deviceMemory);
        wants("ncclSignal needs NCCL 2.29.2", () -> first.signal(1, streams.getFirst()));
        wants("ncclParamGetParameter needs NCCL 2.30.4", () -> Nccl.parameter("NCCL_DEBUG"));
        wants("ncclGroupSimulateEnd needs NCCL 2.22.3", () -> NcclGroup.estimate(() -> {}));
        DeviceMemory more = floats(0, 1, 2, 3);
        DeviceMemory others = floats(0, 1, 2, 3);
        wants(
                "ncclAlltoAll needs NCCL 2.28.3",
                () -> first.allToAll(more.slice(), others.slice(), NcclDataType.FLOAT32, streams.getFirst()));
        wants(
                "the data type FLOAT8_E4M3 needs NCCL 2.24.3",
                () -> first.allReduce(
                        more.slice(), more.slice(), NcclDataType.FLOAT8_E4M3, NcclOperation.SUM, streams.getFirst()));
        wants(
                "the setting name needs NCCL 2.27.0",
                () -> NcclCommunicator.init(
                        contexts.getFirst(), 1, 0, NcclUniqueId.create(), config -> config.name("x")));
        wants(
                "ncclCommInitRankConfig needs NCCL 2.14.3",
                () -> NcclCommunicator.init(
                        contexts.getFirst(), 1, 0, NcclUniqueId.create(), config -> config.mode(NcclMode.BOUNDED)));
    }

    private static void wants(String message, Runnable call) {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(call::run)
                .withMessageContaining(message)
                .withMessageContaining("is 2.10.3. Install a newer NCCL");
    }

    @Test
    void libraryThatIsTooOld() {
        StandInNccl.older(20307, "ncclCommAbort");
        NcclUnavailableException failure = Nccl.unavailability().orElseThrow();
        assertThat(failure.reason()).isEqualTo(NcclUnavailableException.Reason.LIBRARY_TOO_OLD);
        assertThat(failure).hasMessageContaining("has no ncclCommAbort. Install NCCL 2.4 or later");
    }

    @Test
    void noLibrary() {
        StandInNccl.absent();
        assertThat(Nccl.isAvailable()).isFalse();
        NcclUnavailableException failure = catchThrowableOfType(NcclUnavailableException.class, NcclUniqueId::create);
        assertThat(failure.reason()).isEqualTo(NcclUnavailableException.Reason.NO_LIBRARY);
        assertThat(failure)
                .hasMessageContaining("No such file or directory. Install NCCL (package libnccl2")
                .hasMessageContaining("-Dio.github.rdma4j.nccl.library=FILE");
    }

    @Test
    void codesOfVersions() {
        assertThat(NcclVersion.ofCode(2708)).isEqualTo(new NcclVersion(2, 7, 8));
        assertThat(NcclVersion.ofCode(23007)).isEqualTo(new NcclVersion(2, 30, 7));
        assertThat(new NcclVersion(2, 8, 4).code()).isEqualTo(2804);
        assertThat(new NcclVersion(2, 9, 6).code()).isEqualTo(20906);
        for (NcclFunction each : NcclFunction.values()) {
            assertThat(NcclVersion.ofCode(each.since()).code()).isEqualTo(each.since());
        }
    }

    @Test
    void everyStatusHasACauseAndARemedy() {
        for (int number = 1; number <= 8; number++) {
            NcclStatus status = NcclStatus.of(number);
            assertThat(status.number()).isEqualTo(number);
            assertThat(status.explanation()).isNotEmpty();
            assertThat(status.remedy()).isNotEmpty();
        }
        assertThat(NcclStatus.of(99)).isEqualTo(NcclStatus.UNKNOWN);
        assertThat(new NcclException("ncclX()", 99, "text"))
                .hasMessageContaining("ncclX() failed: ncclResult_t 99")
                .hasMessageContaining("NCCL says: text");
    }
}
