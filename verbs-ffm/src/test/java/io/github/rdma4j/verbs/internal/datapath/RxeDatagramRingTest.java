// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.internal.DescriptorCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a datagram takes the function and when the ring, beside a function that does what librxe's does. */
class RxeDatagramRingTest {
    private static final int LOG2_ELEMENT = 9;
    private static final int ELEMENTS = 8;
    private static final int KEY = 0x11111111;

    private final Arena arena = Arena.ofConfined();
    /** The kernel's number of each address handle, by the handle less one. */
    private final int[] numbers = {71, 72, 73};

    private final MemorySegment places = arena.allocate(3 * RxeDatagramRing.NUMBER_BYTES, JAVA_INT.byteSize());
    /** The first {@code wr_id} of each call of the function. */
    private final List<Long> calls = new ArrayList<>();

    private final SendRequests requests = new SendRequests(arena, ELEMENTS, 1);
    /** A file that takes every doorbell. */
    private final int device = DescriptorCalls.open(Path.of("/dev/null"), true);

    private RxeQueue queue;
    private RxeDatagramRing ring;
    private long refusedRequest = -1;
    private long nextId;

    @BeforeEach
    void open() throws ReflectiveOperationException {
        // Functions are called by who has read some of a context.
        ProviderFunctions.of(ibv_context.allocate(arena));
        long size = RxeLayout.DATA + ((long) ELEMENTS << LOG2_ELEMENT);
        MemorySegment memory = arena.allocate(size, JAVA_LONG.byteSize());
        memory.set(JAVA_INT, RxeLayout.LOG2_ELEMENT_SIZE, LOG2_ELEMENT);
        memory.set(JAVA_INT, RxeLayout.INDEX_MASK, ELEMENTS - 1);
        queue = RxeQueue.ofHead(memory.address(), size, RxeLayout.SEND_BYTES).orElseThrow();
        MemorySegment function = Linker.nativeLinker()
                .upcallStub(
                        MethodHandles.lookup()
                                .bind(
                                        this,
                                        "postAsLibrxe",
                                        MethodType.methodType(int.class, long.class, long.class, long.class)),
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        arena);
        assertThat(ADDRESS.byteSize()).isEqualTo(JAVA_LONG.byteSize());
        RxeDoorbell doorbell = new RxeDoorbell(arena, device, ibv_qp.allocate(arena));
        ring = new RxeDatagramRing(new RxeSendRing(queue, doorbell, true), new SendFunctions(function, false, 0));
    }

    @AfterEach
    void close() {
        DescriptorCalls.close(device);
        arena.close();
    }

    private int postAsLibrxe(long queuePair, long first, long badRequest) {
        calls.add(field(first, ibv_send_wr.wr_id$offset()));
        for (long request = first; request != 0; request = field(request, ibv_send_wr.next$offset())) {
            if (field(request, ibv_send_wr.wr_id$offset()) == refusedRequest) {
                NativeMemory.putLong(badRequest, request);
                return Errno.EINVAL;
            }
            long element = queue.element(queue.producer());
            long handle = field(request, ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud.ah$offset());
            NativeMemory.putLong(element + RxeLayout.SEND_WR_ID, field(request, ibv_send_wr.wr_id$offset()));
            NativeMemory.putInt(element + RxeLayout.DATAGRAM_HANDLE, numbers[(int) handle - 1]);
            queue.producer(queue.after(queue.producer()));
        }
        return 0;
    }

    private static long field(long request, long offset) {
        return NativeMemory.getLong(request + offset);
    }

    /** Posts a datagram by each of these handles; {@return what the post returned} */
    private int post(int... handles) {
        for (int i = 0; i < handles.length; i++) {
            requests.fill(i, SendOpcode.SEND, nextId++, 0x1000, 8, 0, 0);
            long place = places.address() + (handles[i] - 1) * RxeDatagramRing.NUMBER_BYTES;
            requests.datagram(i, handles[i], place, 100 + handles[i], KEY);
        }
        requests.cut(handles.length - 1);
        int result = ring.post(requests);
        requests.link(handles.length - 1);
        return result;
    }

