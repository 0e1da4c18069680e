// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeObject;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * A resource that another package of this library defines, such as a flow rule. It is closed with its parents, like
 * every resource. Programs cannot extend it: the constructor takes a type that this module does not export.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public abstract class AttachedResource extends Resource {
    private final NativeObject object;

    /**
     * Creates the native object. Called within {@link #createOn}, which keeps the parents open.
     *
     * @param creation calls the verb that creates it
     * @param parents the resources that must stay open as long as this one
     */
    @SuppressWarnings("exports")
    protected AttachedResource(Supplier<NativeObject> creation, Resource... parents) {
        super(parents);
        this.object = creation.get();
    }

    /**
     * Creates a resource while none of its parents can be closed.
     *
     * @param parent one of its parents
     * @param creation calls the constructor
     * @param <T> the resource
     * @return the resource
     * @throws IllegalStateException if the parent is closed
     */
    protected static <T extends AttachedResource> T createOn(Resource parent, Supplier<T> creation) {
        return parent.createChild(creation);
    }

    /**
     * Runs a native call while this resource cannot be closed.
     *
     * @param call makes the call
     * @throws IllegalStateException if this resource is closed
     */
    protected final void whileOpen(Runnable call) {
        whileOpen(() -> {
            call.run();
            return null;
        });
    }

    /**
     * Runs a native call with a result while this resource cannot be closed.
     *
     * @param call makes the call
     * @param <T> the result
     * @return the result
     * @throws IllegalStateException if this resource is closed
     */
    protected final <T> T whileOpen(Supplier<T> call) {
        return locked(call);
    }

    /**
     * Returns whether two resources belong to the same device context.
     *
     * @param one a resource
     * @param other another one
     * @return whether they do, and can depend on each other
     */
    protected static boolean areOfOneDeviceContext(Resource one, Resource other) {
        return one.isInTreeOf(other);
    }

    /** {@return the native object; the caller makes sure that it is not closed meanwhile} */
    protected final MemorySegment segment() {
        return object.segment();
    }

    @Override
    public final long handle() {
        requireOpen();
        return object.segment().address();
    }

    @Override
    final void release() {
        Failures.check(object.destruction(), object.destroy().getAsInt());
    }
}
