// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native layer's parts that need no device. */
class InternalTest {

    @Test
    void missingLibraryNamesThePackageAndTheLoadersReason() {
        assertThatThrownBy(() -> NativeLibraries.require("libnonesuch.so.1", "libnonesuch1", "libnonesuch", List.of()))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("loading libnonesuch.so.1 failed")
                .hasMessageContaining("No such file or directory")
                .hasMessageContaining("apt-get install libnonesuch1")
                .hasMessageContaining("dnf install libnonesuch");
    }

    @Test
    void anotherPlatformIsRefused() {
        NativeLibraries.requirePlatform("Linux", "amd64", true);
        NativeLibraries.requirePlatform("Linux", "amd64", false);
        NativeLibraries.requirePlatform("Linux", "aarch64", true);
        for (String other : List.of("riscv64", "ppc64le", "s390x", "loongarch64", "arm", "i386")) {
            assertThatThrownBy(() -> NativeLibraries.requirePlatform("Linux", other, true))
                    .isInstanceOf(NativeLibraryException.class)
                    .hasMessageContaining("for Linux on x86-64 and aarch64, and this is Linux on " + other);
        }
        assertThatThrownBy(() -> NativeLibraries.requirePlatform("Mac OS X", "aarch64", false))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("this is Mac OS X on aarch64");
        assertThatThrownBy(() -> NativeLibraries.requirePlatform("Linux", "aarch64", false))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("this JVM runs on another C library")
                .hasMessageContaining("a JDK built for it");
    }

    @Test
    void installedLibraryIsFound() {
        NativeLibraries.require("libc.so.6", "libc6", "glibc", List.of("malloc"));
        NativeLibraries.requireVerbs();
        NativeLibraries.requireConnectionManager();
    }

    @Test
    void libraryThatLacksASymbolIsTooOld() {
        assertThatThrownBy(() -> NativeLibraries.require("libc.so.6", "libc6", "glibc", List.of("no_such_symbol")))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("it is too old: it has no no_such_symbol")
                .hasMessageContaining("rdma-core 32 or later");
    }

    @Test
    void errnoHasNamesAndTexts() {
        assertThat(ErrnoName.of(22)).isEqualTo("EINVAL");
        assertThat(ErrnoName.text(22)).isEqualTo("Invalid argument");
        assertThat(ErrnoName.of(4711)).isEqualTo("errno 4711");
        assertThat(ErrnoName.text(4711)).isEqualTo("unknown error");
        assertThat(VerbsException.describe(524)).isEqualTo("ENOTSUPP (Not supported by the kernel's driver)");
    }

    @Test
    void unsupportedVerbHasItsOwnType() {
        assertThat(Failures.of("x", Errno.EOPNOTSUPP)).isInstanceOf(UnsupportedVerbException.class);
        assertThat(Failures.of("x", Errno.ENOSYS)).isInstanceOf(UnsupportedVerbException.class);
        assertThat(Failures.of("x", Errno.ENOTSUPP)).isInstanceOf(UnsupportedVerbException.class);
        assertThat(Failures.of("x", Errno.EINVAL)).isExactlyInstanceOf(VerbsException.class);
        Failures.check("x", 0);
        assertThatThrownBy(() -> Failures.check("x", -22)).hasMessageContaining("EINVAL");
    }

    @Test
    void lockedMemoryLimitIsRead() {
        LockedMemoryLimit limit = LockedMemoryLimit.parse(
                "Limit                     Soft Limit           Hard Limit           Units     \n"
                        + "Max locked memory         65536                unlimited            bytes     \n",
                "Name:\tjava\nVmLck:\t      10 kB\nVmPin:\t       8 kB\n");
        assertThat(limit).isEqualTo(new LockedMemoryLimit(65_536, Long.MAX_VALUE, 8192));
        assertThat(limit.describe())
                .isEqualTo("RLIMIT_MEMLOCK is 65536 bytes (hard limit unlimited), 8192 bytes are pinned now");
        assertThat(limit.allows(65_536 - 8192)).isTrue();
        assertThat(limit.allows(65_536 - 8191)).isFalse();
        assertThat(LockedMemoryLimit.current().softLimit()).isPositive();
    }

