// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.function.Consumer;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;

/** The storage for the value of an option: at first it has the default. */
final class FieldBinding<T> implements IGetter, ISetter {
    private final Consumer<T> field;
    private Object value;

    FieldBinding(Consumer<T> field) {
        this.field = field;
    }

    @Override
    @SuppressWarnings("unchecked") // Picocli's signature: it asks for no type.
    public <V> V get() {
        return (V) value;
    }

    @Override
    @SuppressWarnings("unchecked") // What comes has been converted to the option's type.
    public <V> V set(V next) {
        V former = get();
        value = next;
        field.accept((T) next);
        return former;
    }
}
