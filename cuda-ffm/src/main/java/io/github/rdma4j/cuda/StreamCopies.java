// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.internal.CopyCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.MemorySegment;

/**
 * Queues copies and fills in a stream. No thread of this process can free the memory between the check and the native
 * call.
 */
final class StreamCopies {
    private StreamCopies() {}

    static void toDevice(CudaStream stream, DeviceMemory target, long targetOffset, long from, long length) {
        target.enterFor(stream);
        try {
            stream.enter();
            try {
                long to = target.pointer + targetOffset;
                int result = CopyCalls.toDeviceAsync(to, from, length, stream.pointer);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> CopyCalls.toDeviceAsync(to, from, length, stream.pointer));
                    require(result, "cuMemcpyHtoDAsync(target=0x%x, source=0x%x, length=%d)", to, from, length, target);
                }
            } finally {
                stream.exit();
            }
        } finally {
            target.exit();
        }
    }

    static void toHost(CudaStream stream, long to, DeviceMemory source, long sourceOffset, long length) {
        source.enterFor(stream);
        try {
            stream.enter();
            try {
                long from = source.pointer + sourceOffset;
                int result = CopyCalls.toHostAsync(to, from, length, stream.pointer);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> CopyCalls.toHostAsync(to, from, length, stream.pointer));
                    require(result, "cuMemcpyDtoHAsync(target=0x%x, source=0x%x, length=%d)", to, from, length, source);
                }
            } finally {
                stream.exit();
            }
        } finally {
            source.exit();
        }
    }

    static void onDevice(
            CudaStream stream,
            DeviceMemory target,
            long targetOffset,
            DeviceMemory source,
            long sourceOffset,
            long length) {
        target.enterFor(stream);
        try {
            source.enterFor(stream);
            try {
                stream.enter();
                try {
                    long to = target.pointer + targetOffset;
                    long from = source.pointer + sourceOffset;
                    int result = queue(stream, target, to, source, from, length);
                    if (result != Results.SUCCESS) {
                        result = stream.retry(result, () -> queue(stream, target, to, source, from, length));
                        String call = (target.context() == source.context() ? "cuMemcpyDtoDAsync" : "cuMemcpyPeerAsync")
                                + "(target=0x%x, source=0x%x, length=%d)";
                        require(result, call, to, from, length, target, source);
                    }
                } finally {
                    stream.exit();
                }
            } finally {
                source.exit();
            }
        } finally {
            target.exit();
        }
    }

    private static int queue(
            CudaStream stream, DeviceMemory target, long to, DeviceMemory source, long from, long length) {
        long toContext = target.context().handle();
        long fromContext = source.context().handle();
        return toContext == fromContext
                ? CopyCalls.onDeviceAsync(to, from, length, stream.pointer)
                : CopyCalls.peerAsync(to, toContext, from, fromContext, length, stream.pointer);
    }

    static void fill(CudaStream stream, DeviceMemory target, long offset, long length, byte value) {
        target.enterFor(stream);
        try {
            stream.enter();
            try {
                long to = target.pointer + offset;
                int result = CopyCalls.fill8Async(to, value, length, stream.pointer);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> CopyCalls.fill8Async(to, value, length, stream.pointer));
                    require(result, "cuMemsetD8Async(target=0x%x, value=0x%02x, length=%d)", to, value, length, target);
                }
            } finally {
                stream.exit();
            }
        } finally {
            target.exit();
        }
    }

    static void fillWords(CudaStream stream, DeviceMemory target, long offset, long count, int value) {
        target.enterFor(stream);
        try {
            stream.enter();
            try {
                long to = target.pointer + offset;
                int result = CopyCalls.fill32Async(to, value, count, stream.pointer);
                if (result != Results.SUCCESS) {
                    result = stream.retry(result, () -> CopyCalls.fill32Async(to, value, count, stream.pointer));
                    require(result, "cuMemsetD32Async(target=0x%x, value=0x%x, count=%d)", to, value, count, target);
                }
            } finally {
                stream.exit();
            }
        } finally {
            target.exit();
        }
    }

    private static void require(int result, String call, long to, long from, long length, DeviceMemory... memories) {
        if (result != Results.SUCCESS) {
            throw Diagnosis.of(result, call.formatted(to, from, length), memories);
        }
    }

    static long addressOf(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "only native memory can be copied to and from a device, but " + segment + " is on the heap");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory to copy is closed");
        }
        return segment.address();
    }
}
