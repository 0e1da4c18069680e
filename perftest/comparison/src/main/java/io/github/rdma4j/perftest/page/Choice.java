// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

/**
 * One of NCCL's choices, compared with the prediction of doctor --gpu.
 *
 * @param ranks the ranks that report it
 * @param subject the subject of the choice
 * @param chosen the choice, as NCCL names it
 * @param predicted empty if there is no prediction
 * @param verdict the result of the comparison
 * @param remark what a difference means; may be empty
 */
record Choice(String ranks, String subject, String chosen, String predicted, String verdict, String remark) {
    /** Reads a choice from a document. */
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
