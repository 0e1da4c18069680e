// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Arrays;
import java.util.List;

/**
 * The requests of one queue that the adapter holds, indexed by the number that the completion returns. For one thread
 * at a time.
 */
final class Posts {
    /** An outstanding work request. */
    static final class Post {
        private final int index;
        Job job;
        /** Null if the bytes are not staged, or if there are none. */
        Slots.Slot slot;

        long chunk;
        /** Whether the request has no memory, because its message was aborted. */
        boolean empty;

        private Post(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }

        /** Returns how many bytes the request sends or can receive. */
        int bytes() {
            return empty ? 0 : job.chunkLength(chunk);
        }
    }

    private final Post[] all;
    private final Post[] free;
    private int freeCount;

    Posts(int depth) {
        all = new Post[depth];
        free = new Post[depth];
        for (int i = depth - 1; i >= 0; i--) {
            all[i] = new Post(i);
            free[freeCount++] = all[i];
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    boolean isEmpty() {
        return freeCount == all.length;
    }

    /** Allocates a request. */
    Post take(Job job, Slots.Slot slot, long chunk, boolean empty) {
        Post post = free[--freeCount];
        post.job = job;
        post.slot = slot;
        post.chunk = chunk;
        post.empty = empty;
        return post;
    }

    Post get(int index) {
        return all[index];
    }

    /** Returns the outstanding requests. */
    List<Post> underWay() {
        return Arrays.stream(all).filter(post -> post.job != null).toList();
    }

    void release(Post post) {
        post.job = null;
        post.slot = null;
        free[freeCount++] = post;
    }
}
