// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

/**
 * One of NCCL's choices, compared with the prediction.
 *
 * @param subject the subject of the choice
 * @param chosen the choice, as NCCL names it
 * @param predicted the prediction of doctor --gpu; empty if there is none
 * @param verdict the result of the comparison
 * @param remark what a difference means, and what to do about it; may be empty
 */
public record Choice(String subject, String chosen, String predicted, Verdict verdict, String remark) {
    /** The result of comparing a choice with its prediction. */
    public enum Verdict {
        /** The choice was predicted. */
        AS_PREDICTED("as predicted"),
        /** The choice differs from the prediction. */
        DIFFERS("differs"),
        /** There is no prediction. */
        NOT_PREDICTED("not predicted");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        /** Returns a description for pages and documents. */
        public String words() {
            return words;
        }
    }

    /** Returns a choice that has no prediction. */
    public static Choice unpredicted(String subject, String chosen) {
        return new Choice(subject, chosen, "", Verdict.NOT_PREDICTED, "");
    }

    /**
     * Returns a choice that has a prediction.
     *
     * @param same whether it was predicted
     * @param remark what a difference means
     */
    public static Choice compared(String subject, String chosen, String predicted, boolean same, String remark) {
        return new Choice(
                subject, chosen, predicted, same ? Verdict.AS_PREDICTED : Verdict.DIFFERS, same ? "" : remark);
    }
}
