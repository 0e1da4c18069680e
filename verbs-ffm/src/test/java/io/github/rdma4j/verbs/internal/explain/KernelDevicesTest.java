// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.NoSuchDeviceException;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Why libibverbs does not list a device that the kernel has. */
class KernelDevicesTest {
    private static final List<String> NAMES = List.of("rxe0", "rxe1");

    @TempDir
    private Path root;

    private Path userDevices;
    private Path files;

    @BeforeEach
    void aKernelWithTwoDevices() throws IOException {
        userDevices = Files.createDirectory(root.resolve("infiniband_verbs"));
        files = Files.createDirectory(root.resolve("infiniband"));
        for (int i = 0; i < 2; i++) {
            Path userDevice = Files.createDirectory(userDevices.resolve("uverbs" + i));
            Files.writeString(userDevice.resolve("ibdev"), "rxe" + i + "\n");
            Files.writeString(userDevice.resolve("abi_version"), "2\n");
            Files.createFile(files.resolve("uverbs" + i));
        }
        Files.writeString(userDevices.resolve("abi_version"), "6\n");
    }

    @Test
    void containerWithoutDeviceFilesIsReportedAsSuch() throws IOException {
        Files.delete(files.resolve("uverbs1"));
        assertThat(failure())
                .hasMessageContaining("the kernel has rxe0, rxe1, and " + files + " has no uverbs1")
                .hasMessageContaining("docker run --device=/dev/infiniband");
        assertThat(KernelDevices.withoutFiles(List.of("rxe0"), userDevices, files))
                .isEmpty();
    }

    @Test
    void whereAllFilesAreTheDriverIsMissingOrForAnotherAbi() {
        assertThat(KernelDevices.withoutFiles(NAMES, userDevices, files)).isEmpty();
        assertThat(failure())
                .hasMessageContaining("no user-space driver for it, or only one for another ABI than 2. Install")
                .hasMessageContaining("ibverbs-providers")
                .hasMessageContaining("'IBV_SHOW_WARNINGS=1 ibv_devices'");
    }

    @Test
    void whereTheKernelOffersNothingItsModuleIsMissing() {
        userDevices = root.resolve("nothing");
        assertThat(failure()).hasMessageContaining("does not offer it").hasMessageContaining("modprobe ib_uverbs");
    }

    /** As vmw_pvrdma after device_del, which waits for the programs that have it open. */
    @Test
    void deviceThatIsBeingRemovedIsReportedAsSuch() {
        Explanation explanation = KernelDevices.unlisted(List.of("vmw_pvrdma0"), userDevices, files);
        assertThat(explanation.cause()).contains("the kernel has vmw_pvrdma0", "being removed");
        assertThat(explanation.remedy()).contains("end the programs", "dmesg").doesNotContain("modprobe");
    }

    @Test
    void deviceServesTheInterfacesOfItsGidsAndItsOwn() throws IOException {
        Path device = root.resolve("rxe0");
        Path indexes = Files.createDirectories(device.resolve("ports/1/gid_attrs/ndevs"));
        Files.createDirectory(indexes.resolve("0"));
        Files.writeString(indexes.resolve("1"), "eth0\n");
        Files.createDirectories(device.resolve("device/net/ib0"));
        assertThat(KernelDevices.serves(device, "eth0")).isTrue();
        assertThat(KernelDevices.serves(device, "ib0")).isTrue();
        assertThat(KernelDevices.serves(device, "eth1")).isFalse();
        assertThat(KernelDevices.serves(root.resolve("rxe1"), "eth0")).isFalse();
    }

    /** A pod with a macvlan interface on the adapter, and a name that the host also has. */
    @Test
    void gidsOfOtherNamespacesComeOnlyWhereThereIsNoOther() throws IOException {
        Path device = root.resolve("mlx5_0");
        Path indexes = Files.createDirectories(device.resolve("ports/1/gid_attrs/ndevs"));
        Path interfaces = root.resolve("net");
        List<GidEntry> table = List.of(gid(1, 5), gid(3, 2), gid(7, 9), gid(8, 7));
        assertThat(KernelDevices.gidsHere(device, table, interfaces)).isEqualTo(table);
        Files.writeString(indexes.resolve("1"), "ens1f0\n");
        Files.writeString(indexes.resolve("3"), "eth0\n");
        Files.writeString(indexes.resolve("7"), "net1\n");
        assertThat(KernelDevices.gidsHere(device, table, interfaces)).isEqualTo(table);
        Files.writeString(Files.createDirectories(interfaces.resolve("eth0")).resolve("ifindex"), "3\n");
        Files.writeString(Files.createDirectories(interfaces.resolve("net1")).resolve("ifindex"), "9\n");
        assertThat(KernelDevices.gidsHere(device, table, interfaces)).containsExactly(table.get(2));
    }

    private static GidEntry gid(int index, int networkInterface) {
        return new GidEntry(Gid.ZERO, index, 1, GidType.ROCE_V2, networkInterface);
    }

    private NoSuchDeviceException failure() {
        Explanation explanation = KernelDevices.unlisted(NAMES, userDevices, files);
        return new NoSuchDeviceException("opening", explanation.cause(), explanation.remedy());
    }
}
