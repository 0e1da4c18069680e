// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/**
 * The facts that one end of a connection knows for certain, in a file that outlives the process. A fact is written at
 * once, and read when the process is dead. Any thread may write; each value has one writer.
 */
final class Ledger {
    /** How far a connection is. */
    enum Phase {
        BEFORE,
        CONNECTING,
        /** Connected, and the first message of the other end has not arrived. */
        FIRST,
        LOAD,
        CLOSING,
        ENDED
    }

    /**
     * The contents.
     *
     * @param phase how far the connection was
     * @param acknowledged messages of this end that lay in the other's buffer
     * @param received the messages that the program has received, the first and the last one among them
     * @param transfers steps in the other's memory that were done
     */
    record Page(Phase phase, long acknowledged, long received, long transfers) {
        String words() {
            return String.join(
                    "\t", phase.name(), Long.toString(acknowledged), Long.toString(received), Long.toString(transfers));
        }

        static Page of(String... words) {
            return new Page(
                    Phase.valueOf(words[0]),
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]));
        }
    }

    private static final VarHandle LONGS = JAVA_LONG.arrayElementVarHandle();
    private static final int FIELDS = 4;
    private static final long BYTES = FIELDS * Long.BYTES;

    private final MemorySegment longs;
    private final Consumer<Phase> onPhase;

    private Ledger(MemorySegment longs, Consumer<Phase> onPhase) {
        this.longs = longs;
        this.onPhase = onPhase;
    }

    /** {@return a ledger that is not read} */
    static Ledger unread() {
        return new Ledger(Arena.ofAuto().allocate(BYTES, Long.BYTES), phase -> {});
    }

    /**
     * @param memory of a {@link #file}
     * @param number of the connection, from 0
     * @param onPhase called for each phase, in the thread that reaches it
     */
    static Ledger in(MemorySegment memory, int number, Consumer<Phase> onPhase) {
        return new Ledger(memory.asSlice(Long.BYTES + number * BYTES, BYTES), onPhase);
    }

    /** {@return the memory of a file with a word, followed by ledgers, until the arena is closed} */
    static MemorySegment file(Path path, int ledgers, Arena arena) throws IOException {
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, Long.BYTES + ledgers * BYTES, arena);
        }
    }

    /** Sets the word that all ledgers of a file share. */
    static void setWord(MemorySegment memory, long value) {
        LONGS.setVolatile(memory, 0L, 0L, value);
    }

    static long word(MemorySegment memory) {
        return (long) LONGS.getVolatile(memory, 0L, 0L);
    }

    /** Another thread may already be past the phase that one thread has reached. */
    void phase(Phase phase) {
        synchronized (this) {
            set(0, Math.max(get(0), phase.ordinal()));
        }
        onPhase.accept(phase);
    }

    void acknowledged() {
        add(1);
    }

    void received() {
        add(2);
    }

    void transferred() {
        add(3);
    }

    Page page() {
        return new Page(Phase.values()[(int) get(0)], get(1), get(2), get(3));
    }

    private void add(long field) {
        set(field, get(field) + 1);
    }

    private long get(long field) {
        return (long) LONGS.getVolatile(longs, 0L, field);
    }

    private void set(long field, long value) {
        LONGS.setVolatile(longs, 0L, field, value);
    }
}
