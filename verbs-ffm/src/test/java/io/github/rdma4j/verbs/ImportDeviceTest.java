// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests importing a device. SoftRoCE refuses the last step, so this tests the steps before it. */
@Tag("device")
class ImportDeviceTest {

    private static String targetOf(int descriptor) throws Exception {
        return Files.readSymbolicLink(Path.of("/proc/self/fd", Integer.toString(descriptor)))
                .toString();
    }

    @Test
    void commandDescriptorIsTheDevicesFile() throws Exception {
        try (DeviceContext context = TestDevice.open()) {
            assertThat(targetOf(context.commandDescriptor()))
                    .isEqualTo("/dev/infiniband/" + context.device().uverbsName());
        }
    }

    @Test
    void copyOfTheDescriptorIsRefusedAsUnsupportedAndStaysOurs() throws Exception {
        try (DeviceContext context = TestDevice.open();
                FileDescriptorCopy copy = FileDescriptorCopy.of(context.commandDescriptor())) {
            assertThat(copy.number()).isNotEqualTo(context.commandDescriptor());
            assertThatThrownBy(() -> DeviceContext.importFrom(copy))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_import_device(cmd_fd=%d)".formatted(copy.number()));
            assertThat(targetOf(copy.number())).contains("uverbs");
        }
    }

    @Test
    void descriptorOfAnotherProcessIsFetchedByItsNumber() throws Exception {
        Device device = TestDevice.first();
        Process exporter = new ProcessBuilder(
                        "sh", "-c", "exec 7<>/dev/infiniband/" + device.uverbsName() + " && echo 7 && read ignored")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            int number = Integer.parseInt(exporter.inputReader().readLine());
            try (FileDescriptorCopy copy = FileDescriptorCopy.ofProcess(exporter.pid(), number)) {
                assertThat(targetOf(copy.number())).contains("/dev/infiniband/uverbs");
                assertThatThrownBy(() -> DeviceContext.importFrom(copy)).isInstanceOf(UnsupportedVerbException.class);
            }
            assertThatThrownBy(() -> FileDescriptorCopy.ofProcess(exporter.pid(), 1000))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("pidfd_getfd")
                    .hasMessageContaining("EBADF");
        } finally {
            exporter.destroy();
            exporter.waitFor();
        }
    }

    @Test
    void descriptorThatIsNoDeviceIsRefused() throws Exception {
        try (FileDescriptorCopy output = FileDescriptorCopy.of(1)) {
            assertThatThrownBy(() -> DeviceContext.importFrom(output)).isInstanceOf(VerbsException.class);
            assertThat(output.number()).isNotNegative();
        }
    }

    @Test
    void protectionDomainOfAnotherContextIsRefusedAsUnsupported() {
        try (DeviceContext context = TestDevice.open();
                ProtectionDomain domain = context.allocateProtectionDomain()) {
            assertThatThrownBy(() -> context.importProtectionDomain(domain.kernelHandle()))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_import_pd");
        }
    }

    @Test
    void memoryRegionOfAnotherDomainIsRefusedAsUnsupported() {
        try (DeviceContext context = TestDevice.open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion region = domain.allocateMemory(4096, AccessFlag.LOCAL_WRITE)) {
            assertThatThrownBy(() -> domain.importMemoryRegion(region.kernelHandle(), region.address()))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("ibv_import_mr(handle=" + region.kernelHandle());
            assertThat(region.isOpen()).isTrue();
        }
    }
}
