// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * A wire that records each post. Tests call its methods to complete a post. Messages are texts.
 */
final class RecordedWire implements Wire {
    private final List<String> posts = new ArrayList<>();
    private final Map<Integer, String> slots = new HashMap<>();
    private final Map<Integer, byte[]> rooms = new HashMap<>();
    private final Map<Integer, byte[]> arrived = new HashMap<>();
    private final Deque<Integer> returned = new ArrayDeque<>();
    /** The slots of what was posted, in the order of the posts. */
    final List<Integer> taken = new ArrayList<>();
    /** The value that each atomic operation finds. */
    long word;
    /** Why the next post is refused; 0 if it is not. */
    IntSupplier errno = () -> 0;
    /** Whether a message may be unsignaled. */
    boolean unsignaled = true;

    boolean peerThere;
    /** What the next copy into a buffer, and the next transfer, throws; null for nothing. */
    RuntimeException mistake;

    private boolean batch;
    private int batched;
    private int batchError;

    /** What was posted since this was asked for the last time. */
    List<String> posts() {
        List<String> copy = List.copyOf(posts);
        posts.clear();
        return copy;
    }

    /** The bytes of the message that has come in a receive buffer. */
    void put(int buffer, byte[] message) {
        arrived.put(buffer, message);
    }

    private void throwMistake() {
        if (mistake != null) {
            RuntimeException thrown = mistake;
            mistake = null;
            throw thrown;
        }
    }

    private int post(String what) {
        int refused = errno.getAsInt();
        if (refused == 0) {
            posts.add(what);
        }
        return refused;
    }

    @Override
    public void fill(int slot, MemorySegment message) {
        throwMistake();
        slots.put(slot, new String(message.toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public boolean canPostUnsignaled() {
        return unsignaled;
    }

    @Override
    public void beginBatch() {
        batch = true;
        batched = 0;
        batchError = 0;
    }

    @Override
    public int endBatch() {
        batch = false;
        posts.add("batch of " + batched);
        return batched;
    }

    @Override
    public int batchError() {
        return batchError;
    }

    @Override
    public MemorySegment buffer(int slot) {
        return MemorySegment.ofArray(rooms.computeIfAbsent(slot, any -> new byte[16]));
    }

    @Override
    public void cut(int slot, long length) {
        slots.put(slot, new String(rooms.get(slot), 0, (int) length));
    }

    @Override
    public ByteBuffer view(int slot) {
        return ByteBuffer.allocate(64);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return ByteBuffer.wrap(arrived.get(buffer));
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        taken.add(slot);
        String what = "message " + slots.get(slot)
                + (Frame.credits(frame) > 0 ? " with " + Frame.credits(frame) : "")
                + (signaled ? ", signaled" : "");
        if (!batch) {
            return post(what);
        }
        batchError = batchError != 0 ? batchError : post(what);
        batched += batchError == 0 ? 1 : 0;
        return 0;
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        throwMistake();
        taken.add(slot);
        return post(operation + " " + operand);
    }

    @Override
    public int postControl(long id, int frame) {
        return post((Frame.kind(frame) == Frame.CLOSE ? "close with " : "credits: ") + Frame.credits(frame));
    }

    @Override
    public int postProbe(long id) {
        return post("probe");
    }

    @Override
    public int postReceive(int buffer) {
        return post("receive " + buffer);
    }

    @Override
    public int returnReceive(int buffer) {
        returned.add(buffer);
        return 0;
    }

    @Override
    public int postReturned() {
        int refused = 0;
        while (!returned.isEmpty() && refused == 0) {
            refused = postReceive(returned.remove());
        }
        return refused;
    }

    @Override
    public long word(int slot) {
        return word;
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return Arrays.copyOf(arrived.get(buffer), (int) length);
    }

    @Override
    public boolean isPeerThere() {
        return peerThere;
    }

    @Override
    public void toError() {
        posts.add("broken");
    }

    @Override
    public void ended(String reason) {
        posts.add("ended: " + reason);
    }
}
