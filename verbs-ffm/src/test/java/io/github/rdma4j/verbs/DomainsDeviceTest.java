// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests protection domains, and the refusal of the other kinds of domains, which SoftRoCE does not support. */
@Tag("device")
class DomainsDeviceTest {
    private static final int MANY = 200;

    private DeviceContext context;

    @BeforeEach
    void open() {
        context = TestDevice.open();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void protectionDomainIsAllocatedAndClosedTwice() {
        ProtectionDomain domain = context.allocateProtectionDomain();
        assertThat(domain.handle()).isNotZero();
        assertThat(domain.context()).isSameAs(context);
        domain.close();
        domain.close();
        assertThat(domain.isOpen()).isFalse();
        assertThatThrownBy(domain::kernelHandle).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> domain.allocateMemory(64)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void protectionDomainIsDestroyedByItsBlock() {
        ProtectionDomain seen;
        try (ProtectionDomain domain = context.allocateProtectionDomain()) {
            seen = domain;
            assertThat(domain.isOpen()).isTrue();
        }
        assertThat(seen.isOpen()).isFalse();
        assertThat(context.childCount()).isZero();
    }

    @Test
    void manyProtectionDomainsComeAndGo() {
        for (int i = 0; i < MANY; i++) {
            context.allocateProtectionDomain().close();
        }
        assertThat(context.childCount()).isZero();
    }

    @Test
    void protectionDomainsThatAreOpenTogetherHaveHandlesOfTheirOwn() {
        ProtectionDomain first = context.allocateProtectionDomain();
        ProtectionDomain second = context.allocateProtectionDomain();
        assertThat(first.kernelHandle()).isNotEqualTo(second.kernelHandle());
        assertThat(first.isSameAs(first)).isTrue();
        assertThat(first.isSameAs(second)).isFalse();
    }

    @Test
    void threadDomainsAreRefused() {
        assertThatThrownBy(() -> context.allocateThreadDomain())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_td(" + context.device().name() + ")")
                .hasMessageContaining("EOPNOTSUPP");
        assertThat(context.childCount()).isZero();
    }

    @Test
    void parentDomainsAreRefused() {
        ProtectionDomain domain = context.allocateProtectionDomain();
        assertThatThrownBy(() -> domain.allocateParentDomain(config -> {}))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_alloc_parent_domain")
                .hasMessageContaining("EOPNOTSUPP");
        assertThat(domain.childCount()).isZero();
    }

    @Test
    void xrcDomainsAreRefusedWithAndWithoutAFile(@TempDir Path folder) {
        assertThatThrownBy(() -> context.openXrcDomain())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("ibv_open_xrcd");
        Path file = folder.resolve("shared");
        assertThatThrownBy(() -> context.openXrcDomain(file, null)).isInstanceOf(NullPointerException.class);
        assertThat(Files.exists(file)).as("made by a refused call").isFalse();
        assertThatThrownBy(() -> context.openXrcDomain(file, XrcDomain.OpenMode.CREATE))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("shared");
        assertThat(Files.exists(file)).isTrue();
        assertThatThrownBy(() -> context.openXrcDomain(folder.resolve("absent"), XrcDomain.OpenMode.EXISTING))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOENT")
                .hasMessageContaining("absent")
                .hasMessageContaining("Name a file");
        assertThatThrownBy(() -> context.openXrcDomain(folder, XrcDomain.OpenMode.CREATE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EISDIR (Is a directory). Name a file, and no folder");
    }

    /** The kernel would take it for a file of that name. */
    @Test
    void pathWithinAZipFileNamesNoDomain(@TempDir Path folder) throws Exception {
        Path outside = folder.resolve("shared");
        try (FileSystem zip = FileSystems.newFileSystem(folder.resolve("a.zip"), Map.of("create", "true"))) {
            Path inside = zip.getPath(outside.toString());
            for (XrcDomain.OpenMode mode : XrcDomain.OpenMode.values()) {
                assertThatThrownBy(() -> context.openXrcDomain(inside, mode))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(inside.toString())
                        .hasMessageContaining("a.zip");
            }
        }
        assertThat(outside).doesNotExist();
    }

    /** To open one waits for its other end, and all of the device context waited with it. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pipeIsAFileToo(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> context.openXrcDomain(pipe, XrcDomain.OpenMode.EXISTING))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("pipe");
    }
}
