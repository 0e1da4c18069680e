/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: operations that are kept, and put into a stream at each launch. They are done in the order in which they were added
 * or captured, which is one of the orders that a GPU may choose; nothing of a graph runs side by side.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

/* Operations in their order. */
struct list {
    struct operation *all;
    size_t count, room;
};

struct CUgraph_st {
    struct list operations;
    /* While it is captured: its first stream, its thread, its mode, and whether a forbidden call has spoilt it. */
    CUstream origin;
    pthread_t thread;
    CUstreamCaptureMode mode;
    uint64_t capture;
    bool spoilt;
};

struct CUgraphNode_st {
    CUgraph graph;
};

struct CUgraphExec_st {
    struct list operations;
    struct progress *progress;
};

static uint64_t captures;
/* Under way, by all threads: none is looked for when there is none. */
static atomic_int capturing;

size_t standin_graph_object_size(enum kind kind) {
    return kind == GRAPH  ? sizeof(struct CUgraph_st)
           : kind == NODE ? sizeof(struct CUgraphNode_st)
                          : sizeof(struct CUgraphExec_st);
}

static bool append(struct list *list, const struct operation *operations, size_t count) {
    if (list->count + count > list->room) {
        size_t room = 2 * (list->count + count);
        struct operation *larger = realloc(list->all, room * sizeof *larger);
        if (larger == NULL)
            return false;
        list->all = larger;
        list->room = room;
    }
    if (count > 0)
        memcpy(list->all + list->count, operations, count * sizeof *operations);
    list->count += count;
    return true;
}

static CUgraph new_graph(void) {
    CUgraph graph = standin_new(GRAPH);
    if (graph != NULL)
        standin_counters.graphs++;
    return graph;
}

static void delete_graph(CUgraph graph) {
    for (CUgraphNode n = standin_next(NODE, NULL), next; n != NULL; n = next) {
        next = standin_next(NODE, n);
        if (n->graph == graph)
            standin_delete(NODE, n);
    }
    free(graph->operations.all);
    standin_delete(GRAPH, graph);
    standin_counters.graphs--;
}

/* ---- capture ---- */

