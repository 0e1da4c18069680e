// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.Choice.Verdict;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A choice, and the ranks that report it.
 *
 * @param ranks as {@code 0-3, 6}
 * @param choice NCCL's choice there
 */
record RankChoice(String ranks, Choice choice) {
    private static final int MOST = 200;
    private static final int LONGEST = 500;

    /** Merges equal choices of several ranks. */
    static List<RankChoice> merge(List<List<Choice>> ofRanks) {
        Map<Choice, List<Integer>> ranks = new LinkedHashMap<>();
        for (int rank = 0; rank < ofRanks.size(); rank++) {
            for (Choice choice : ofRanks.get(rank)) {
                ranks.computeIfAbsent(choice, _ -> new ArrayList<>()).add(rank);
            }
        }
        List<RankChoice> merged = new ArrayList<>();
        ranks.forEach((choice, who) -> merged.add(new RankChoice(runs(who), choice)));
        return merged;
    }

    private static String runs(List<Integer> ranks) {
        List<String> runs = new ArrayList<>();
        for (int i = 0; i < ranks.size(); ) {
            int end = i;
            while (end + 1 < ranks.size() && ranks.get(end + 1) == ranks.get(end) + 1) {
                end++;
            }
            runs.add(i == end ? ranks.get(i).toString() : ranks.get(i) + "-" + ranks.get(end));
            i = end + 1;
        }
        return String.join(", ", runs);
    }

    /** Writes the choices for another rank. */
    static byte[] write(List<Choice> choices) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            List<Choice> some = choices.subList(0, Math.min(choices.size(), MOST));
            out.writeInt(some.size());
            for (Choice each : some) {
                out.writeUTF(cut(each.subject()));
                out.writeUTF(cut(each.chosen()));
                out.writeUTF(cut(each.predicted()));
                out.writeByte(each.verdict().ordinal());
                out.writeUTF(cut(each.remark()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
    }

    /**
     * Reads the choices of another rank.
     *
     * @throws UncheckedIOException if the bytes are invalid
     */
    static List<Choice> read(byte[] bytes) {
        List<Choice> choices = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int count = in.readInt();
            if (count < 0 || count > MOST) {
                throw new IOException(count + " choices");
            }
            for (int i = 0; i < count; i++) {
                String subject = in.readUTF();
                String chosen = in.readUTF();
                String predicted = in.readUTF();
                int verdict = in.readUnsignedByte();
                if (verdict >= Verdict.values().length) {
                    throw new IOException("verdict " + verdict);
                }
                choices.add(new Choice(subject, chosen, predicted, Verdict.values()[verdict], in.readUTF()));
            }
            return choices;
        } catch (IOException e) {
            throw new UncheckedIOException("a rank sent its choices in another format", e);
        }
    }
}
