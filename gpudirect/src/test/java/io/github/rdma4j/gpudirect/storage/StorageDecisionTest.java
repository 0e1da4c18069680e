// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.storage.CuFileProperties.Storage;
import io.github.rdma4j.gpudirect.storage.StorageRefusal.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the choice of a path, the reasons against the others, and older libraries. */
class StorageDecisionTest extends StorageFixture {
    private static CuFileProperties driver(int major, boolean compatible, Storage... supported) {
        return new CuFileProperties(major, 0, Set.of(supported), false, compatible, 0, 0, 0, 0, 0, 0, 0);
    }

    private static Optional<Reason> direct(CuFileProperties driver, String fileSystem, boolean direct) {
        return StorageRules.refusal(StoragePath.GPU_DIRECT, driver, fileSystem, direct)
                .map(StorageRefusal::reason);
    }

    private static Optional<Reason> compatible(CuFileProperties driver, String fileSystem) {
        return StorageRules.refusal(StoragePath.COMPATIBLE, driver, fileSystem, true)
                .map(StorageRefusal::reason);
    }

    @Test
    void rules() {
        CuFileProperties nvme = driver(2, true, Storage.NVME);
        assertThat(direct(nvme, "ext4", true)).isEmpty();
        assertThat(direct(nvme, "xfs", true)).isEmpty();
        assertThat(direct(nvme, "ext4", false)).contains(Reason.NO_DIRECT_IO);
        assertThat(direct(nvme, "btrfs", true)).contains(Reason.FILE_SYSTEM);
        assertThat(direct(nvme, "nfs4", true)).contains(Reason.FILE_SYSTEM);
        assertThat(direct(driver(2, true), "ext4", true)).contains(Reason.FILE_SYSTEM);
        assertThat(direct(driver(0, true, Storage.NVME), "ext4", true)).contains(Reason.MODULE_ABSENT);
        assertThat(direct(driver(0, true, Storage.NVME_P2P), "ext4", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.LUSTRE), "lustre", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.NFS), "nfs", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.GPFS), "gpfs", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.BEEGFS), "beegfs", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.WEKAFS), "wekafs", true)).isEmpty();
        assertThat(direct(driver(2, true, Storage.SCATEFS), "scatefs", true)).isEmpty();
        assertThat(compatible(nvme, "ext4")).contains(Reason.DIRECT_PREFERRED);
        assertThat(compatible(nvme, "btrfs")).isEmpty();
        assertThat(compatible(driver(2, false, Storage.NVME), "btrfs")).contains(Reason.COMPATIBILITY_OFF);
    }

    private StorageDecision decision(Path path) {
        try (GpuStorage storage = GpuStorage.on(context);
                GpuFile file = storage.open(path)) {
            return file.decision();
        }
    }

    @Test
    void withoutTheLibraryItIsStaged() throws IOException {
        StandInCuFile.absent();
        StorageDecision decision = decision(file(bytes(1)));
        assertThat(decision.path()).isEqualTo(StoragePath.STAGED);
        assertThat(decision.refusals())
                .extracting(StorageRefusal::reason)
                .containsOnly(Reason.LIBRARY_ABSENT)
                .hasSize(2);
        assertThat(decision)
                .hasToString(
                        "staged; not by GPUDirect Storage: /no/such/libcufile.so.0: cannot open shared object file: No such file or directory"
                                + " (remedy: "
                                + decision.refusals().getFirst().remedy() + "); not by compatibility mode: "
                                + "/no/such/libcufile.so.0: cannot open shared object file: No such file or directory"
                                + " (remedy: "
                                + decision.refusals().getFirst().remedy() + ")");
        try (GpuStorage storage = GpuStorage.on(context)) {
            assertThat(storage.driver()).isEmpty();
            assertThat(storage.unavailability())
                    .hasValueSatisfying(
                            e -> assertThat(e.reason()).isEqualTo(CuFileUnavailableException.Reason.NO_LIBRARY));
        }
    }

    @Test
    void libraryThatIsTooOldIsNoError() throws IOException {
        StandInCuFile.without("cuFileRead");
        assertThat(decision(file(bytes(1))).refusal(StoragePath.COMPATIBLE)).hasValueSatisfying(refusal -> {
            assertThat(refusal.reason()).isEqualTo(Reason.LIBRARY_ABSENT);
            assertThat(refusal.explanation()).contains("has no cuFileRead");
        });
    }

    @Test
    void driverThatRefusesIsNoError() throws IOException {
        StandInCuFile.set("open", 5033);
        StorageDecision decision = decision(file(bytes(1)));
        assertThat(decision.path()).isEqualTo(StoragePath.STAGED);
        assertThat(decision.refusal(StoragePath.GPU_DIRECT)).hasValueSatisfying(refusal -> {
            assertThat(refusal.reason()).isEqualTo(Reason.DRIVER_REFUSED);
            assertThat(refusal.explanation())
                    .isEqualTo("cuFileDriverOpen() returned CU_FILE_NVFS_SETUP_ERROR: cuFile did not start");
            assertThat(refusal.remedy()).contains("cufile.log");
        });
        StandInCuFile.set("open", 5026);
        assertThat(decision(file(bytes(1))).path()).isNotEqualTo(StoragePath.STAGED);
    }

    @Test
    void refusedFileIsStaged() {
        StandInCuFile.set("module", 0);
        StorageDecision decision = decision(Path.of("/dev/zero"));
        assertThat(decision.path()).isEqualTo(StoragePath.STAGED);
        assertThat(decision.refusals())
                .extracting(StorageRefusal::reason)
                .containsExactly(Reason.MODULE_ABSENT, Reason.FILE_REFUSED);
        assertThat(decision.toString()).contains("CU_FILE_INVALID_FILE_TYPE");
    }

    /**
     * The answer of cuFile 1.15 on a system without udev, such as a container or a microVM, from a run on an NVIDIA
     * H100.
     */
    @Test
    void volumeUnknownToCuFileIsReported() throws IOException {
        StandInCuFile.set("module", 0);
        StandInCuFile.failAt("cuFileHandleRegister", 1, 5027);
        StorageDecision decision = decision(file(bytes(1)));
        assertThat(decision.path()).isEqualTo(StoragePath.STAGED);
        assertThat(decision.refusal(StoragePath.COMPATIBLE)).hasValueSatisfying(refusal -> {
            assertThat(refusal.reason()).isEqualTo(Reason.FILE_REFUSED);
            assertThat(refusal.explanation())
                    .startsWith(
                            "cuFile refuses the file, CU_FILE_HANDLE_NOT_REGISTERED: it has no data about the volume")
                    .containsAnyOf("/run/udev/data/b", "which udev knows");
            assertThat(refusal.remedy()).contains("/run/udev", "cufile.log").doesNotContain("closed");
        });
    }

    @Test
    void noPathThatIsAllowedIsAnException() throws IOException {
        StandInCuFile.set("module", 0);
        StandInCuFile.set("compat", 0);
        Path path = file(bytes(1));
        try (GpuStorage storage =
                GpuStorage.on(context, config -> config.allow(StoragePath.GPU_DIRECT, StoragePath.COMPATIBLE))) {
            assertThatThrownBy(() -> storage.open(path))
                    .isInstanceOfSatisfying(
                            StoragePathUnavailableException.class,
                            e -> assertThat(e.refusals())
                                    .extracting(StorageRefusal::reason)
                                    .containsExactly(Reason.MODULE_ABSENT, Reason.COMPATIBILITY_OFF))
                    .hasMessageContaining("allow_compat_mode")
                    .hasMessageEndingWith("The path 'staged' works everywhere; it was not among those allowed");
            assertThatThrownBy(() -> storage.open(path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING))
                    .isInstanceOf(StoragePathUnavailableException.class);
            assertThat(path).hasSize(1);
        }
    }

    @Test
    void olderLibrariesLackSomeOfIt() throws IOException {
        StandInCuFile.without("cuFileDriverClose_v2", "cuFileReadAsync", "cuFileBatchIOSetUp", "cuFileGetVersion");
        Path path = file(bytes(10));
        try (GpuStorage storage = GpuStorage.on(context);
                GpuFile file = storage.open(path);
                CudaStream stream = context.createStream();
                GpuFileBatch batch = storage.batch(1);
                DeviceMemory memory = context.allocate(10)) {
            assertThat(storage.driver())
                    .hasValueSatisfying(driver -> assertThat(driver.version()).isEmpty());
            assertThat(file.read(memory, 0, 0, 10)).isEqualTo(10);
            assertThatThrownBy(() -> file.readAsync(stream, memory, 0, 0, 10))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("Install cuFile of CUDA 12.2 or later");
            assertThatThrownBy(() -> batch.read(1, file, memory, 0, 0, 10))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("Install a newer cuFile");
        }
    }

    @Test
    void oneBatchDoesNotMixPaths() throws IOException {
        StandInCuFile.set("module", 0);
        try (GpuStorage storage = GpuStorage.on(context);
                GpuFile byCuFile = storage.open(file(bytes(10)));
                GpuFile staged = storage.open(Path.of("/dev/zero"));
                GpuFileBatch batch = storage.batch(2);
                DeviceMemory memory = context.allocate(10)) {
            batch.read(1, byCuFile, memory, 0, 0, 10);
            assertThatThrownBy(() -> batch.read(2, staged, memory, 0, 0, 10))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Use a batch for each");
        }
    }

    @Test
    void driverHasPropertiesAndIsShared() {
        try (GpuStorage first = GpuStorage.on(context);
                GpuStorage second = GpuStorage.on(context)) {
            assertThat(StandInCuFile.get("opened")).isOne();
            CuFileDriver driver = first.driver().orElseThrow();
            assertThat(second.driver()).containsSame(driver);
            assertThat(driver.version()).contains("1.15");
            CuFileProperties before = driver.properties();
            assertThat(before.moduleMajor()).isEqualTo(2);
            assertThat(before.moduleMinor()).isEqualTo(20);
            assertThat(before.isModuleLoaded()).isTrue();
            assertThat(before.supported()).isEqualTo(EnumSet.of(Storage.NVME));
            assertThat(before.compatibilityAllowed()).isTrue();
            assertThat(before.pollMode()).isFalse();
            assertThat(before.maxDirectIoSize()).isEqualTo(16 << 20);
            assertThat(before.maxBatchSize()).isEqualTo(128);
            driver.setPollMode(true, 8192);
            driver.setMaxDirectIoSize(1 << 20);
            driver.setMaxCacheSize(64 << 20);
            driver.setMaxPinnedMemory(128 << 20);
            CuFileProperties after = driver.properties();
            assertThat(after.pollMode()).isTrue();
            assertThat(after.pollThreshold()).isEqualTo(8192);
            assertThat(after.maxDirectIoSize()).isEqualTo(1 << 20);
            assertThat(after.maxCacheSize()).isEqualTo(64 << 20);
            assertThat(after.maxPinnedMemory()).isEqualTo(128 << 20);
            assertThatThrownBy(() -> driver.setMaxCacheSize(100)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
