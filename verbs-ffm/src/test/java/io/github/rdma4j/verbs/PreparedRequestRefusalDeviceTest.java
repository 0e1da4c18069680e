// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.PreparedRequests.assertClosed;
import static io.github.rdma4j.verbs.PreparedRequests.assertDone;
import static io.github.rdma4j.verbs.PreparedRequests.assertRefused;
import static io.github.rdma4j.verbs.PreparedRequests.connected;
import static io.github.rdma4j.verbs.PreparedRequests.datagrams;
import static io.github.rdma4j.verbs.PreparedRequests.word;
import static io.github.rdma4j.verbs.SendFlags.INLINE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.PreparedRequests.Way;
import io.github.rdma4j.verbs.device.GidEntry;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Prepared requests refuse wrong arguments, and use after the close of a resource that they need. */
@Tag("device")
@Timeout(600)
class PreparedRequestRefusalDeviceTest {
    @ParameterizedTest
    @EnumSource
    void wrongArgumentsAreRefusedWhenTheRequestIsPrepared(Way way) {
        try (PostingPair pair = connected(way);
                PostingPair stranger = connected(way)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            MemorySlice slice = pair.buffer.slice(0, 64);
            RequestPreparation prepare = pair.pair.prepare();
            assertRefused(() -> prepare.write(pair.buffer.slice(), remote.slice(0, 100), NONE), "do not fit into");
            assertRefused(() -> prepare.write(slice, remote, 1 << 20), "are not all of SendFlags");
            assertRefused(() -> prepare.write(pair.buffer.slice(), remote, INLINE), "8192 bytes inline");
            assertRefused(() -> prepare.read(slice, remote, INLINE), "a RDMA read cannot be inline");
            assertRefused(() -> prepare.send(stranger.buffer.slice(), NONE), "another protection domain");
            assertRefused(() -> prepare.fetchAndAdd(slice, remote, 1, NONE), "the local slice has 64");
            assertRefused(
                    () -> prepare.compareAndSwap(slice.slice(0, 8), remote.slice(4, 16), 1, 2, NONE), "multiple of 8");
            assertRefused(() -> prepare.to(anyDestination(stranger)), "sends to its peer, not to a destination");
            assertRefused(() -> prepare.toSharedReceiveQueue(1), "does not choose the shared receive queue");
            assertRefused(() -> prepare.length(-1), "-1");
            assertThatThrownBy(() -> pair.pair.prepare().length(65).send(slice, NONE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            MemoryRegion readOnly = pair.domain.allocateMemory(64);
            assertRefused(() -> prepare.read(readOnly.slice(), remote, NONE), "without LOCAL_WRITE");
            assertRefused(() -> pair.pair.prepareReceive(readOnly.slice()), "without LOCAL_WRITE");
            assertRefused(() -> pair.pair.prepareReceive(stranger.buffer.slice()), "another protection domain");
        }
    }

    /** Any destination; the type of the queue pair is looked at first. */
    private static Destination anyDestination(PostingPair pair) {
        GidEntry gid = pair.device.selectGid(1);
        return Destination.of(
                pair.domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid())), 1, 1);
    }

    @ParameterizedTest
    @EnumSource
    void datagramNeedsADestinationOfItsOwnDomain(Way way) {
        try (PostingPair pair = datagrams(way);
                PostingPair stranger = datagrams(way)) {
            MemorySlice slice = pair.buffer.slice(0, 8);
            assertRefused(() -> pair.pair.prepare().send(slice, NONE), "a datagram needs a destination");
            assertRefused(() -> pair.pair.prepare().to(stranger.toPeer), "is of another protection domain than");
            RequestPreparation prepare = pair.pair.prepare().to(pair.toPeer);
            assertRefused(
                    () -> prepare.write(slice, pair.peerBuffer.remoteMemory(), NONE),
                    "a queue pair of type UD has no RDMA write");
            assertThatThrownBy(() -> prepare.send(slice, NONE).remote(0))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("a send has no memory of the peer");
            assertRefused(() -> prepare.send(pair.buffer.slice(), NONE), "a message of 8192 bytes");
            PreparedRequest message = prepare.length(8).send(pair.buffer.slice(), NONE);
            assertRefused(() -> message.local(0, 8192), "a message of 8192 bytes: the port carries at most");
        }
    }

