// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

/**
 * When messages were posted and completed, one entry per group of messages that share a completion, and the best rate
 * that follows from it.
 *
 * <p>The C tools record a time per message. This class records one per group, so that the loop stays short. A peak
 * therefore starts at the post of a group's first message and ends at a poll. With one completion per message (-Q 1, or
 * messages above 8 KiB), this equals the C tools' definition.
 *
 * <p>Preallocated; nothing is allocated while a run writes into it. Used by one thread.
 */
public final class GroupTimes {
    /** More groups than this are not recorded, and no peak is reported then. */
    public static final int MOST_GROUPS = 1 << 20;

    private final long[] postTimes;
    private final long[] postedBefore;
    private final long[] completionTimes;
    private final long[] completed;
    private int posts;
    private int completions;

    /**
     * @param groups most groups of a run; 0 to record nothing
     */
    public GroupTimes(int groups) {
        postTimes = new long[groups];
        postedBefore = new long[groups];
        completionTimes = new long[groups];
        completed = new long[groups];
    }

    void clear() {
        posts = 0;
        completions = 0;
    }

    /** Returns whether anything is recorded. */
    boolean recording() {
        return postTimes.length > 0;
    }

    /** Called right before a group's first message is posted. */
    void posted(long time, long messagesBefore) {
        if (posts < postTimes.length) {
            postTimes[posts] = time;
            postedBefore[posts++] = messagesBefore;
        }
    }

    /** One or more completions were seen. */
    void completed(long time, long messagesSoFar) {
        if (completions < completionTimes.length) {
            completionTimes[completions] = time;
            completed[completions++] = messagesSoFar;
        }
    }

    /**
     * The best rate in messages per nanosecond, 0 when nothing was recorded.
     *
     * <p>Of all pairs of a post p and a later completion c this is the largest (messages completed by c − messages
     * posted before p) / (time of c − time of p). Seen as points in a plane of time and messages, the best post for a
     * given completion is a corner of the lower convex hull of the posts before it, so a stack of these corners
     * and a binary search replace the comparison of every pair.
     */
    public double peak() {
        int[] hull = new int[posts];
        int corners = 0;
        int next = 0;
        double best = 0;
        for (int c = 0; c < completions; c++) {
            while (next < posts && postedBefore[next] < completed[c] && postTimes[next] < completionTimes[c]) {
                while (corners >= 2 && !isCorner(hull[corners - 2], hull[corners - 1], next)) {
                    corners--;
                }
                hull[corners++] = next++;
            }
            int low = 0;
            int high = corners - 1;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (rate(hull[middle], c) < rate(hull[middle + 1], c)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (corners > 0) {
                best = Math.max(best, rate(hull[low], c));
            }
        }
        return best;
    }

    private double rate(int post, int completion) {
        return (double) (completed[completion] - postedBefore[post]) / (completionTimes[completion] - postTimes[post]);
    }

    /** Returns whether b is below the line from a to c. */
    private boolean isCorner(int a, int b, int c) {
        return (double) (postedBefore[b] - postedBefore[a]) * (postTimes[c] - postTimes[a])
                < (double) (postedBefore[c] - postedBefore[a]) * (postTimes[b] - postTimes[a]);
    }
}
