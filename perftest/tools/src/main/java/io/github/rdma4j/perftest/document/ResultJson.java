// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.Spread;
import io.github.rdma4j.perftest.result.BandwidthResult;
import io.github.rdma4j.perftest.result.LatencyResult;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Writes the result of one size as a JSON object: a "result" of docs/results.md. */
public final class ResultJson {
    private static final MathContext SIX_DIGITS = new MathContext(6);

    private ResultJson() {}

    /**
     * Writes the result, where a value is expected.
     *
     * @param seen the observation of the machine during the run; null for none
     */
    static void write(JsonGenerator json, SizeResult result, Observation seen) throws IOException {
        json.writeStartObject();
        json.writeNumberField("size", result.size());
        json.writeNumberField("iterations", result.iterations());
        switch (result) {
            case LatencyResult r -> {
                writeLatency(json, r.latency(), r.pace());
                writeRounds(json, r.rounds());
            }
            case TimedLatencyResult r -> {
                number(json, "transactions_per_second", r.transactionsPerSecond());
                writeLatency(json, r.latency(), r.pace());
            }
            case BandwidthResult r -> writeBandwidth(json, r);
        }
        if (seen != null) {
            writeObservation(json, seen);
        }
        json.writeEndObject();
    }

    private static void writeObservation(JsonGenerator json, Observation seen) throws IOException {
        if (!Double.isNaN(seen.cpuUtilisation())) {
            json.writeObjectFieldStart("cpu");
            number(json, "utilisation", seen.cpuUtilisation() / 100);
            json.writeEndObject();
        }
        if (!seen.counters().isEmpty()) {
            json.writeObjectFieldStart("counters");
            for (Map.Entry<String, Long> counter : seen.counters().entrySet()) {
                json.writeNumberField(counter.getKey(), counter.getValue());
            }
            json.writeEndObject();
        }
    }

    /**
     * Writes all samples of a latency, as a field.
     *
     * @param pace of an open loop; null for a closed one
     */
    public static void writeLatency(JsonGenerator json, LatencyFigures figures, Pace pace) throws IOException {
        json.writeObjectFieldStart("latency");
        json.writeStringField("unit", "usec");
        json.writeNumberField("samples", figures.samples());
        number(json, "min", figures.minimum());
        number(json, "max", figures.maximum());
        number(json, "mean", figures.mean());
        number(json, "stdev", figures.deviation());
        json.writeObjectFieldStart("percentiles");
        for (double percent : LatencyFigures.PERCENTILES) {
            number(json, LatencyFigures.name(percent), figures.percentile(percent));
        }
        json.writeEndObject();
        json.writeObjectFieldStart("samples_beyond");
        for (double percent : LatencyFigures.PERCENTILES) {
            json.writeNumberField(LatencyFigures.name(percent), figures.beyond(percent));
        }
        json.writeEndObject();
        json.writeStringField("loop", pace == null ? "closed" : "open");
        if (pace != null) {
            number(json, "rate", pace.asked());
            number(json, "rate_reached", pace.reached() == 0 ? Double.NaN : pace.reached());
        }
        json.writeStringField("histogram", HistogramFiles.encode(figures.histogram()));
        json.writeEndObject();
    }

    private static void writeRounds(JsonGenerator json, List<LatencyFigures> rounds) throws IOException {
        if (rounds.size() < 2) {
            return;
        }
        json.writeArrayFieldStart("rounds");
        for (LatencyFigures round : rounds) {
            json.writeStartObject();
            json.writeNumberField("samples", round.samples());
            number(json, "min", round.minimum());
            number(json, "max", round.maximum());
            number(json, "median", round.median());
            number(json, "mean", round.mean());
            number(json, "stdev", round.deviation());
            number(json, "p99", round.percentile(99));
            number(json, "p99.9", round.percentile(99.9));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("spread");
        spread(json, "median", rounds, LatencyFigures::median);
        spread(json, "mean", rounds, LatencyFigures::mean);
        spread(json, "p99", rounds, round -> round.percentile(99));
        spread(json, "max", rounds, LatencyFigures::maximum);
        json.writeEndObject();
    }

    private static void writeBandwidth(JsonGenerator json, BandwidthResult result) throws IOException {
        json.writeObjectFieldStart("bandwidth");
        json.writeStringField("unit", BandwidthResult.unit(result.gigabits()));
        writeFigures(json, result);
        json.writeEndObject();
        if (result.local() != null) {
            json.writeObjectFieldStart("local");
            writeFigures(json, result.local());
            json.writeEndObject();
            json.writeObjectFieldStart("remote");
            writeFigures(json, result.remote());
            json.writeEndObject();
        }
        if (result.rounds().size() < 2) {
            return;
        }
        json.writeArrayFieldStart("rounds");
        for (BandwidthResult round : result.rounds()) {
            json.writeStartObject();
            json.writeNumberField("iterations", round.iterations());
            writeFigures(json, round);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("spread");
        spread(json, "average", result.rounds(), BandwidthResult::average);
        spread(json, "message_rate", result.rounds(), BandwidthResult::messageRate);
        json.writeEndObject();
    }

    private static void writeFigures(JsonGenerator json, BandwidthResult result) throws IOException {
        number(json, "peak", result.peak());
        number(json, "average", result.average());
        number(json, "message_rate", result.messageRate());
    }

    /** Writes the spread of a figure, as a field. */
    public static void spread(JsonGenerator json, String key, Spread spread) throws IOException {
        json.writeObjectFieldStart(key);
        number(json, "min", spread.minimum());
        number(json, "median", spread.median());
        number(json, "max", spread.maximum());
        json.writeEndObject();
    }

    private static <T> void spread(JsonGenerator json, String key, List<T> rounds, ToDoubleFunction<T> figure)
            throws IOException {
        spread(json, key, Spread.of(rounds.stream().mapToDouble(figure).toArray()));
    }

    /**
     * Writes a number with six decimals, and with six digits below one. JSON has no infinity and no NaN, so a value
     * that could not be computed is null.
     */
    public static void number(JsonGenerator json, String key, double value) throws IOException {
        if (Double.isFinite(value)) {
            json.writeNumberField(key, rounded(value));
        } else {
            json.writeNullField(key);
        }
    }

    static double rounded(double value) {
        return Math.abs(value) < 1
                ? new BigDecimal(value).round(SIX_DIGITS).doubleValue()
                : Math.round(value * 1e6) / 1e6;
    }
}
