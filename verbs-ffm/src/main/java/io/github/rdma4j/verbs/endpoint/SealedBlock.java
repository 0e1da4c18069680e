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
 * Data with a checksum, for one-sided transfers: the writer seals the data, and the reader checks whether it is intact.
 * The last {@value #TRAILER} bytes of a block hold a version of your choice and the CRC32C of data and version. The
 * checksum detects changed bytes, a block that has arrived only in part, and a block that was never written; the
 * version identifies an old block.
 *
 * <ul>
 *   <li>To write into the peer's memory: fill {@link #data()} of local memory, {@link #seal} it, and write the whole
 *   block ({@link Transfers#write}). The peer verifies it.
 *   <li>To offer data for reading: seal the block in exposed memory. The peer reads the whole block and verifies its
 *   copy; if the copy is not intact, the block was changed during the read, and the peer reads again.
 * </ul>
 *
 * <p>A peer that may write to a block can change it after you have verified it. Copy such a block first, and verify the
 * copy.
 *
 * <p>{@link #seal}, {@link #isIntact()} and {@link #verify()} allocate nothing, unless they throw. Thread safety: one
 * thread at a time.
 *
 * @since 0.1.0
 */
public final class SealedBlock {
    /** How many bytes of a block are not data. */
    public static final int TRAILER = 16;

    /** Distinguishes memory that was never sealed from a block that was changed. */
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
     * Writes version and checksum after the data. Call it again after you change the data.
     *
     * @param version any number; with an increasing one the reader can recognize old blocks
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
     * Returns whether data and version are what was sealed.
     *
     * @return also false if nothing was sealed here
     * @throws IllegalStateException if the memory is closed
     */
    public boolean isIntact() {
        return isSealed() && bytes.getInt(length + Long.BYTES) == sum();
    }

    private boolean isSealed() {
        return bytes.getInt(length + Long.BYTES + Integer.BYTES) == MARK;
    }

    /** {@return the version that was sealed with the data if the block is intact; otherwise any number} */
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
