// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.StreamCalls;

/** Queues waits for values in memory and writes of values. */
final class StreamValues {
    private StreamValues() {}

    static void await32(CudaStream stream, DeviceAddressable memory, long offset, int value, int flags) {
        GuardedResource resource = enter(stream, memory, offset, Integer.BYTES);
        try {
            stream.enter();
            try {
                long address = memory.deviceAddress() + offset;
                int result = StreamCalls.waitValue32(stream.pointer, address, value, flags);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> StreamCalls.waitValue32(stream.pointer, address, value, flags));
                    require(result, "cuStreamWaitValue32(address=0x%x, value=%d, flags=0x%x)", address, value, flags);
                }
            } finally {
                stream.exit();
            }
        } finally {
            resource.exit();
        }
    }

    static void await64(CudaStream stream, DeviceAddressable memory, long offset, long value, int flags) {
        GuardedResource resource = enter(stream, memory, offset, Long.BYTES);
        try {
            stream.enter();
            try {
                long address = memory.deviceAddress() + offset;
                int result = StreamCalls.waitValue64(stream.pointer, address, value, flags);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> StreamCalls.waitValue64(stream.pointer, address, value, flags));
                    require(result, "cuStreamWaitValue64(address=0x%x, value=%d, flags=0x%x)", address, value, flags);
                }
            } finally {
                stream.exit();
            }
        } finally {
            resource.exit();
        }
    }

    static void write32(CudaStream stream, DeviceAddressable memory, long offset, int value) {
        GuardedResource resource = enter(stream, memory, offset, Integer.BYTES);
        try {
            stream.enter();
            try {
                long address = memory.deviceAddress() + offset;
                int result = StreamCalls.writeValue32(stream.pointer, address, value, 0);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> StreamCalls.writeValue32(stream.pointer, address, value, 0));
                    require(result, "cuStreamWriteValue32(address=0x%x, value=%d, flags=0x%x)", address, value, 0);
                }
            } finally {
                stream.exit();
            }
        } finally {
            resource.exit();
        }
    }

    static void write64(CudaStream stream, DeviceAddressable memory, long offset, long value) {
        GuardedResource resource = enter(stream, memory, offset, Long.BYTES);
        try {
            stream.enter();
            try {
                long address = memory.deviceAddress() + offset;
                int result = StreamCalls.writeValue64(stream.pointer, address, value, 0);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> StreamCalls.writeValue64(stream.pointer, address, value, 0));
                    require(result, "cuStreamWriteValue64(address=0x%x, value=%d, flags=0x%x)", address, value, 0);
                }
            } finally {
                stream.exit();
            }
        } finally {
            resource.exit();
        }
    }

    private static GuardedResource enter(CudaStream stream, DeviceAddressable memory, long offset, int bytes) {
        Ranges.check(offset, bytes, memory.size(), memory);
        Ranges.requireMultiple(offset, bytes);
        GuardedResource resource = (GuardedResource) memory;
        resource.enterFor(stream);
        return resource;
    }

    private static void require(int result, String call, long address, long value, int flags) {
        if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
            throw new UnsupportedCudaCallException(
                    call.formatted(address, value, flags),
                    "the device does not support this memory operation in stream order: see CudaDevice.supportsStreamValues()");
        }
        if (result != Results.SUCCESS) {
            throw Results.failure(result, call.formatted(address, value, flags));
        }
    }
}
