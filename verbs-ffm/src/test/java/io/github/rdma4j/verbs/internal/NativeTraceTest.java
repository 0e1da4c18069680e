// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.base.TraceOutput;
import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.bindings.rdma_cm_event;
import io.github.rdma4j.verbs.bindings.rdma_conn_param;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the lines of the trace, with handles of functions of this test. */
class NativeTraceTest {
    private static final String HEAD = "\\d\\d:\\d\\d:\\d\\d\\.\\d{6} \\[[^]]*] ";
    private static final String TAIL = " <\\d+\\.\\d{9}>";

    private static final long POST_SEND = 1;
    private static final long POLL = 2;

    @TempDir
    private Path folder;

    private final Arena arena = Arena.ofShared();
    private final TraceNames names = new TraceNames();

    @AfterEach
    void free() {
        arena.close();
    }

    private Path file() {
        return folder.resolve("trace");
    }

    private List<String> lines() throws IOException {
        List<String> lines = Files.readAllLines(file());
        assertThat(lines.getFirst()).matches("# \\d{4}-.*, process \\d+: native calls of rdma4j");
        return lines.subList(1, lines.size());
    }

    /** The one line, without time, thread and duration. */
    private String line() throws IOException {
        assertThat(lines()).singleElement().asString().matches(HEAD + ".*" + TAIL);
        return lines().getFirst().replaceFirst(HEAD, "").replaceFirst(TAIL + '$', "");
    }

