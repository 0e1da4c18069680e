// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Arrays;
import java.util.List;

/**
 * The requests of one queue that the adapter holds, by the number that comes back in the completion. For one thread at
 * a time.
 */
final class Posts {
    /** A work request under way. */
    static final class Post {
        private final int index;
        Job job;
        /** Null if the bytes are not staged, or if there are none. */
        Slots.Slot slot;

        long chunk;
        /** What is posted has no memory: of a message that was given up. */
        boolean empty;

        private Post(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }

        /** The bytes that it has room for, or carries. */
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

    boolean hasRoom() {
        return freeCount > 0;
    }

    boolean isEmpty() {
        return freeCount == all.length;
    }

    /** Takes a place. */
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

    /** Those under way. */
    List<Post> underWay() {
        return Arrays.stream(all).filter(post -> post.job != null).toList();
    }

    void release(Post post) {
        post.job = null;
        post.slot = null;
        free[freeCount++] = post;
    }
}
