// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import io.github.rdma4j.gpudirect.storage.CuFileUnavailableException;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBatchIOCancel;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBatchIODestroy;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBatchIOGetStatus;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBatchIOSetUp;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBatchIOSubmit;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBufDeregister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileBufRegister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverClose_v2;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverGetProperties;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverOpen;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverSetMaxCacheSize;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverSetMaxDirectIOSize;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverSetMaxPinnedMemSize;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileDriverSetPollMode;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileGetVersion;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileHandleDeregister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileHandleRegister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileRead;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileReadAsync;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileStreamDeregister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileStreamRegister;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileWrite;
import io.github.rdma4j.gpudirect.storage.bindings.PFN_cuFileWriteAsync;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * The functions of one library. {@link #status} extracts the status from a result. Reads and writes return the number
 * of bytes, a negative errno, or a negative status.
 */
public final class CuFileCalls {
    private final CuFileLibrary library;
    private final MethodHandle getVersion;
    private final MethodHandle driverOpen;
    private final MethodHandle driverClose;
    private final MethodHandle getProperties;
    private final MethodHandle setPollMode;
    private final MethodHandle setMaxDirectIoSize;
    private final MethodHandle setMaxCacheSize;
    private final MethodHandle setMaxPinnedMemory;
    private final MethodHandle handleRegister;
    private final MethodHandle handleDeregister;
    private final MethodHandle bufferRegister;
    private final MethodHandle bufferDeregister;
    private final MethodHandle read;
    private final MethodHandle write;
    private final MethodHandle batchSetUp;
    private final MethodHandle batchSubmit;
    private final MethodHandle batchGetStatus;
    private final MethodHandle batchCancel;
    private final MethodHandle batchDestroy;
    private final MethodHandle streamRegister;
    private final MethodHandle streamDeregister;
    private final MethodHandle readAsync;
    private final MethodHandle writeAsync;

    /**
     * Looks up all functions.
     *
     * @param library the open library
     * @throws CuFileUnavailableException if it lacks functions of the first version of cuFile
     */
    public CuFileCalls(CuFileLibrary library) {
        this.library = library;
        driverOpen = require("cuFileDriverOpen", PFN_cuFileDriverOpen.descriptor());
        // Older libraries have only the first form.
        driverClose = library.find("cuFileDriverClose_v2", PFN_cuFileDriverClose_v2.descriptor())
                .orElseGet(() -> require("cuFileDriverClose", PFN_cuFileDriverClose_v2.descriptor()));
        getProperties = require("cuFileDriverGetProperties", PFN_cuFileDriverGetProperties.descriptor());
        setPollMode = require("cuFileDriverSetPollMode", PFN_cuFileDriverSetPollMode.descriptor());
        setMaxDirectIoSize = require("cuFileDriverSetMaxDirectIOSize", PFN_cuFileDriverSetMaxDirectIOSize.descriptor());
        setMaxCacheSize = require("cuFileDriverSetMaxCacheSize", PFN_cuFileDriverSetMaxCacheSize.descriptor());
        setMaxPinnedMemory =
                require("cuFileDriverSetMaxPinnedMemSize", PFN_cuFileDriverSetMaxPinnedMemSize.descriptor());
        handleRegister = require("cuFileHandleRegister", PFN_cuFileHandleRegister.descriptor());
        handleDeregister = require("cuFileHandleDeregister", PFN_cuFileHandleDeregister.descriptor());
        bufferRegister = require("cuFileBufRegister", PFN_cuFileBufRegister.descriptor());
        bufferDeregister = require("cuFileBufDeregister", PFN_cuFileBufDeregister.descriptor());
        read = require("cuFileRead", PFN_cuFileRead.descriptor(), Errno.CAPTURE);
        write = require("cuFileWrite", PFN_cuFileWrite.descriptor(), Errno.CAPTURE);
        getVersion = find("cuFileGetVersion", PFN_cuFileGetVersion.descriptor());
        batchSetUp = find("cuFileBatchIOSetUp", PFN_cuFileBatchIOSetUp.descriptor());
        batchSubmit = find("cuFileBatchIOSubmit", PFN_cuFileBatchIOSubmit.descriptor());
        batchGetStatus = find("cuFileBatchIOGetStatus", PFN_cuFileBatchIOGetStatus.descriptor());
        batchCancel = find("cuFileBatchIOCancel", PFN_cuFileBatchIOCancel.descriptor());
        batchDestroy = find("cuFileBatchIODestroy", PFN_cuFileBatchIODestroy.descriptor());
        streamRegister = find("cuFileStreamRegister", PFN_cuFileStreamRegister.descriptor());
        streamDeregister = find("cuFileStreamDeregister", PFN_cuFileStreamDeregister.descriptor());
        readAsync = find("cuFileReadAsync", PFN_cuFileReadAsync.descriptor());
        writeAsync = find("cuFileWriteAsync", PFN_cuFileWriteAsync.descriptor());
    }

    private MethodHandle require(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return library.find(name, descriptor, options)
                .orElseThrow(() -> new CuFileUnavailableException(
                        CuFileUnavailableException.Reason.LIBRARY_TOO_OLD,
                        library.file() + " has no " + name,
                        "install cuFile of CUDA 11.4 or later"));
    }

    /** Returns null if the library is too old. */
    private MethodHandle find(String name, FunctionDescriptor descriptor) {
        return library.find(name, descriptor).orElse(null);
    }

    /** {@return the status in a result: 0, or a number from 5001} */
    public static int status(long result) {
        return (int) result;
    }

    /** {@return the CUDA driver's result in a result} */
    public static int cudaResult(long result) {
        return (int) (result >>> Integer.SIZE);
    }

    /** {@return the file of the library} */
    public String file() {
        return library.file();
    }

    /** {@return whether the library has batches} */
    public boolean hasBatches() {
        return batchSetUp != null
                && batchSubmit != null
                && batchGetStatus != null
                && batchCancel != null
                && batchDestroy != null;
    }

    /** {@return whether the library has stream-ordered transfers} */
    public boolean hasStreams() {
        return readAsync != null && writeAsync != null && streamRegister != null && streamDeregister != null;
    }

    /** {@return whether it reports its version} */
    public boolean hasVersion() {
        return getVersion != null;
    }

    /** cuFileGetVersion. */
    public long getVersion(long version) {
        return invoke(getVersion, version);
    }

    /** cuFileDriverOpen. */
    public long driverOpen() {
        try {
            return (long) driverOpen.invokeExact();
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileDriverClose. */
    public long driverClose() {
        try {
            return (long) driverClose.invokeExact();
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileDriverGetProperties. */
    public long getProperties(long properties) {
        return invoke(getProperties, properties);
    }

    /** cuFileDriverSetPollMode. */
    public long setPollMode(boolean poll, long thresholdKib) {
        try {
            return (long) setPollMode.invokeExact(poll, thresholdKib);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileDriverSetMaxDirectIOSize. */
    public long setMaxDirectIoSize(long kib) {
        return invoke(setMaxDirectIoSize, kib);
    }

    /** cuFileDriverSetMaxCacheSize. */
    public long setMaxCacheSize(long kib) {
        return invoke(setMaxCacheSize, kib);
    }

    /** cuFileDriverSetMaxPinnedMemSize. */
    public long setMaxPinnedMemory(long kib) {
        return invoke(setMaxPinnedMemory, kib);
    }

    /** cuFileHandleRegister. */
    public long handleRegister(long handle, long description) {
        return invoke(handleRegister, handle, description);
    }

    /** cuFileHandleDeregister. */
    public void handleDeregister(long handle) {
        invokeVoid(handleDeregister, handle);
    }

    /** cuFileBufRegister. */
    public long bufferRegister(long base, long length, int flags) {
        try {
            return (long) bufferRegister.invokeExact(base, length, flags);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileBufDeregister. */
    public long bufferDeregister(long base) {
        return invoke(bufferDeregister, base);
    }

    /** cuFileRead. Returns the number of bytes, a negative errno, or a negative status. */
    public long read(long handle, long base, long size, long fileOffset, long memoryOffset) {
        return transfer(read, handle, base, size, fileOffset, memoryOffset);
    }

    /** cuFileWrite. Returns the number of bytes, a negative errno, or a negative status. */
    public long write(long handle, long base, long size, long fileOffset, long memoryOffset) {
        return transfer(write, handle, base, size, fileOffset, memoryOffset);
    }

    private static long transfer(
            MethodHandle function, long handle, long base, long size, long fileOffset, long memoryOffset) {
        try {
            long result = (long) function.invokeExact(Errno.segment(), handle, base, size, fileOffset, memoryOffset);
            // With errno 0, the failure would look like the end of the file.
            return result == -1 ? -Math.max(Errno.last(), 1) : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileBatchIOSetUp. */
    public long batchSetUp(long batch, int entries) {
        try {
            return (long) batchSetUp.invokeExact(batch, entries);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileBatchIOSubmit. */
    public long batchSubmit(long batch, int count, long parameters) {
        try {
            return (long) batchSubmit.invokeExact(batch, count, parameters, 0);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileBatchIOGetStatus. */
    public long batchGetStatus(long batch, int atLeast, long count, long events, long timeout) {
        try {
            return (long) batchGetStatus.invokeExact(batch, atLeast, count, events, timeout);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileBatchIOCancel. */
    public long batchCancel(long batch) {
        return invoke(batchCancel, batch);
    }

    /** cuFileBatchIODestroy. */
    public void batchDestroy(long batch) {
        invokeVoid(batchDestroy, batch);
    }

    /** cuFileStreamRegister. */
    public long streamRegister(long stream, int flags) {
        try {
            return (long) streamRegister.invokeExact(stream, flags);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** cuFileStreamDeregister. */
    public long streamDeregister(long stream) {
        return invoke(streamDeregister, stream);
    }

    /** cuFileReadAsync. The four pointers must stay valid until the stream has reached the end of the transfer. */
    public long readAsync(long handle, long base, long size, long file, long memory, long bytes, long stream) {
        return queue(readAsync, handle, base, size, file, memory, bytes, stream);
    }

    /** cuFileWriteAsync. */
    public long writeAsync(long handle, long base, long size, long file, long memory, long bytes, long stream) {
        return queue(writeAsync, handle, base, size, file, memory, bytes, stream);
    }

    private static long queue(
            MethodHandle function, long handle, long base, long size, long file, long memory, long bytes, long stream) {
        try {
            return (long) function.invokeExact(handle, base, size, file, memory, bytes, stream);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    private static long invoke(MethodHandle function, long argument) {
        try {
            return (long) function.invokeExact(argument);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    private static long invoke(MethodHandle function, long first, long second) {
        try {
            return (long) function.invokeExact(first, second);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    private static void invokeVoid(MethodHandle function, long argument) {
        try {
            function.invokeExact(argument);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }
}
