// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.events.CorruptBlockEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Data with a sum behind it, for one-sided transfers: whoever writes the data seals it, and whoever reads it asks
 * whether it is intact. In its last {@value #TRAILER} bytes a block has a version of the program's own and the CRC32C
 * of data and version. A sum finds bytes that were changed on the way, a block of which only a part has come yet, and
 * one that nobody has written; the version finds one that is old.
 *
 * <ul>
 *   <li>To write into the peer's memory: fill {@link #data()} of local memory, {@link #seal}, and write the whole block
 *       ({@link Transfers#write}). The peer verifies.
 *   <li>To offer something for reading: seal the block in exposed memory. The peer reads the whole block, and verifies
 *       its copy; if that is not intact, it was changed meanwhile, and is read again.
 * </ul>
 *
 * <p>What a peer may write to can change behind the check. Copy such a block first, and verify the copy.
 *
 * <p>{@link #seal}, {@link #isIntact()} and {@link #verify()} allocate nothing, unless they throw. Thread safety: one
 * thread at a time.
 *
 * @since 0.1.0
 */
public final class SealedBlock {
    /** How many bytes of a block are not data. */
    public static final int TRAILER = 16;

    /** So that memory which nobody has sealed is told apart from a block that was changed. */
    private static final int MARK = 0x7234_6a62;

    private final MemorySegment data;
    private final ByteBuffer bytes;
    private final int length;
    private final CRC32C crc = new CRC32C();

    private SealedBlock(MemorySegment memory) {
        this.length = (int) memory.byteSize() - TRAILER;
        this.data = memory.asSlice(0, length);
        this.bytes = memory.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
    }

    /**
     * A block in some memory, with whatever is there now.
     *
     * @param memory the data and {@value #TRAILER} bytes more, at most 2 GiB less one byte in all; native, or an array
     *     of bytes
     * @return the block
     * @throws IllegalArgumentException if the memory is too short, too long, or an array of something else
     */
    public static SealedBlock of(MemorySegment memory) {
        if (memory.byteSize() < TRAILER || memory.byteSize() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "a block of %d bytes: at least %d, for what stands behind the data, and at most %d"
                            .formatted(memory.byteSize(), TRAILER, Integer.MAX_VALUE));
        }
        try {
            return new SealedBlock(memory);
        } catch (UnsupportedOperationException e) {
            // An array, also one that is read-only, of something else than bytes.
            throw new IllegalArgumentException("a block lies in native memory, or in an array of bytes", e);
        }
    }

    /** {@return the data: the memory without its last {@value #TRAILER} bytes} */
    public MemorySegment data() {
        return data;
    }

    /**
     * Puts version and sum behind the data. Data that is changed later must be sealed again.
     *
     * @param version any number, for the reader; one that counts up tells old blocks from new ones
     * @throws IllegalStateException if the memory is closed
     * @throws java.nio.ReadOnlyBufferException if it is read-only
     */
    public void seal(long version) {
        bytes.putLong(length, version);
        bytes.putInt(length + Long.BYTES, sum());
        bytes.putInt(length + Long.BYTES + Integer.BYTES, MARK);
    }

    /** Of data and version. */
    private int sum() {
        bytes.limit(length + Long.BYTES);
        bytes.position(0);
        crc.reset();
        crc.update(bytes);
        bytes.limit(bytes.capacity());
        return (int) crc.getValue();
    }

    /**
     * Whether data and version are those that were sealed.
     *
     * @return false, too, if nothing was sealed here
     * @throws IllegalStateException if the memory is closed
     */
    public boolean isIntact() {
        return isSealed() && bytes.getInt(length + Long.BYTES) == sum();
    }

    private boolean isSealed() {
        return bytes.getInt(length + Long.BYTES + Integer.BYTES) == MARK;
    }

    /** {@return the version that was sealed with the data, if the block is intact; else any number} */
    public long version() {
        return bytes.getLong(length);
    }

    /**
     * Throws unless the block {@linkplain #isIntact() is intact}.
     *
     * @return its version
     * @throws CorruptBlockException if it is not; with both sums
     * @throws IllegalStateException if the memory is closed
     */
    public long verify() {
        boolean sealed = isSealed();
        int expected = bytes.getInt(length + Long.BYTES);
        int found = sum();
        if (!sealed || expected != found) {
            if (Recorder.isThere()) {
                CorruptBlockEvent.found(length, sealed, version(), expected, found);
            }
            throw new CorruptBlockException(length, sealed, version(), expected, found);
        }
        return version();
    }

    /** {@return how much data it is for} */
    @Override
    public String toString() {
        return "block of " + length + " bytes";
    }
}
