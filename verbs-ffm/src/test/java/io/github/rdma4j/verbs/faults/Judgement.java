// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks that the exception for a failed call names the call, the cause and a remedy. */
final class Judgement {
    private static final String VERBS_EXCEPTION = "io.github.rdma4j.verbs.VerbsException";
    /** Calls without which the library does what it was asked to do. */
    private static final Set<String> DISPENSABLE = Set.of("madvise", "close", "getsockname", "getpeername");
    /** Calls of a connection over TCP. The operation of their exception is what the program wanted of TCP. */
    static final Set<String> SOCKETS = Set.of(
            "socket", "bind", "listen", "accept4", "connect", "getsockopt", "setsockopt", "shutdown", "send", "recv");
    /** The kernel refuses only what is not in the set any more. */
    private static final String NOTHING_TO_REMOVE = "FileDescriptors.epollRemove:";
    /** The kernel refuses only to read what nobody has signalled. */
    private static final String NOTHING_TO_DRAIN = "FileDescriptors.drain:";
    /**
     * Methods that may fail silently. An abandoned connection has failed already, and its event reports that. A close
     * goes on without the close message and the disconnect that it could not send, and the peer notices the end of the
     * queue pair. Without a list of devices there is no EFA, and rdma_cm connects or reports why not.
     */
    private static final List<String> BEST_EFFORT =
            List.of("ManagedQueuePair.abandon:", "Protocol.postClose:", "CmLink.disconnect:", "ElasticFabric.devices:");
    /** For a polling call these mean that there is nothing yet. */
    private static final Set<Errnos> NOTHING_YET = Set.of(Errnos.EAGAIN, Errnos.EINTR);

    private Judgement() {}

    static List<String> of(Injection.Point point, Errnos errno, List<Throwable> failures) {
        String function = point.function();
        if (failures.isEmpty()) {
            boolean tolerated = DISPENSABLE.contains(function)
                    || point.path().getFirst().startsWith(NOTHING_TO_REMOVE)
                    || point.path().getFirst().startsWith(NOTHING_TO_DRAIN)
                    || point.path().stream()
                            .anyMatch(frame -> BEST_EFFORT.stream().anyMatch(frame::startsWith))
                    || Injection.LOOKING.contains(function) && NOTHING_YET.contains(errno);
            return tolerated ? List.of() : List.of("nothing was reported");
        }
        Throwable failure = failures.getFirst();
        if (failure instanceof Steps.AnswerException answered) {
            return answered.answer() == errno.number() ? List.of() : List.of("reported: " + failure.getMessage());
        }
        List<String> problems = new ArrayList<>();
        if (!isVerbsException(failure.getClass())) {
            return List.of("not an exception of the library: " + describe(failure));
        }
        String name = function.replaceFirst("^(.*\\.)?_?(ibv_)?", "").replace("_iova2", "");
        if (!names(failure, name) && !(SOCKETS.contains(function) && names(failure, "over TCP"))) {
            problems.add("the call is not named: " + describe(failure));
        }
        int cause = NativeFunction.hidesTheCause(function) ? 0 : errno.number();
        if (!ask(failure, "errno").equals(cause)) {
            problems.add("the cause is not named: " + describe(failure));
        }
        if (ask(failure, "remedy").toString().isEmpty()) {
            problems.add("no remedy: " + describe(failure));
        }
        return problems;
    }

    /** The library may wrap a failure: an exhausted pool has its own exception, with the failed call as its cause. */
    private static boolean names(Throwable failure, String call) {
        return isVerbsException(failure.getClass())
                        && ask(failure, "operation").toString().contains(call)
                || failure.getCause() != null && names(failure.getCause(), call);
    }

    private static boolean isVerbsException(Class<?> type) {
        return type != null && (type.getName().equals(VERBS_EXCEPTION) || isVerbsException(type.getSuperclass()));
    }

    private static Object ask(Throwable failure, String property) {
        try {
            return failure.getClass().getMethod(property).invoke(failure);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        for (Throwable suppressed : failure.getSuppressed()) {
            text.append(" [suppressed: ").append(suppressed).append(']');
        }
        if (!isVerbsException(failure.getClass())) {
            for (StackTraceElement frame : failure.getStackTrace()) {
                if (frame.getClassName().startsWith("io.github.rdma4j")) {
                    text.append(" at ").append(frame);
                    break;
                }
            }
        }
        return text.toString();
    }
}