    /** A traced handle of words, as ColdCalls has it, of a real function that takes the place of a named one. */
    private MethodHandle traced(String symbol, String standIn, String output) {
        MemorySegment function = Linker.nativeLinker().defaultLookup().findOrThrow(standIn);
        names.learnSymbol(symbol, function.address());
        MethodHandle real = Linker.nativeLinker()
                .downcallHandle(
                        FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS),
                        Linker.Option.captureCallState("errno"));
        return TracedHandle.of(real, true, names, TraceOutput.open(NativeTrace.PROPERTY, output))
                .bindTo(function);
    }

    private long call(MethodHandle handle, long... words) throws Throwable {
        MemorySegment[] all = new MemorySegment[ColdCalls.WORDS];
        for (int i = 0; i < all.length; i++) {
            all[i] = MemorySegment.ofAddress(i < words.length ? words[i] : 0);
        }
        return (long) handle.invokeExact(NativeCalls.capture(), all[0], all[1], all[2], all[3], all[4], all[5]);
    }

    /** Puts function pointers into a context, as a provider does, and as an old library leaves them. */
    @BeforeEach
    void open() {
        MemorySegment context = ibv_context.allocate(arena);
        MemorySegment operations = ibv_context.ops(context);
        ibv_context_ops.post_send(operations, MemorySegment.ofAddress(POST_SEND));
        ibv_context_ops.poll_cq(operations, MemorySegment.ofAddress(POLL));
        names.learnFrom("ibv_open_device", context.address(), 0);
    }

    /** A traced handle whose function answers without a call, in the shape of one of the hot path. */
    private String hot(long function, long result, long second, long third) throws Throwable {
        MethodHandle answer = MethodHandles.dropArguments(
                MethodHandles.constant(int.class, (int) result),
                0,
                MemorySegment.class,
                long.class,
                long.class,
                long.class);
        MethodHandle handle =
                TracedHandle.of(answer, false, names, TraceOutput.open(NativeTrace.PROPERTY, file().toString()));
        assertThat(handle.type()).isEqualTo(answer.type());
        assertThat((int) handle.invokeExact(MemorySegment.ofAddress(function), 0xabL, second, third))
                .isEqualTo((int) result);
        return line();
    }

    @Test
    void resultThatIsAnErrnoHasItsNameAndOnlyTheArgumentsThatTheFunctionTakesAreShown() throws Throwable {
        assertThat(call(traced("ibv_dealloc_pd", "abs", file().toString()), 22)).isEqualTo(22);
        assertThat(line()).isEqualTo("ibv_dealloc_pd(0x16) = 22 EINVAL (Invalid argument)");
    }

    @Test
    void successIsBare() throws Throwable {
        call(traced("ibv_dealloc_pd", "abs", file().toString()), 0);
        assertThat(line()).isEqualTo("ibv_dealloc_pd(NULL) = 0");
    }

    @Test
    void minusOneComesWithTheErrnoThatWasLeft() throws Throwable {
        assertThat(call(traced("rdma_destroy_id", "close", file().toString()), -1) & 0xffff_ffffL)
                .isEqualTo(0xffff_ffffL);
        assertThat(line()).isEqualTo("rdma_destroy_id(0xffffffffffffffff) = -1 EBADF (Bad file descriptor)");
        assertThat(NativeCalls.lastErrno()).isEqualTo(9);
    }

    @Test
    void nullComesWithTheErrnoThatWasLeftAndFlagsHaveNames() throws Throwable {
        MethodHandle register = traced("ibv_reg_mr_iova2", "fopen", file().toString());
        long name = arena.allocateFrom("/nowhere/file").address();
        long mode = arena.allocateFrom("r").address();
        call(register, name, mode, 4096, mode, 3 | 1 << 30);
        assertThat(line())
                .isEqualTo(("ibv_reg_mr_iova2(0x%x, 0x%x, 4096, 0x%x,"
                                + " IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|0x40000000)"
                                + " = NULL ENOENT (No such file or directory)")
                        .formatted(name, mode, mode));
    }

    @Test
    void changeOfStateShowsWhatItsMaskNames() throws Throwable {
        MemorySegment attributes = ibv_qp_attr.allocate(arena);
        ibv_qp_attr.qp_state(attributes, RdmaHeaders.IBV_QPS_RTR());
        ibv_qp_attr.path_mtu(attributes, RdmaHeaders.IBV_MTU_1024());
        ibv_qp_attr.dest_qp_num(attributes, 0x11);
        int mask = RdmaHeaders.IBV_QP_STATE() | RdmaHeaders.IBV_QP_PATH_MTU() | RdmaHeaders.IBV_QP_DEST_QPN();
        call(traced("ibv_modify_qp", "abs", file().toString()), 0, attributes.address(), mask);
        assertThat(line())
                .isEqualTo("ibv_modify_qp(NULL, {qp_state=IBV_QPS_RTR, path_mtu=IBV_MTU_1024, dest_qp_num=0x11},"
                        + " IBV_QP_STATE|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN) = 0");
    }

    @Test
    void chainOfSendsShowsEachWithItsBytes() throws Throwable {
        MemorySegment entries = ibv_sge.allocateArray(2, arena);
        ibv_sge.length(ibv_sge.asSlice(entries, 0), 64);
        ibv_sge.length(ibv_sge.asSlice(entries, 1), 36);
        MemorySegment send = ibv_send_wr.allocate(arena);
        ibv_send_wr.wr_id(send, -1);
        ibv_send_wr.opcode(send, RdmaHeaders.IBV_WR_SEND());
        MemorySegment write = ibv_send_wr.allocate(arena);
        ibv_send_wr.wr_id(write, 7);
        ibv_send_wr.opcode(write, RdmaHeaders.IBV_WR_RDMA_WRITE());
        ibv_send_wr.send_flags(write, RdmaHeaders.IBV_SEND_SIGNALED() | RdmaHeaders.IBV_SEND_INLINE());
        ibv_send_wr.sg_list(write, entries);
        ibv_send_wr.num_sge(write, 2);
        MemorySegment remote = ibv_send_wr.wr.rdma(ibv_send_wr.wr(write));
        ibv_send_wr.wr.rdma.remote_addr(remote, 0x1000);
        ibv_send_wr.wr.rdma.rkey(remote, 0x2a);
        ibv_send_wr.next(send, write);
        assertThat(hot(POST_SEND, -12, send.address(), 0xcd))
                .isEqualTo("ibv_post_send(0xab, [{wr_id=18446744073709551615, opcode=IBV_WR_SEND, length=0, num_sge=0,"
                        + " send_flags=0}, {wr_id=7, opcode=IBV_WR_RDMA_WRITE, length=100, num_sge=2,"
                        + " send_flags=IBV_SEND_SIGNALED|IBV_SEND_INLINE, remote_addr=0x1000, rkey=0x2a}], 0xcd)"
                        + " = -12 ENOMEM (Cannot allocate memory)");
    }

    @Test
    void longChainIsCut() throws Throwable {
        MemorySegment next = MemorySegment.NULL;
        for (int i = 0; i < 20; i++) {
            MemorySegment send = ibv_send_wr.allocate(arena);
            ibv_send_wr.next(send, next);
            next = send;
        }
        assertThat(hot(POST_SEND, 0, next.address(), 0)).contains("}, and 4 more], NULL) = 0");
    }

    @Test
    void pollShowsWhatItFound() throws Throwable {
        MemorySegment completions = ibv_wc.allocateArray(2, arena);
        MemorySegment good = ibv_wc.asSlice(completions, 0);
        ibv_wc.wr_id(good, 1);
        ibv_wc.opcode(good, RdmaHeaders.IBV_WC_RECV());
        ibv_wc.byte_len(good, 64);
        ibv_wc.qp_num(good, 0x11);
        MemorySegment bad = ibv_wc.asSlice(completions, 1);
        ibv_wc.wr_id(bad, 2);
        ibv_wc.status(bad, RdmaHeaders.IBV_WC_REM_ACCESS_ERR());
        ibv_wc.vendor_err(bad, 0x88);
        assertThat(hot(POLL, 2, 16, completions.address()))
                .isEqualTo("ibv_poll_cq(0xab, 16, [{wr_id=1, status=IBV_WC_SUCCESS, opcode=IBV_WC_RECV, byte_len=64,"
                        + " qp_num=0x11}, {wr_id=2, status=IBV_WC_REM_ACCESS_ERR, vendor_err=0x88, qp_num=0x0}]) = 2");
    }

    @Test
    void emptyPollIsTracedOnlyOnRequest() throws Throwable {
        MethodHandle answer = MethodHandles.empty(MethodType.methodType(int.class, MemorySegment.class, long.class));
        for (String output : List.of(file().toString(), "all," + file())) {
            assertThat((int) TracedHandle.of(answer, false, names, TraceOutput.open(NativeTrace.PROPERTY, output))
                            .invokeExact(MemorySegment.ofAddress(POLL), 0xabL))
                    .isZero();
        }
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(3);
        assertThat(lines.get(2)).contains("ibv_poll_cq(0xab) = 0 <");
    }

    @Test
    void addressesAndWhatAConnectionAsksForAreReadable() throws Throwable {
        MemorySegment address = SocketAddresses.write(arena, new InetSocketAddress("192.0.2.7", 4711));
        call(traced("rdma_resolve_addr", "abs", file().toString()), 0, 0, address.address(), 2000);
        assertThat(line()).isEqualTo("rdma_resolve_addr(NULL, NULL, {192.0.2.7, port 4711}, 2000) = 0");
        Files.delete(file());
        MemorySegment parameters = rdma_conn_param.allocate(arena);
        rdma_conn_param.retry_count(parameters, (byte) 7);
        rdma_conn_param.private_data_len(parameters, (byte) 200);
        call(traced("rdma_connect", "labs", file().toString()), 0, parameters.address());
        assertThat(line()).contains("(NULL, {private_data_len=200, ", "retry_count=7, ");
    }

    @Test
    void eventThatWasTakenShowsItsKindAndItsStatus() throws Throwable {
        MemorySegment event = rdma_cm_event.allocate(arena);
        rdma_cm_event.event(event, RdmaHeaders.RDMA_CM_EVENT_UNREACHABLE());
        rdma_cm_event.status(event, -110);
        rdma_cm_event.id(event, MemorySegment.ofAddress(0x42));
        MemorySegment place = arena.allocateFrom(ADDRESS, event);
        call(traced("rdma_get_cm_event", "abs", file().toString()), 0, place.address());
        assertThat(line())
                .isEqualTo("rdma_get_cm_event(NULL, {event=RDMA_CM_EVENT_UNREACHABLE, status=-110 ETIMEDOUT, id=0x42,"
                        + " listen_id=NULL}) = 0");
    }

    @Test
    void functionThatNobodyNamedHasItsAddress() throws Throwable {
        MethodHandle nothing = MethodHandles.empty(
                MethodType.methodType(void.class, MemorySegment.class, MemorySegment.class, int.class));
        TracedHandle.of(nothing, false, names, TraceOutput.open(NativeTrace.PROPERTY, file().toString()))
                .invokeExact(MemorySegment.ofAddress(0x77), MemorySegment.ofAddress(0x88), -1);
        assertThat(line()).isEqualTo("(*0x77)(0x88, -1)");
    }

    @Test
    void linesOfThreadsDoNotMix() throws Throwable {
        MethodHandle handle = traced("ibv_dealloc_pd", "abs", file().toString());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(Thread.ofPlatform().name("worker\n" + i).start(() -> repeat(handle)));
        }
        threads.add(Thread.startVirtualThread(() -> repeat(handle)));
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(lines())
                .hasSize(9 * 1000)
                .allMatch(line -> line.matches("[0-9:.]+ \\[(worker \\d|#\\d+)] ibv_dealloc_pd\\(NULL\\) = 0" + TAIL));
    }

    private void repeat(MethodHandle handle) {
        try {
            for (int i = 0; i < 1000; i++) {
                call(handle, 0);
            }
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    static final class Opening {
        private Opening() {}

        public static void main(String[] arguments) {
            TraceOutput.open(NativeTrace.PROPERTY, arguments[0]).write("a line\n");
        }
    }

    private static List<String> open(String value) throws IOException, InterruptedException {
        List<String> command = ChildJvm.command(Opening.class.getName(), List.of());
        command.add(value);
        return ChildJvm.run(command);
    }

    @Test
    void withoutAFileTheLinesGoToStderr() throws Exception {
        assertThat(open("true")).hasSize(2).last().isEqualTo("a line");
        assertThat(open("all")).hasSize(2);
        assertThat(open("yes")).hasSize(3).first().asString().contains("the values are true, all, a path");
        assertThat(open("/nowhere/trace")).hasSize(3).first().asString().contains("/nowhere/trace");
    }

    @Test
    void nameOfTheFileMayHaveTheProcess() throws Exception {
        assertThat(open(folder + "/trace.%p")).isEmpty();
        try (var files = Files.list(folder)) {
            assertThat(files.toList())
                    .singleElement()
                    .satisfies(file -> assertThat(file.getFileName().toString()).matches("trace\\.\\d+"));
        }
    }

    @Test
    void itIsOffUnlessAskedFor() {
        assertThat(NativeTrace.ON).isFalse();
        assertThat(NativeTrace.isWanted(null)).isFalse();
        assertThat(NativeTrace.isWanted("")).isFalse();
        assertThat(NativeTrace.isWanted("false")).isFalse();
        assertThat(NativeTrace.isWanted("true")).isTrue();
    }
}
