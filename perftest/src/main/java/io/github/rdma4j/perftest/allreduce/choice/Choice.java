// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce.choice;

/**
 * What NCCL chose of one thing, beside what was predicted.
 *
 * @param subject of what
 * @param chosen as NCCL says it
 * @param predicted by doctor --gpu; empty where it predicts nothing
 * @param verdict how the two compare
 * @param remark what a difference means, and what can be done; may be empty
 */
public record Choice(String subject, String chosen, String predicted, Verdict verdict, String remark) {
    /** How a choice compares with its prediction. */
    public enum Verdict {
        /** As it was predicted. */
        AS_PREDICTED("as predicted"),
        /** Otherwise. */
        DIFFERS("differs"),
        /** Nothing was predicted. */
        NOT_PREDICTED("not predicted");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        /** In pages and documents. */
        public String words() {
            return words;
        }
    }

    static Choice unpredicted(String subject, String chosen) {
        return new Choice(subject, chosen, "", Verdict.NOT_PREDICTED, "");
    }

    static Choice compared(String subject, String chosen, String predicted, boolean same, String remark) {
        return new Choice(
                subject, chosen, predicted, same ? Verdict.AS_PREDICTED : Verdict.DIFFERS, same ? "" : remark);
    }
}
