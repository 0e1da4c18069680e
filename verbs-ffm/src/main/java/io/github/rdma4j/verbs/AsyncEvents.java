// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.bindings.ibv_async_event;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.internal.CompletionCalls;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
import io.github.rdma4j.verbs.internal.events.DeviceEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads, translates and acknowledges the asynchronous events of a device context. Each event is acknowledged at once,
 * so that no destroy waits for it.
 */
final class AsyncEvents {
    private static final long ELEMENT = ibv_async_event.element$offset();

    private final DeviceContext context;
    private final MemorySegment nativeContext;
    private final int descriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    /** Set by the first use: until then, a context that another library owns is left unchanged. */
    private volatile boolean nonBlocking;

    AsyncEvents(DeviceContext context, MemorySegment nativeContext) {
        this.context = context;
        this.nativeContext = nativeContext;
        this.descriptor = ibv_context.async_fd(nativeContext);
        this.waiter = new ReadinessWaiter(descriptor);
    }

    Optional<AsyncEvent> next(Duration timeout) {
        return Optional.ofNullable(waiter.await(
                () -> "an asynchronous event of " + context, timeout, this::take, context::closedException));
    }

    private AsyncEvent take() {
        if (!guard.enter()) {
            throw context.closedException();
        }
        try (Arena arena = Arena.ofConfined()) {
            if (!nonBlocking) {
                FileDescriptors.setNonBlocking(descriptor);
                nonBlocking = true;
            }
            MemorySegment event = ibv_async_event.allocate(arena);
            int errno = CompletionCalls.getAsyncEvent(nativeContext, event);
            if (errno != 0) {
                if (FileDescriptors.isNothingYet(errno)) {
                    return null;
                }
                throw Failures.of("ibv_get_async_event(" + context.device().name() + ")", errno);
            }
            // Before the acknowledgement: until then the object cannot be destroyed, so its address still refers to it.
            AsyncEvent result = translate(event);
            ExportedVerb.ACK_ASYNC_EVENT.call(event);
            if (Recorder.isThere()) {
                DeviceEvent.taken(context.device().name(), result);
            }
            return result;
        } finally {
            guard.exit();
        }
    }

    private AsyncEvent translate(MemorySegment event) {
        int code = ibv_async_event.event_type(event);
        AsyncEventType type = AsyncEventType.ofCode(code);
        long address = event.get(ValueLayout.JAVA_LONG, ELEMENT);
        Optional<? extends Resource> resource = switch (type.subject()) {
            case COMPLETION_QUEUE, QUEUE_PAIR, SHARED_RECEIVE_QUEUE, WORK_QUEUE ->
                context.find(address, Resource.class);
            case PORT, DEVICE -> Optional.empty();
        };
        OptionalInt port = type.subject() == AsyncEventType.Subject.PORT
                ? OptionalInt.of(event.get(ValueLayout.JAVA_INT, ELEMENT))
                : OptionalInt.empty();
        return new AsyncEvent(type, code, resource.map(Resource.class::cast), port);
    }

    /** Ends all waits, before the context is closed. */
    void close() {
        waiter.close();
        guard.close();
    }

    /** Allows waits again, after the device has refused to close. */
    void reopen() {
        guard.reopen();
        waiter.reopen();
    }
}
