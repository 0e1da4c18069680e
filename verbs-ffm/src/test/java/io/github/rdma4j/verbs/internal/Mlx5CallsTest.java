// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CProgram;
import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.bindings.ibv_context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Tests the calls of libmlx5 and the devices that they are made for, but not their effect on an mlx5 adapter. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class Mlx5CallsTest {
    private static final DeviceDriver MLX5 = new DeviceDriver("mlx5_core");
    private static final DeviceDriver OTHER = new DeviceDriver("irdma");

    @TempDir
    private Path folder;

    private final Arena arena = Arena.ofShared();
    private MemorySegment context;

    @BeforeEach
    void makeContext() {
        context = ibv_context.allocate(arena);
        NativeMemory.setPointer(context, ibv_context.device$offset(), arena.allocate(8));
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private static MemorySegment variable(Path library, String name) {
        return SymbolLookup.libraryLookup(library, Arena.global())
                .findOrThrow(name)
                .reinterpret(Long.BYTES);
    }

    @Test
    void structureIsThatOfTheHeader() {
        List<String> fields = List.of(
                "comp_mask", "create_flags", "dc_init_attr.dc_type", "dc_init_attr.dct_access_key", "send_ops_flags");
        StringBuilder prints = new StringBuilder();
        for (String field : fields) {
            prints.append("printf(\"%zu\\n\", offsetof(struct mlx5dv_qp_init_attr, ")
                    .append(field)
                    .append("));\n");
        }
        List<String> ours = Stream.concat(
                        Stream.of(
                                Mlx5Calls.INIT_ATTRIBUTES.byteSize(),
                                Mlx5Calls.HAS_CREATE_FLAGS,
                                Mlx5Calls.DISABLE_SCATTER_TO_CQE),
                        fields.stream().map(Mlx5CallsTest::offset))
                .map(String::valueOf)
                .toList();
        assertThat(CProgram.run("""
                        #include <infiniband/mlx5dv.h>
                        #include <stddef.h>
                        #include <stdio.h>
                        int main(void) {
                            printf("%%zu\\n%%d\\n%%d\\n", sizeof(struct mlx5dv_qp_init_attr),
                                   MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS, MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
                            %s
                            return 0;
                        }
                        """.formatted(prints))).isEqualTo(ours);
    }

    private static long offset(String field) {
        PathElement[] path =
                Stream.of(field.split("\\.")).map(PathElement::groupElement).toArray(PathElement[]::new);
        return Mlx5Calls.INIT_ATTRIBUTES.byteOffset(path);
    }

    @Test
    void libraryIsAskedForAQueuePairWithoutScatterToCompletion() {
        Path library = StandInMlx5.compile(folder, "errno = 0; return (void *)((char *)attributes + 1);");
        Mlx5Calls calls = new Mlx5Calls(library.toString());
        MemorySegment attributes = arena.allocate(256);

        assertThat(calls.isProviderOf(MLX5, context)).isTrue();
        assertThat(calls.createQpWithoutScatterToCompletion(context, attributes).address())
                .isEqualTo(attributes.address() + 1);

        assertThat(variable(library, "asked").get(JAVA_INT, 0)).isEqualTo(1);
        assertThat(variable(library, "asked_mask").get(JAVA_LONG, 0)).isEqualTo(1);
        assertThat(variable(library, "asked_flags").get(JAVA_INT, 0)).isEqualTo(8);
        assertThat(variable(library, "asked_send_ops").get(JAVA_LONG, 0)).isZero();
    }

    @Test
    void refusalKeepsItsErrno() {
        Path library = StandInMlx5.compile(folder, "errno = EINVAL; return NULL;");
        Mlx5Calls calls = new Mlx5Calls(library.toString());
        MemorySegment created = calls.createQpWithoutScatterToCompletion(context, arena.allocate(256));
        assertThat(created.address()).isZero();
        assertThat(NativeCalls.lastErrno()).isEqualTo(Errno.EINVAL);
    }

    /** The library is there, and denies the device: what the kernel calls it decides whether that can be. */
    @Test
    void anotherAdaptersDeviceIsLeftAlone() {
        Path library = StandInMlx5.compile(folder);
        variable(library, "answer").set(JAVA_INT, 0, 0);
        Mlx5Calls calls = new Mlx5Calls(library.toString());
        assertThat(calls.isProviderOf(OTHER, context)).isFalse();
        assertThat(calls.isProviderOf(new DeviceDriver(""), context)).isFalse();
        assertThat(calls.isProviderOf(new DeviceDriver(DeviceDriver.UNKNOWN), context))
                .isFalse();
        for (String name : List.of("mlx5_core", "mlx5_core.sf")) {
            assertThatThrownBy(() -> calls.isProviderOf(new DeviceDriver(name), context))
                    .isInstanceOf(NativeLibraryException.class)
                    .hasMessageContaining("another copy than the one with which libibverbs has opened")
                    .hasMessageContaining("Leave one rdma-core where the dynamic loader looks");
        }
        assertThat(variable(library, "asked").get(JAVA_INT, 0)).isZero();
    }

    @Test
    void missingLibraryMattersToItsOwnAdaptersOnly() {
        Mlx5Calls calls = new Mlx5Calls(folder.resolve("libmlx5.so.1").toString());
        assertThat(calls.isProviderOf(OTHER, context)).isFalse();
        assertThat(calls.isProviderOf(new DeviceDriver(DeviceDriver.UNKNOWN), context))
                .isFalse();
        assertThatThrownBy(() -> calls.isProviderOf(MLX5, context))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("libmlx5.so.1 failed")
                .hasMessageContaining("apt-get install ibverbs-providers;")
                .hasMessageContaining("dnf install libibverbs)");
    }

    @Test
    void olderLibraryHasNoDataDirect() {
        assertThat(new Mlx5Calls(StandInMlx5.compile(folder).toString()).hasDataDirect())
                .isFalse();
    }

    @Test
    void engineIsAskedForAndNamed() {
        Path library = StandInMlx5.compileWithDataDirect(folder);
        Mlx5Calls calls = new Mlx5Calls(library.toString());
        assertThat(calls.hasDataDirect()).isTrue();
        MemorySegment path = arena.allocate(100);
        assertThat(calls.dataDirectPath(context, path)).isZero();
        assertThat(path.getString(0)).isEqualTo("devices/pci0000:00/0000:07:00.1");
        variable(library, "engine_error").set(JAVA_INT, 0, Errno.ENODEV);
        assertThat(calls.dataDirectPath(context, path)).isEqualTo(Errno.ENODEV);
        variable(library, "registration_error").set(JAVA_INT, 0, Errno.EOPNOTSUPP);
        assertThat(calls.regDmaBufDataDirect(arena.allocate(8), 1L << 33, 1L << 34, 1L << 35, 7, 0x100001)
                        .address())
                .isZero();
        assertThat(NativeCalls.lastErrno()).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(variable(library, "arguments").reinterpret(256).getString(0))
                .isEqualTo("offset 8589934592 length 17179869184 iova 800000000 fd 7 access 100001 own 1");
    }

    /**
     * Uses the machine's libmlx5, which rdma-core installs and which owns no device here. This test runs first, because
     * the loader would return an already loaded stand-in for the same name.
     */
    @Test
    @Order(1)
    void installedLibraryHasItsDevices() {
        NativeLibraries.require(
                "libmlx5.so.1", "ibverbs-providers", "libibverbs", List.of("mlx5dv_is_supported", "mlx5dv_create_qp"));
        MemorySegment device = arena.allocate(4096, 8);
        NativeMemory.setPointer(context, ibv_context.device$offset(), device);
        assertThat(Mlx5Calls.INSTALLED.isProviderOf(OTHER, context)).isFalse();
    }
}
