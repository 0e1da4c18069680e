// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

/**
 * What NCCL chose of one thing, beside what doctor --gpu predicted.
 *
 * @param ranks that say so
 * @param subject of what
 * @param chosen as NCCL says it
 * @param predicted empty where nothing was
 * @param verdict how the two compare
 * @param remark what a difference means; may be empty
 */
record Choice(String ranks, String subject, String chosen, String predicted, String verdict, String remark) {
    /** Of a document. */
    static Choice of(JsonObject object) {
        return new Choice(
                text(object, "ranks"),
                text(object, "subject"),
                text(object, "chosen"),
                text(object, "predicted"),
                text(object, "verdict"),
                text(object, "remark"));
    }

    private static String text(JsonObject object, String key) {
        String text = object.text(key);
        return text == null ? "" : text;
    }
}
