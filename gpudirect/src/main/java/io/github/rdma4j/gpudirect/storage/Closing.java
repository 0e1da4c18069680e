// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.ArrayList;
import java.util.List;

/** Closes several resources, each even if an earlier one fails. The first failure is thrown at the end. */
final class Closing {
    private final List<Throwable> failures = new ArrayList<>();

    void close(AutoCloseable resource) {
        if (resource != null) {
            run(resource::close);
        }
    }

    /** A step that may fail. */
    interface Step {
        void run() throws Exception;
    }

    void run(Step step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }

    void finish() {
        if (!failures.isEmpty()) {
            Throwable first = failures.removeFirst();
            failures.stream().filter(each -> each != first).forEach(first::addSuppressed);
            if (first instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) first;
        }
    }
}
