// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.bindings.CUfileIOEvents;
import io.github.rdma4j.gpudirect.storage.bindings.CUfileIOParams;
import io.github.rdma4j.gpudirect.storage.bindings.CuFileHeaders;
import io.github.rdma4j.gpudirect.storage.bindings.timespec;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** A batch of cuFile. The cookies are the numbers of the entries. */
final class CuFileBatch implements BatchEngine {
    private static final int INPUT_OUTPUT_ERROR = 5;
    private static final int INVALID = 22;
    private static final int TIMED_OUT = 110;
    private static final int CANCELLED = 125;
    private static final long NANOS_OF_A_SECOND = 1_000_000_000;
    /** The longest native wait, so that an interrupt is noticed. */
    private static final long LONGEST_WAIT = 100_000_000;

    private final GpuStorage storage;
    private final CuFileCalls calls;
    private final int capacity;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment parameters;
    private final MemorySegment events;
    private final MemorySegment count;
    private final MemorySegment timeout;
    private final long handle;

    CuFileBatch(GpuStorage storage, int capacity) {
        this.storage = storage;
        this.calls = storage.cuFileCalls();
        this.capacity = capacity;
        boolean made = false;
        try {
            parameters = CUfileIOParams.allocateArray(capacity, arena);
            events = CUfileIOEvents.allocateArray(capacity, arena);
            count = arena.allocate(ValueLayout.JAVA_INT);
            timeout = timespec.allocate(arena);
            MemorySegment batch = arena.allocate(ValueLayout.JAVA_LONG);
            storage.context().makeCurrentForCall();
            CuFileDriver.require(
                    calls.batchSetUp(batch.address(), capacity), "cuFileBatchIOSetUp(nr=%d)".formatted(capacity));
            handle = batch.get(ValueLayout.JAVA_LONG, 0);
            made = true;
        } finally {
            if (!made) {
                arena.close();
            }
        }
    }

    @Override
    public void submit(List<BatchEntry> entries) {
        for (int i = 0; i < entries.size(); i++) {
            BatchEntry entry = entries.get(i);
            MemorySegment each = CUfileIOParams.asSlice(parameters, i);
            CUfileIOParams.mode(each, CuFileHeaders.CUFILE_BATCH());
            MemorySegment range = CUfileIOParams.u.batch(CUfileIOParams.u(each));
            CUfileIOParams.u.batch.devPtr_base(range, MemorySegment.ofAddress(entry.memory.deviceAddress()));
            CUfileIOParams.u.batch.devPtr_offset(range, entry.memoryOffset);
            CUfileIOParams.u.batch.file_offset(range, entry.fileOffset);
            CUfileIOParams.u.batch.size(range, entry.length);
            CUfileIOParams.fh(each, MemorySegment.ofAddress(((CuFileAccess) entry.file.access()).handle()));
            CUfileIOParams.opcode(each, entry.write ? CuFileHeaders.CUFILE_WRITE() : CuFileHeaders.CUFILE_READ());
            CUfileIOParams.cookie(each, MemorySegment.ofAddress(entry.number));
        }
        storage.context().makeCurrentForCall();
        CuFileDriver.require(
                calls.batchSubmit(handle, entries.size(), parameters.address()),
                "cuFileBatchIOSubmit(nr=%d)".formatted(entries.size()));
    }

    @Override
    public void await(long nanos, Sink sink) {
        long wait = Math.clamp(nanos, 0, LONGEST_WAIT);
        timespec.tv_sec(timeout, wait / NANOS_OF_A_SECOND);
        timespec.tv_nsec(timeout, wait % NANOS_OF_A_SECOND);
        count.set(ValueLayout.JAVA_INT, 0, capacity);
        storage.context().makeCurrentForCall();
        CuFileDriver.require(
                calls.batchGetStatus(handle, wait == 0 ? 0 : 1, count.address(), events.address(), timeout.address()),
                "cuFileBatchIOGetStatus()");
        int ended = count.get(ValueLayout.JAVA_INT, 0);
        for (int i = 0; i < ended; i++) {
            MemorySegment event = CUfileIOEvents.asSlice(events, i);
            int status = CUfileIOEvents.status(event);
            if (status != CuFileHeaders.CUFILE_WAITING() && status != CuFileHeaders.CUFILE_PENDING()) {
                sink.ended(
                        (int) CUfileIOEvents.cookie(event).address(), outcome(status, CUfileIOEvents.ret(event)), null);
            }
        }
    }

    private static long outcome(int status, long result) {
        if (result < 0) {
            return result;
        }
        if (status == CuFileHeaders.CUFILE_COMPLETE()) {
            return result;
        }
        if (status == CuFileHeaders.CUFILE_CANCELED()) {
            return -CANCELLED;
        }
        if (status == CuFileHeaders.CUFILE_TIMEOUT()) {
            return -TIMED_OUT;
        }
        return status == CuFileHeaders.CUFILE_INVALID() ? -INVALID : -INPUT_OUTPUT_ERROR;
    }

    @Override
    public void cancel() {
        storage.context().makeCurrentForCall();
        CuFileDriver.require(calls.batchCancel(handle), "cuFileBatchIOCancel()");
    }

    @Override
    public void close() {
        try {
            storage.giveBack(() -> calls.batchDestroy(handle));
        } finally {
            arena.close();
        }
    }
}