    @Test
    void lockedMemoryLimitOfAProcessWhoseNameIsCutWithinALetterIsRead(@TempDir Path folder) throws IOException {
        Path limits = Files.writeString(folder.resolve("limits"), "Max locked memory 65536 131072 bytes\n");
        Path status = Files.writeString(
                folder.resolve("status"),
                "Name:\tGeb\u00fchrenberec\u00c3\nVmPin:\t8 kB\n",
                StandardCharsets.ISO_8859_1);
        assertThat(LockedMemoryLimit.read(limits, status)).isEqualTo(new LockedMemoryLimit(65_536, 131_072, 8192));
    }

    @Test
    void driverDecidesWhichCallsAreCritical(@TempDir Path sysfs) throws Exception {
        DeviceDriver software = DeviceDriver.of(sysfs);
        assertThat(software.postsInUserSpace()).isFalse();
        assertThat(software.pollsInUserSpace()).isTrue();
        Path device = Files.createDirectory(sysfs.resolve("device"));
        Path drivers = Files.createDirectory(sysfs.resolve("drivers"));
        Path link = device.resolve("driver");
        Files.createSymbolicLink(link, Files.createDirectory(drivers.resolve("mlx5_core")));
        assertThat(DeviceDriver.of(sysfs)).isEqualTo(new DeviceDriver("mlx5_core"));
        assertThat(DeviceDriver.of(sysfs).postsInUserSpace()).isTrue();
        Files.delete(link);
        Files.createSymbolicLink(link, Files.createDirectory(drivers.resolve("hfi1")));
        assertThat(DeviceDriver.of(sysfs).postsInUserSpace()).isFalse();
        assertThat(DeviceDriver.of(sysfs).pollsInUserSpace()).isFalse();
        // Polling takes the lock that a thread holds between ibv_wr_start and ibv_wr_complete.
        assertThat(new DeviceDriver("efa").pollsInUserSpace()).isFalse();
        assertThat(new DeviceDriver("vmw_pvrdma").pollsInUserSpace()).isFalse();
    }

    /**
     * A thread in a critical call holds up every safepoint. If it waits for one that has come to a safepoint, the JVM
     * stands still for ever.
     */
    @Test
    void stepOfACursorThatMayWaitHoldsUpNobody() throws Exception {
        Linker linker = Linker.nativeLinker();
        // Takes microseconds where the steps take the queue.
        MemorySegment sleep = linker.defaultLookup().findOrThrow("usleep");
        long longTime = 20_000_000;
        // Links the call before the threads begin.
        CursorCalls.start(sleep, false, 1);
        for (Runnable step : List.<Runnable>of(
                () -> CursorCalls.start(sleep, false, longTime),
                () -> CursorCalls.next(sleep, false, longTime),
                () -> CursorCalls.end(sleep, false, longTime))) {
            CountDownLatch begun = new CountDownLatch(1);
            Thread waiting = Thread.ofPlatform().daemon().start(() -> {
                begun.countDown();
                step.run();
            });
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            Thread.sleep(50);
            System.gc();
            assertThat(waiting.isAlive()).isTrue();
        }
    }

    /** A call that blocks inside a critical one stops the JVM, so only what is known not to is critical. */
    @Test
    void ofADriverThatCannotBeReadEverythingIsThoughtPossible(@TempDir Path sysfs) throws Exception {
        Path dangling = Files.createDirectory(sysfs.resolve("dangling"));
        Files.createSymbolicLink(
                Files.createDirectory(dangling.resolve("device")).resolve("driver"), Path.of("gone"));
        for (Path device : List.of(sysfs.resolve("not mounted"), dangling)) {
            DeviceDriver unknown = DeviceDriver.of(device);
            assertThat(unknown.postsInUserSpace()).isFalse();
            assertThat(unknown.pollsInUserSpace()).isFalse();
            assertThat(unknown.endsPollsProperly()).isFalse();
            assertThat(unknown.mayBeSoftware()).isTrue();
        }
    }
}
