// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * An application of Spark that sorts, groups and joins rows, also in SQL, and prints checksums of the results and how
 * many bytes were fetched: {@code RESULT sort=… groups=… join=… query=…} and {@code BYTES remote=… spilled=…}. It
 * prints {@code REDUCING} when a stage that fetches blocks begins. With the argument {@code stuck} it only distributes
 * the rows, and the first attempt of a task stops amid them.
 */
public final class ShuffleJobs {
    private ShuffleJobs() {}

    public static void main(String[] arguments) throws IOException {
        int rows = Integer.parseInt(arguments[0]);
        int length = Integer.parseInt(arguments[1]);
        int partitions = Integer.parseInt(arguments[2]);
        Counter counter = new Counter();
        try (SparkSession session = SparkSession.builder().getOrCreate()) {
            JavaSparkContext context = new JavaSparkContext(session.sparkContext());
            context.sc().addSparkListener(counter);
            JavaPairRDD<Long, byte[]> data = context.parallelize(
                            IntStream.range(0, partitions).boxed().toList(), partitions)
                    .flatMapToPair(part -> rows(part, rows / partitions, length));
            if (arguments.length > 3) {
                System.out.printf(
                        "RESULT rows=%x expected=%x%n",
                        distributed(data, partitions),
                        IntStream.range(0, partitions)
                                .mapToLong(part -> sum(rows(part, rows / partitions, length)))
                                .sum());
                return;
            }
            String sort = checksums(data.sortByKey(true, partitions)
                    .mapPartitions(part -> List.of(sorted(part)).iterator())
                    .collect());
            long groups = data.mapToPair(row -> new Tuple2<>(row._1 % 997, row._2))
                    .groupByKey(partitions)
                    .map(group -> group._1 * checksums(group._2))
                    .reduce(Long::sum);
            JavaPairRDD<Long, Long> squares = context.parallelize(
                            LongStream.range(0, 5000).boxed().toList(), partitions)
                    .mapToPair(number -> new Tuple2<>(number, number * number));
            long join = data.mapToPair(row -> new Tuple2<>(row._1 % 10_000, row._2))
                    .join(squares, partitions)
                    .map(pair -> pair._2._2 * checksum(pair._2._1))
                    .reduce(Long::sum);
            System.out.printf(
                    "RESULT sort=%s groups=%x join=%x query=%s%n",
                    sort, groups, join, query(session, rows, partitions));
        }
        System.out.printf("BYTES remote=%d spilled=%d%n", counter.remote.get(), counter.spilled.get());
    }

    private static long distributed(JavaPairRDD<Long, byte[]> data, int partitions) {
        return data.partitionBy(new HashPartitioner(partitions))
                .mapPartitions(part -> {
                    TaskContext task = TaskContext.get();
                    long first = sum(part.next());
                    if (task.partitionId() == 0 && task.attemptNumber() == 0) {
                        Thread.sleep(Long.MAX_VALUE);
                    }
                    return List.of(first + sum(part)).iterator();
                })
                .reduce(Long::sum);
    }

    /** Joins and groups on columns that are no partition's, without a broadcast. */
    private static String query(SparkSession session, int rows, int partitions) {
        session.conf().set("spark.sql.autoBroadcastJoinThreshold", -1);
        session.conf().set("spark.sql.shuffle.partitions", partitions);
        session.range(0, rows, 1, partitions)
                .selectExpr("id", "id * 7919 % " + rows + " as other", "repeat(sha2(string(id), 256), 2) as text")
                .createOrReplaceTempView("data");
        return session.sql("""
                select bucket, count(*), sum(code) from (
                    select a.id % 7 as bucket, hash(a.text, b.text) as code from data a join data b on a.id = b.other
                ) group by bucket order by bucket""").collectAsList().toString().replace(" ", "");
    }

    /** Rows of which each has another key, in an order that looks random. */
    private static Iterator<Tuple2<Long, byte[]>> rows(int part, int count, int length) {
        return IntStream.range(0, count)
                .mapToObj(number -> {
                    long key = mix((long) part * count + number) >>> 1;
                    byte[] value = new byte[length];
                    long word = key;
                    for (int i = 0; i < length; i++) {
                        if (i % 8 == 0) {
                            word = mix(word);
                        }
                        value[i] = (byte) (word >>> i % 8 * 8);
                    }
                    return new Tuple2<>(key, value);
                })
                .iterator();
    }

    /** Steele and others' SplitMix64, which maps each number to another one. */
    private static long mix(long number) {
        long mixed = number + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    private static long checksum(byte[] value) {
        CRC32C sum = new CRC32C();
        sum.update(value);
        return sum.getValue();
    }

    private static long checksums(Iterable<byte[]> values) {
        long sum = 0;
        for (byte[] value : values) {
            sum += checksum(value);
        }
        return sum;
    }

    private static long sum(Tuple2<Long, byte[]> row) {
        return row._1 ^ checksum(row._2);
    }

    private static long sum(Iterator<Tuple2<Long, byte[]>> part) {
        long sum = 0;
        while (part.hasNext()) {
            sum += sum(part.next());
        }
        return sum;
    }

    /** Checks the order of a sorted partition. Returns its checksum, which depends on the order. */
    private static long sorted(Iterator<Tuple2<Long, byte[]>> part) {
        long before = -1;
        long sum = 0;
        while (part.hasNext()) {
            Tuple2<Long, byte[]> row = part.next();
            if (row._1 <= before) {
                throw new IllegalStateException(row._1 + " after " + before);
            }
            before = row._1;
            sum = sum * 31 + row._1 + checksum(row._2);
        }
        return sum;
    }

    private static String checksums(List<Long> parts) {
        long sum = 0;
        for (long part : new ArrayList<>(parts)) {
            sum = sum * 31 + part;
        }
        return Long.toHexString(sum);
    }

    private static final class Counter extends SparkListener {
        final AtomicLong remote = new AtomicLong();
        final AtomicLong spilled = new AtomicLong();

        @Override
        public void onStageSubmitted(SparkListenerStageSubmitted stage) {
            if (stage.stageInfo().parentIds().nonEmpty()) {
                System.out.println("REDUCING");
            }
        }

        @Override
        public void onTaskEnd(SparkListenerTaskEnd task) {
            TaskMetrics metrics = task.taskMetrics();
            if (metrics != null) {
                remote.addAndGet(metrics.shuffleReadMetrics().remoteBytesRead());
                spilled.addAndGet(metrics.diskBytesSpilled());
            }
        }
    }
}