CUresult standin_capture(CUgraph graph, const struct operation *operation) {
    if (graph->spoilt)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    return append(&graph->operations, operation, 1) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void standin_capture_too(CUstream stream, CUgraph graph) {
    if (stream->capture == NULL) {
        stream->capture = graph;
        stream->captured = 1;
        stream->joined = 0;
    }
}

uint64_t standin_capture_number(CUgraph graph) { return graph->capture; }

bool standin_is_captured(CUgraph graph, uint64_t capture) {
    return standin_is(GRAPH, graph) && graph->origin != NULL && graph->capture == capture;
}

/* What is not put into a stream, or waits, is no part of a capture: a driver forbids it meanwhile. */
static bool is_unsafe(enum function function) {
    switch (function) {
    case FN_cuMemAlloc_v2:
    case FN_cuMemFree_v2:
    case FN_cuMemAllocManaged:
    case FN_cuMemHostAlloc:
    case FN_cuMemFreeHost:
    case FN_cuCtxSynchronize:
    case FN_cuEventQuery:
    case FN_cuEventSynchronize:
    case FN_cuStreamQuery:
    case FN_cuStreamSynchronize:
    case FN_cuMemcpyHtoD_v2:
    case FN_cuMemcpyDtoH_v2:
    case FN_cuMemcpyDtoD_v2:
    case FN_cuMemcpyPeer:
    case FN_cuMemsetD8_v2:
    case FN_cuMemsetD32_v2: return true;
    default: return false;
    }
}

bool standin_spoils_capture(enum function function) {
    if (atomic_load(&capturing) == 0 || !is_unsafe(function))
        return false;
    LOCKED;
    bool spoils = false;
    for (CUgraph g = standin_next(GRAPH, NULL); g != NULL; g = standin_next(GRAPH, g)) {
        bool own = pthread_equal(g->thread, pthread_self());
        if (g->origin != NULL && (g->mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
                                  (own && g->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)))
            g->spoilt = spoils = true;
    }
    return spoils;
}

bool standin_spoils_own_capture(CUstream stream) {
    if (stream->capture != NULL)
        stream->capture->spoilt = true;
    return stream->capture != NULL;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    CALL(cuStreamBeginCapture_v2);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->null || stream->capture != NULL || (unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return stream->null ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_INVALID_VALUE;
    CUgraph graph = new_graph();
    if (graph == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    graph->origin = stream;
    graph->thread = pthread_self();
    graph->mode = mode;
    graph->capture = ++captures;
    stream->capture = graph;
    atomic_fetch_add(&capturing, 1);
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *result) {
    CALL(cuStreamEndCapture);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult bad = standin_stream(handle, context, &stream);
    if (bad != CUDA_SUCCESS)
        return bad;
    CUgraph graph = stream->capture;
    if (result == NULL || graph == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (graph->origin != stream)
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (graph->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(graph->thread, pthread_self()))
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    bool unjoined = false;
    for (CUstream s = standin_next(STREAM, NULL); s != NULL; s = standin_next(STREAM, s))
        if (s->capture == graph) {
            unjoined |= s != stream && s->joined < s->captured;
            s->capture = NULL;
        }
    graph->origin = NULL;
    atomic_fetch_sub(&capturing, 1);
    *result = NULL;
    if (graph->spoilt || unjoined) {
        bool spoilt = graph->spoilt;
        delete_graph(graph);
        return spoilt ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    *result = graph;
    return CUDA_SUCCESS;
}

/* ---- graphs that are put together ---- */

CUresult cuGraphCreate(CUgraph *result, unsigned int flags) {
    CALL(cuGraphCreate);
    if (result == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    *result = new_graph();
    return *result == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* Locked. A node is added after the nodes that it depends on. */
static CUresult add(CUgraphNode *result, CUgraph graph, const CUgraphNode *after, size_t count, const struct operation *operations,
                    size_t length) {
    if (!standin_is(GRAPH, graph) || graph->origin != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (result == NULL || (count > 0 && after == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!standin_is(NODE, after[i]) || after[i]->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode node = standin_new(NODE);
    if (node == NULL || !append(&graph->operations, operations, length)) {
        if (node != NULL)
            standin_delete(NODE, node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->graph = graph;
    *result = node;
    return CUDA_SUCCESS;
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *result, CUgraph graph, const CUgraphNode *after, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *batch) {
    CALL(cuGraphAddBatchMemOpNode);
    LOCKED;
    struct operation operations[MAX_BATCH];
    if (batch == NULL || !standin_is(CONTEXT, batch->ctx))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult bad = standin_batch(batch->paramArray, batch->count, batch->flags, batch->ctx->device, FN_cuGraphAddBatchMemOpNode,
                                 operations);
    return bad != CUDA_SUCCESS ? bad : add(result, graph, after, count, operations, batch->count);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *result, CUgraph graph, const CUgraphNode *after, size_t count, CUgraph child) {
    CALL(cuGraphAddChildGraphNode);
    LOCKED;
    if (!standin_is(GRAPH, child) || child == graph || child->origin != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return add(result, graph, after, count, child->operations.all, child->operations.count);
}

CUresult cuGraphDestroy(CUgraph graph) {
    CALL(cuGraphDestroy);
    LOCKED;
    if (!standin_is(GRAPH, graph) || graph->origin != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    delete_graph(graph);
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

/* Locked. */
static void leave(struct progress *progress) {
    if (--progress->users == 0)
        free(progress);
}

static CUresult await_turn(struct operation *o) {
    LOCKED;
    while (o->progress->done + 1 < o->value && !standin_gives_up(o))
        standin_wait();
    return CUDA_SUCCESS;
}

static CUresult end_launch(struct operation *o) {
    LOCKED;
    o->progress->done = o->value;
    leave(o->progress);
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *result, CUgraph graph, unsigned long long flags) {
    CALL(cuGraphInstantiateWithFlags);
    LOCKED;
    if (result == NULL || flags != 0 || !standin_is(GRAPH, graph) || graph->origin != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec executable = standin_new(EXECUTABLE);
    struct progress *progress = calloc(1, sizeof *progress);
    if (executable == NULL || progress == NULL ||
        !append(&executable->operations, graph->operations.all, graph->operations.count)) {
        if (executable != NULL)
            standin_delete(EXECUTABLE, executable);
        free(progress);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    progress->users = 1;
    executable->progress = progress;
    standin_counters.graphs++;
    *result = executable;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream handle) {
    CALL(cuGraphLaunch);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_is(EXECUTABLE, executable))
        return CUDA_ERROR_INVALID_VALUE;
    if (standin_spoils_own_capture(stream)) /* as driver 580 does */
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    struct progress *progress = executable->progress;
    struct operation turn = {.function = FN_cuGraphLaunch, .run = await_turn, .progress = progress, .value = progress->launched + 1};
    result = standin_enqueue(stream, &turn);
    if (result != CUDA_SUCCESS)
        return result;
    progress->launched++;
    progress->users++;
    for (size_t i = 0; i < executable->operations.count && result == CUDA_SUCCESS; i++)
        result = standin_enqueue(stream, &executable->operations.all[i]);
    turn.run = end_launch;
    CUresult last = standin_enqueue(stream, &turn);
    return result == CUDA_SUCCESS ? last : result;
}

/* Launches under way are done nevertheless. */
CUresult cuGraphExecDestroy(CUgraphExec executable) {
    CALL(cuGraphExecDestroy);
    LOCKED;
    if (!standin_is(EXECUTABLE, executable))
        return CUDA_ERROR_INVALID_VALUE;
    free(executable->operations.all);
    leave(executable->progress);
    standin_delete(EXECUTABLE, executable);
    standin_counters.graphs--;
    return CUDA_SUCCESS;
}

void standin_graphs_reset(void) {
    for (CUgraph g; (g = standin_next(GRAPH, NULL)) != NULL;)
        delete_graph(g);
    for (CUgraphExec e; (e = standin_next(EXECUTABLE, NULL)) != NULL;) {
        free(e->operations.all);
        leave(e->progress);
        standin_delete(EXECUTABLE, e);
    }
    atomic_store(&capturing, 0);
}