    @Test
    void undeclaredOperationIsRefused() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC, SendOperation.SEND)) {
            assertThatThrownBy(() ->
                            pair.pair.prepare().write(pair.buffer.slice(0, 8), pair.peerBuffer.remoteMemory(), NONE))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("QueuePairConfig.sendOperations did not name it");
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestStaysWithinWhatItWasPreparedWith(Way way) {
        try (PostingPair pair = connected(way)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory().slice(0, 64);
            PreparedRequest write = pair.pair.prepare().length(16).write(pair.buffer.slice(64, 32), remote, SIGNALED);
            for (ThrowingCallable outside : List.<ThrowingCallable>of(
                    () -> write.local(17),
                    () -> write.local(-1),
                    () -> write.local(0, 33),
                    () -> write.local(0, -1),
                    () -> write.local(Long.MAX_VALUE),
                    () -> write.remote(-1),
                    () -> write.remote(65),
                    () -> write.remote(Long.MIN_VALUE))) {
                assertThatThrownBy(outside).isInstanceOf(IndexOutOfBoundsException.class);
            }
            // A refused call has changed nothing.
            word(pair.buffer, 8, 11);
            word(pair.buffer, 9, 12);
            assertThat(write.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
            assertThat(word(pair.peerBuffer, 0)).isEqualTo(11);
            assertThat(word(pair.peerBuffer, 1)).isEqualTo(12);
            assertThat(word(pair.peerBuffer, 2)).isZero();
            // Both moves are right for themselves; together they are not, in whichever order.
            assertRefused(
                    () -> write.remote(49).tryPost(2), "16 bytes from offset 49 on do not fit into RemoteMemory[");
            assertRefused(() -> write.remote(40).local(0, 25).tryPost(2), "25 bytes from offset 40 on do not fit");
            assertThat(write.local(0, 24).tryPost(3)).isTrue();
            assertDone(pair.await(), 3);

            PreparedRequest add = pair.pair.prepare().fetchAndAdd(pair.buffer.slice(0, 8), remote, 1, SIGNALED);
            assertRefused(() -> add.remote(4), "at a multiple of 8, not at offset 4");
            assertRefused(() -> add.remote(64).tryPost(4), "8 bytes from offset 64 on do not fit");
            assertRefused(() -> add.local(0, 4), "an atomic operation returns 8 bytes, not 4");
            assertThat(add.remote(56).tryPost(5)).isTrue();
            assertDone(pair.await(), 5);
        }
    }

    @Test
    void fieldsOfOtherOperationsCannotBeSet() {
        try (PostingPair pair = connected(Way.BASIC)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            MemorySlice word = pair.buffer.slice(0, 8);
            RequestPreparation prepare = pair.pair.prepare();
            PreparedRequest write = prepare.write(word, remote, NONE);
            PreparedRequest add = prepare.fetchAndAdd(word, remote, 1, NONE);
            PreparedRequest swap = prepare.compareAndSwap(word, remote, 1, 2, NONE);
            assertLacks(() -> write.immediate(1), "an RDMA write has no immediate data");
            assertLacks(() -> write.addend(1), "an RDMA write has no addend");
            assertLacks(() -> prepare.send(word, NONE).remote(0), "a send has no memory of the peer");
            assertLacks(() -> add.expected(1), "a fetch-and-add has no expected value");
            assertLacks(() -> add.newValue(1), "a fetch-and-add has no new value");
            assertLacks(() -> swap.addend(1), "a compare-and-swap has no addend");
            assertLacks(() -> swap.immediate(1), "a compare-and-swap has no immediate data");
        }
    }

    @Test
    void unconnectedQueuePairIsReported() {
        try (PostingPair pair = connected(Way.BASIC)) {
            PreparedRequest write =
                    pair.pair.prepare().write(pair.buffer.slice(0, 8), pair.peerBuffer.remoteMemory(), SIGNALED);
            PreparedReceive receive = pair.pair.prepareReceive(pair.buffer.slice(0, 8));
            pair.pair.modify(attributes -> attributes.state(QueuePairState.RESET));
            assertThatThrownBy(write::tryPost)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its state is RESET, and sends can be posted from RTS on");
            assertThatThrownBy(receive::tryPost)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its state is RESET, and receives can be posted from INIT on");
        }
    }

    private static void assertLacks(ThrowingCallable setter, String message) {
        assertThatThrownBy(setter)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(message);
    }

    // Lifetimes.

    @ParameterizedTest
    @EnumSource
    void useAfterCloseIsAnException(Way way) {
        try (PostingPair pair = connected(way)) {
            RemoteMemory remote = pair.peerBuffer.remoteMemory();
            MemoryRegion region = pair.domain.allocateMemory(64, LOCAL_WRITE);
            List<PreparedRequest> ofRegion = List.of(
                    pair.pair.prepare().write(region.slice(), remote, SIGNALED),
                    pair.pair.prepare().write(region.slice(), remote, SIGNALED | INLINE));
            PreparedReceive receiveOfRegion = pair.pair.prepareReceive(region.slice());
            RequestPreparation preparation = pair.pair.prepare();
            region.close();
            for (PreparedRequest request : ofRegion) {
                assertClosed(request::tryPost, "memory region");
                assertClosed(() -> request.local(8, 8).tryPost(1), "memory region");
            }
            assertClosed(receiveOfRegion::tryPost, "memory region");
            assertClosed(() -> preparation.send(region.slice(), NONE), "memory region");

            PreparedRequest write = preparation.write(pair.buffer.slice(0, 8), remote, SIGNALED);
            PreparedReceive receive = pair.pair.prepareReceive(pair.buffer.slice(0, 8));
            pair.pair.close();
            assertClosed(write::tryPost, "queue pair");
            assertClosed(() -> write.remote(8).tryPost(1), "queue pair");
            assertClosed(receive::tryPost, "queue pair");
            assertClosed(pair.pair::prepare, "queue pair");
            assertClosed(() -> pair.pair.prepareReceive(pair.buffer.slice(0, 8)), "queue pair");
            assertClosed(() -> preparation.send(pair.buffer.slice(0, 8), NONE), "queue pair");
            assertThat(pair.queue.poll(pair.completions)).isZero();
        }
    }

    @Test
    void closingTheArenaOfTheMemoryClosesThemToo() {
        try (PostingPair pair = connected(Way.BASIC)) {
            for (int flags : new int[] {SIGNALED, SIGNALED | INLINE}) {
                Arena arena = Arena.ofShared();
                MemoryRegion region = pair.domain.registerMemory(arena.allocate(64), LOCAL_WRITE);
                PreparedRequest send = pair.pair.prepare().send(region.slice(), flags);
                PreparedReceive receive = pair.pair.prepareReceive(region.slice());
                arena.close();
                assertClosed(send::tryPost, "as is the arena of its memory");
                assertClosed(receive::tryPost, "as is the arena of its memory");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void addressHandleThatWasClosedIsAnExceptionAndNothingIsPosted(Way way) {
        try (PostingPair pair = datagrams(way)) {
            PreparedRequest send = pair.pair.prepare().to(pair.toPeer).send(pair.buffer.slice(0, 8), SIGNALED);
            assertThat(send.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
            pair.toPeer.addressHandle().close();
            assertClosed(send::tryPost, "address handle");
            assertThat(pair.queue.poll(pair.completions)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingRacesPosting(Way way) throws InterruptedException {
        for (int round = 0; round < 12; round++) {
            try (PostingPair race = datagrams(way)) {
                PreparedRequest send = race.pair.prepare().to(race.toPeer).send(race.buffer.slice(0, 8), SIGNALED);
                AtomicReference<Throwable> ended = new AtomicReference<>();
                Thread poster = new Thread(() -> {
                    try {
                        while (true) {
                            send.tryPost(1);
                            race.queue.poll(race.completions);
                        }
                    } catch (Throwable e) {
                        ended.set(e);
                    }
                });
                poster.start();
                Thread.sleep(round);
                Resource closed = switch (round % 3) {
                    case 0 -> race.pair;
                    case 1 -> race.toPeer.addressHandle();
                    default -> race.buffer;
                };
                closed.close();
                assertThat(poster.join(Duration.ofMinutes(2))).isTrue();
                assertThat(ended.get())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is closed");
            }
        }
    }

    @Test
    void inlineDataOfAnotherThreadsArenaIsRefused() throws InterruptedException {
        try (PostingPair pair = connected(Way.BASIC);
                Arena arena = Arena.ofConfined()) {
            MemoryRegion region = pair.domain.registerMemory(arena.allocate(64), LOCAL_WRITE);
            PreparedRequest write =
                    pair.pair.prepare().write(region.slice(0, 8), pair.peerBuffer.remoteMemory(), SIGNALED | INLINE);
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread other = Thread.ofPlatform()
                    .uncaughtExceptionHandler((t, e) -> thrown.set(e))
                    .start(write::tryPost);
            other.join();
            assertThat(thrown.get()).isInstanceOf(WrongThreadException.class);
            // The guard was left.
            assertThat(write.tryPost(1)).isTrue();
            assertDone(pair.await(), 1);
        }
    }

    /** With {@value Checks#PROPERTY}{@code =false}: what would crash or be undefined is refused all the same. */
    static final class WithoutChecks {
        private WithoutChecks() {}

        public static void main(String[] arguments) {
            try (PostingPair pair = connected(Way.BASIC);
                    PostingPair datagrams = datagrams(Way.BASIC)) {
                assertThat(Checks.ENABLED).isFalse();
                RemoteMemory remote = pair.peerBuffer.remoteMemory();
                MemorySlice ring = pair.buffer.slice(0, 4096);
                PreparedRequest inline = pair.pair.prepare().length(8).write(ring, remote, SIGNALED | INLINE);
                assertRefused(() -> inline.local(0, 65), "65 bytes inline");
                assertRefused(() -> inline.local(0, -1), "-1 bytes inline");
                assertRefused(() -> pair.pair.prepare().write(ring, remote, INLINE), "4096 bytes inline");
                assertThatThrownBy(() -> inline.local(1 << 20, 8).tryPost(1))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                word(pair.buffer, 1, 5);
                assertThat(inline.local(8).remote(16).tryPost(2)).isTrue();
                assertDone(pair.await(), 2);
                assertThat(word(pair.peerBuffer, 2)).isEqualTo(5);
                RequestPreparation datagram = datagrams.pair.prepare().to(datagrams.toPeer);
                assertRefused(() -> datagram.write(ring, remote, NONE), "a queue pair of type UD has no RDMA write");
                assertLacks(
                        () -> datagram.send(datagrams.buffer.slice(0, 8), NONE).remote(0),
                        "a send has no memory of the peer");
                PreparedRequest write = pair.pair.prepare().length(8).write(ring, remote, SIGNALED);
                // Here the adapter is the one that refuses.
                assertThat(write.local(1 << 20).tryPost(3)).isTrue();
                WorkCompletionStatus refused = pair.await().status();
                // Newer SoftRoCE may flush the request before it reports the error, as Linux 6.12.117 did.
                if (refused != WorkCompletionStatus.WR_FLUSH_ERR || !KernelVersion.isAtLeast(6, 12)) {
                    assertThat(refused).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
                }
                pair.buffer.close();
                assertClosed(write::tryPost, "memory region");
                assertClosed(inline::tryPost, "memory region");
            }
        }
    }

    @Test
    void withoutChecksTheAdapterRefusesAndNothingCrashes() throws Exception {
        ChildJvm.run(WithoutChecks.class, "-D" + Checks.PROPERTY + "=false");
    }
}
