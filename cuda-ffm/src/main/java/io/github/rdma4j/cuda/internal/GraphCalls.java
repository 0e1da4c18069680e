// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuGraphAddBatchMemOpNode_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphAddChildGraphNode_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphCreate_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphDestroy_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphExecDestroy_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphInstantiateWithFlags_v11040;
import io.github.rdma4j.cuda.bindings.PFN_cuGraphLaunch_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamBeginCapture_v10010;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamEndCapture_v10000;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for graphs and captures. All return a CUresult. */
public final class GraphCalls {
    private static final MethodHandle BEGIN_CAPTURE =
            Driver.function("cuStreamBeginCapture", 10010, PFN_cuStreamBeginCapture_v10010.descriptor());
    private static final MethodHandle END_CAPTURE =
            Driver.function("cuStreamEndCapture", 10000, PFN_cuStreamEndCapture_v10000.descriptor());
    private static final MethodHandle CREATE =
            Driver.function("cuGraphCreate", 10000, PFN_cuGraphCreate_v10000.descriptor());
    private static final MethodHandle DESTROY =
            Driver.function("cuGraphDestroy", 10000, PFN_cuGraphDestroy_v10000.descriptor());
    private static final MethodHandle ADD_BATCH =
            Driver.function("cuGraphAddBatchMemOpNode", 11070, PFN_cuGraphAddBatchMemOpNode_v11070.descriptor());
    private static final MethodHandle ADD_CHILD =
            Driver.function("cuGraphAddChildGraphNode", 10000, PFN_cuGraphAddChildGraphNode_v10000.descriptor());
    private static final MethodHandle INSTANTIATE =
            Driver.function("cuGraphInstantiateWithFlags", 11040, PFN_cuGraphInstantiateWithFlags_v11040.descriptor());
    private static final MethodHandle LAUNCH =
            Driver.function("cuGraphLaunch", 10000, PFN_cuGraphLaunch_v10000.descriptor());
    private static final MethodHandle EXEC_DESTROY =
            Driver.function("cuGraphExecDestroy", 10000, PFN_cuGraphExecDestroy_v10000.descriptor());

    private GraphCalls() {}

    /** cuStreamBeginCapture: Begins to capture a stream's work into a graph. */
    public static int beginCapture(long stream, int mode) {
        try {
            return (int) BEGIN_CAPTURE.invokeExact(stream, mode);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamEndCapture: Ends the capture and returns the graph. */
    public static int endCapture(long stream, MemorySegment graph) {
        try {
            return (int) END_CAPTURE.invokeExact(stream, graph.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphCreate: An empty graph. */
    public static int create(MemorySegment graph, int flags) {
        try {
            return (int) CREATE.invokeExact(graph.address(), flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphDestroy: Destroys a graph, but not its executable graphs. */
    public static int destroy(long graph) {
        try {
            return (int) DESTROY.invokeExact(graph);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphAddBatchMemOpNode: Adds a batch of memory operations. */
    public static int addBatch(MemorySegment node, long graph, MemorySegment after, long count, MemorySegment batch) {
        try {
            return (int) ADD_BATCH.invokeExact(node.address(), graph, after.address(), count, batch.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphAddChildGraphNode: Adds another graph in its current state. */
    public static int addChild(MemorySegment node, long graph, MemorySegment after, long count, long child) {
        try {
            return (int) ADD_CHILD.invokeExact(node.address(), graph, after.address(), count, child);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphInstantiateWithFlags: Creates an executable graph. */
    public static int instantiate(MemorySegment executable, long graph, long flags) {
        try {
            return (int) INSTANTIATE.invokeExact(executable.address(), graph, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphLaunch: Submits the graph to a stream. */
    public static int launch(long executable, long stream) {
        try {
            return (int) LAUNCH.invokeExact(executable, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuGraphExecDestroy: Destroys it when its launches are done; does not wait. */
    public static int destroyExecutable(long executable) {
        try {
            return (int) EXEC_DESTROY.invokeExact(executable);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
