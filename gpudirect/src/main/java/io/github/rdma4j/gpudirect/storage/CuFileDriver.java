// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.CuFileUnavailableException.Reason;
import io.github.rdma4j.gpudirect.storage.bindings.CUfileDrvProps;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;
import io.github.rdma4j.gpudirect.storage.internal.CuFileLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The open cuFile library. There is one for the whole process: each {@link GpuStorage} that uses it opens it
 * (cuFileDriverOpen) and closes it at its end (cuFileDriverClose), and settings apply to all.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class CuFileDriver {
    private static final int KIB = 1024;
    private static final int PAGE = 4096;
    private static final Map<CuFileLibrary, CuFileDriver> OPEN = new HashMap<>();

    private final CuFileLibrary library;
    private final CuFileCalls calls;
    private int users;

    private CuFileDriver(CuFileLibrary library, CuFileCalls calls) {
        this.library = library;
        this.calls = calls;
    }

    /** Opens the driver, or counts another user of it. The caller's context is current. */
    static CuFileDriver open() {
        synchronized (OPEN) {
            CuFileLibrary library = CuFileLibrary.require();
            CuFileDriver driver = OPEN.get(library);
            if (driver == null) {
                driver = new CuFileDriver(library, new CuFileCalls(library));
                requireStarted(driver.calls.driverOpen());
                OPEN.put(library, driver);
            }
            driver.users++;
            return driver;
        }
    }

    private static void requireStarted(long result) {
        int status = CuFileCalls.status(result);
        if (status != 0 && status != CuFileStatus.DRIVER_ALREADY_OPEN.number()) {
            CuFileException refusal =
                    new CuFileException("cuFileDriverOpen()", status, CuFileCalls.cudaResult(result), 0);
            CuFileUnavailableException failure = new CuFileUnavailableException(
                    Reason.DRIVER_REFUSED,
                    "cuFileDriverOpen() returned %s: %s"
                            .formatted(refusal.codeName(), refusal.status().explanation()),
                    refusal.remedy());
            failure.initCause(refusal);
            throw failure;
        }
    }

    /** The last user closes it. */
    void close() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(library);
                require(calls.driverClose(), "cuFileDriverClose()");
            }
        }
    }

    CuFileCalls calls() {
        return calls;
    }

    /** {@return the file that the library was opened from} */
    public String library() {
        return library.file();
    }

    /**
     * Returns the version of the library (cuFileGetVersion).
     *
     * @return such as {@code 1.15}; empty if the library does not report it
     */
    public Optional<String> version() {
        if (!calls.hasVersion()) {
            return Optional.empty();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(ValueLayout.JAVA_INT);
            require(calls.getVersion(version.address()), "cuFileGetVersion()");
            int number = version.get(ValueLayout.JAVA_INT, 0);
            return Optional.of(number / 1000 + "." + number % 1000 / 10);
        }
    }

    /**
     * Returns the properties that cuFile reports for this machine (cuFileDriverGetProperties). A context must be
     * current ({@link io.github.rdma4j.cuda.CudaContext#makeCurrent}).
     *
     * @return the current properties
     * @throws CuFileException if cuFile refuses
     */
    public CuFileProperties properties() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment properties = CUfileDrvProps.allocate(arena);
            require(calls.getProperties(properties.address()), "cuFileDriverGetProperties()");
            return CuFileProperties.of(properties);
        }
    }

    /**
     * Sets whether cuFile polls for small transfers instead of sleeping (cuFileDriverSetPollMode).
     *
     * @param poll whether to poll
     * @param threshold the size in bytes up to which it polls, a multiple of 4096
     */
    public void setPollMode(boolean poll, long threshold) {
        long kib = kib(threshold);
        require(calls.setPollMode(poll, kib), "cuFileDriverSetPollMode(%s, %d KiB)".formatted(poll, kib));
    }

    /**
     * Sets the most bytes of one request to the device (cuFileDriverSetMaxDirectIOSize).
     *
     * @param bytes a multiple of 4096
     */
    public void setMaxDirectIoSize(long bytes) {
        long kib = kib(bytes);
        require(calls.setMaxDirectIoSize(kib), "cuFileDriverSetMaxDirectIOSize(%d KiB)".formatted(kib));
    }

    /**
     * Sets how much device memory cuFile's own buffers take (cuFileDriverSetMaxCacheSize).
     *
     * @param bytes a multiple of 4096
     */
    public void setMaxCacheSize(long bytes) {
        long kib = kib(bytes);
        require(calls.setMaxCacheSize(kib), "cuFileDriverSetMaxCacheSize(%d KiB)".formatted(kib));
    }

    /**
     * Sets how much device memory may be registered (cuFileDriverSetMaxPinnedMemSize).
     *
     * @param bytes a multiple of 4096
     */
    public void setMaxPinnedMemory(long bytes) {
        long kib = kib(bytes);
        require(calls.setMaxPinnedMemory(kib), "cuFileDriverSetMaxPinnedMemSize(%d KiB)".formatted(kib));
    }

    private static long kib(long bytes) {
        if (bytes <= 0 || bytes % PAGE != 0) {
            throw new IllegalArgumentException("%d bytes: more than 0, in whole pages of %d".formatted(bytes, PAGE));
        }
        return bytes / KIB;
    }

    static void require(long result, String call) {
        int status = CuFileCalls.status(result);
        if (status != 0) {
            throw new CuFileException(call, status, CuFileCalls.cudaResult(result), 0);
        }
    }

    /** {@return the version and the library} */
    @Override
    public String toString() {
        return "cuFile%s (%s)".formatted(version().map(each -> " " + each).orElse(""), library.file());
    }
}
