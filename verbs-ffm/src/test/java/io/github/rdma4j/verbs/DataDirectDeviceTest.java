// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.StandInMlx5;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests memory for the Data Direct engine of an adapter. A stand-in for mlx5's library treats SoftRoCE as an adapter
 * that has one, in a separate JVM.
 */
@Tag("device")
class DataDirectDeviceTest {
    @TempDir
    private Path folder;

    @Test
    void otherDeviceReportsNone() {
        try (DeviceContext context = TestDevice.open()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            assertThat(domain.dataDirect().isAvailable()).isFalse();
            assertThat(domain.dataDirect())
                    .hasToString("no Data Direct: only mlx5 adapters have such an engine, from ConnectX-8 on");
            assertThatThrownBy(() -> domain.registerMemory(
                            config -> config.dmaBuf(0, 0, 4096).dataDirect()))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("mlx5dv_reg_dmabuf_mr(fd=0")
                    .hasMessageContaining("only mlx5 adapters");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> domain.registerMemory(
                            config -> config.address(4096, 4096).dataDirect()))
                    .withMessageContaining("for dma-bufs");
        }
    }

    @Test
    @Tag("checkout")
    void engineIsUsedOrItsAbsenceReported() throws Exception {
        Path library = StandInMlx5.compileWithDataDirect(folder);
        assertThat(run(library))
                .containsExactly(
                        "Data Direct by /sys/devices/pci0000:00/0000:07:00.1",
                        "4096 bytes, 1: offset 8192 length 4096 iova 10000 fd 0 access 100001 own 1",
                        "refused: mlx5dv_reg_dmabuf_mr EINVAL",
                        "no Data Direct: no Data Direct engine belongs to this adapter",
                        "unsupported");
    }

    @Test
    @Tag("checkout")
    @Tag("full")
    void olderLibraryIsTheReason() throws Exception {
        assertThat(run(StandInMlx5.compile(folder)))
                .containsExactly("no Data Direct: the installed libmlx5 has no mlx5dv_reg_dmabuf_mr, which came with"
                        + " rdma-core 54");
    }

    private static List<String> run(Path library) throws Exception {
        return ChildJvm.run(ChildJvm.command(Program.class.getName(), List.of("-Dstand.in=" + library)));
    }

    static final class Program {
        private final SymbolLookup standIn =
                SymbolLookup.libraryLookup(Path.of(System.getProperty("stand.in")), Arena.global());
        private final ProtectionDomain domain = TestDevice.open().allocateProtectionDomain();

        static void main() {
            Program program = new Program();
            IO.println(program.domain.dataDirect());
            if (program.domain.dataDirect().isAvailable()) {
                program.register();
            }
            program.domain.context().close();
        }

        private void register() {
            Consumer<RegistrationConfig> wanted = config -> config.dmaBuf(0, 8192, 4096)
                    .iova(0x10000)
                    .dataDirect()
                    .access(LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
            try (MemoryRegion region = domain.registerMemory(wanted)) {
                IO.println("%d bytes, %d: %s"
                        .formatted(
                                region.length(),
                                read("registered"),
                                standIn.findOrThrow("arguments")
                                        .reinterpret(256)
                                        .getString(0)));
            }
            set("registration_error", 22);
            try {
                domain.registerMemory(wanted).close();
            } catch (VerbsException e) {
                IO.println("refused: %s %s"
                        .formatted(
                                e.operation().substring(0, e.operation().indexOf('(')),
                                VerbsException.describe(e.errno()).split(" ", 2)[0]));
            }
            set("engine_error", 19);
            IO.println(domain.dataDirect());
            try {
                domain.registerMemory(wanted).close();
            } catch (UnsupportedVerbException e) {
                IO.println("unsupported");
            }
        }

        private int read(String variable) {
            return standIn.findOrThrow(variable).reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
        }

        private void set(String variable, int value) {
            standIn.findOrThrow(variable).reinterpret(Integer.BYTES).set(ValueLayout.JAVA_INT, 0, value);
        }
    }
}
