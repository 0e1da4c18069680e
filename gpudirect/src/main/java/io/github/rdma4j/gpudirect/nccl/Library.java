// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.gpudirect.nccl.internal.NcclCalls;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;

/** The library of a communicator: its functions, its version, and the exceptions for its results. */
record Library(NcclCalls calls, NcclVersion version) {
    /** Returns the selected library. */
    static Library current() {
        NcclCalls calls = NcclCalls.require();
        return new Library(calls, NcclVersion.ofCode(calls.version()));
    }

    boolean has(NcclFunction function) {
        return calls.has(function);
    }

    /** Throws if the library is too old for a function. */
    void require(NcclFunction function) {
        if (!calls.has(function)) {
            throw tooOld(function.symbol(), NcclVersion.ofCode(function.since()));
        }
    }

    /** Throws if the library is older than a feature requires. */
    void require(NcclVersion wanted, String thing) {
        if (!version.isAtLeast(wanted)) {
            throw tooOld(thing, wanted);
        }
    }

    private UnsupportedOperationException tooOld(String thing, NcclVersion wanted) {
        return new UnsupportedOperationException(
                "%s needs NCCL %s, and %s is %s. Install a newer NCCL".formatted(thing, wanted, calls.file(), version));
    }

    void check(int result, String call, long communicator) {
        if (result != NcclStatus.SUCCESS.number()) {
            throw failure(result, call, communicator);
        }
    }

    /** Throws if a call has failed. The text of the call is composed only then. */
    void check(int result, Step.Call call, long communicator) {
        if (result != NcclStatus.SUCCESS.number()) {
            throw failure(result, call.words(), communicator);
        }
    }

    NcclException failure(int result, String call, long communicator) {
        String message = calls.lastError(communicator);
        return new NcclException(call, result, message.isEmpty() ? calls.errorString(result) : message);
    }
}
