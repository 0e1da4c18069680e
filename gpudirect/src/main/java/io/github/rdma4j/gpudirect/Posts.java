// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.util.Arrays;
import java.util.List;

/**
 * What the adapter has been given of one queue, found again by the number that comes back in the completion. For one
 * thread at a time.
 */
final class Posts {
    /** A work request under way. */
    static final class Post {
        private final int index;
        Transfer transfer;
        SlotRing.Slot slot;
        long chunk;
        int bytes;

        private Post(int index) {
            this.index = index;
        }

        int index() {
            return index;
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
    Post take(Transfer transfer, SlotRing.Slot slot, long chunk, int bytes) {
        Post post = free[--freeCount];
        post.transfer = transfer;
        post.slot = slot;
        post.chunk = chunk;
        post.bytes = bytes;
        return post;
    }

    Post get(int index) {
        return all[index];
    }

    /** Those under way. */
    List<Post> underWay() {
        return Arrays.stream(all).filter(post -> post.transfer != null).toList();
    }

    void release(Post post) {
        post.transfer = null;
        post.slot = null;
        free[freeCount++] = post;
    }
}