    private int known(int handle) {
        return places.getAtIndex(JAVA_INT, handle - 1);
    }

    private void takeAll() {
        queue.consumer(queue.producer());
    }

    @Test
    void onlyTheFirstDatagramByAHandleIsTheFunctions() {
        assertThat(post(1)).isZero();
        assertThat(calls).containsExactly(0L);
        assertThat(known(1)).isEqualTo(71);
        takeAll();
        long element = queue.element(queue.producer());
        assertThat(post(1)).isZero();
        assertThat(calls).hasSize(1);
        assertThat(NativeMemory.getInt(element + RxeLayout.DATAGRAM_PEER)).isEqualTo(101);
        assertThat(NativeMemory.getInt(element + RxeLayout.DATAGRAM_KEY)).isEqualTo(KEY);
        assertThat(NativeMemory.getInt(element + RxeLayout.DATAGRAM_PARTITION)).isZero();
        assertThat(NativeMemory.getInt(element + RxeLayout.DATAGRAM_HANDLE)).isEqualTo(71);
        assertThat(ring.refusal()).isEmpty();
    }

    @Test
    void aListWithANewHandleGoesAsAWhole() {
        assertThat(post(1)).isZero();
        takeAll();
        // Six behind one: the list goes round the end of the ring.
        assertThat(post(1, 1, 1, 2, 3, 1)).isZero();
        assertThat(calls).containsExactly(0L, 1L);
        assertThat(queue.producer()).isEqualTo(7);
        takeAll();
        assertThat(List.of(known(1), known(2), known(3))).containsExactly(71, 72, 73);
        assertThat(post(3, 2, 1)).isZero();
        assertThat(calls).hasSize(2);
    }

    @Test
    void numbersAreLearntRoundTheEndOfTheRing() {
        assertThat(post(1, 1, 1, 1, 1, 1)).isZero();
        takeAll();
        assertThat(post(1, 2, 3)).isZero();
        assertThat(queue.producer()).isEqualTo(1);
        assertThat(List.of(known(2), known(3))).containsExactly(72, 73);
    }

    @Test
    void whatIsRefusedStaysToBeLearnt() {
        refusedRequest = 1;
        assertThat(post(1, 2, 3)).isEqualTo(Errno.EINVAL);
        assertThat(requests.acceptedBeforeRefusal(3)).isEqualTo(1);
        assertThat(List.of(known(1), known(2), known(3))).containsExactly(71, 0, 0);
        assertThat(post(2)).isZero();
        assertThat(known(2)).isEqualTo(72);
        assertThat(calls).hasSize(2);
    }

    /** Programs that have switched checks off may post it; there is no address in what it has in a datagram's place. */
    @Test
    void whatIsNoDatagramIsTheFunctionsToJudge() {
        assertThat(post(1)).isZero();
        requests.fill(0, SendOpcode.COMPARE_AND_SWAP, nextId++, 0x1000, 8, 0, 0);
        requests.atomic(0, 1, 5, 6, 7);
        requests.cut(0);
        assertThat(ring.post(requests)).isZero();
        assertThat(calls).containsExactly(0L, 1L);
    }

    @Test
    void aFullRingIsFull() {
        assertThat(post(1, 1, 1, 1)).isZero();
        assertThat(post(1, 1, 1, 1)).isEqualTo(Errno.ENOMEM);
        assertThat(requests.acceptedBeforeRefusal(4)).isEqualTo(3);
    }

    @Test
    void handlesWithoutNumbersGoThroughTheFunctionForEver() {
        numbers[0] = 0;
        for (int i = 0; i < 3; i++) {
            assertThat(post(1)).isZero();
            takeAll();
        }
        assertThat(calls).containsExactly(0L, 1L, 2L);
        assertThat(ring.refusal()).contains("too old");
    }
}
