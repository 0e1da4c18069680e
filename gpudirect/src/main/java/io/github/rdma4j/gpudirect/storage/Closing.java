// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.ArrayList;
import java.util.List;

/** Closes several resources, each even if an earlier one fails. The first failure is thrown at the end. */
final class Closing {
    private final List<RuntimeException> failures = new ArrayList<>();

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
        } catch (RuntimeException e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }

    void finish() {
        if (!failures.isEmpty()) {
            RuntimeException first = failures.removeFirst();
            failures.stream().filter(each -> each != first).forEach(first::addSuppressed);
            throw first;
        }
    }
}
