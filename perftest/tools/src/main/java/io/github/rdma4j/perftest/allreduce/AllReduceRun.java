// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.gpudirect.nccl.Nccl;
import io.github.rdma4j.gpudirect.nccl.NcclCommunicator;
import io.github.rdma4j.gpudirect.nccl.NcclMode;
import io.github.rdma4j.gpudirect.nccl.NcclUnavailableException;
import io.github.rdma4j.gpudirect.nccl.NcclUniqueId;
import io.github.rdma4j.perftest.allreduce.choice.Choice;
import io.github.rdma4j.perftest.allreduce.choice.NcclLog;
import io.github.rdma4j.perftest.allreduce.choice.Prediction;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One rank, from its connection to the others until its report. */
final class AllReduceRun {
    private static final int POLL_MILLIS = 100;
    private static final int AFTER_ABORT_SECONDS = 5;
    private static final String NOT_READ = "NCCL's log is read at the end, which this run has not reached.";

    private final AllReduceOptions options;
    private final List<String> arguments;
    private final Class<?> main;
    private final Prediction prediction;
    private final Progress progress;
    private final Launch launch;
    private volatile StartedRanks others = StartedRanks.none();
    private volatile NcclCommunicator communicator;

    private final KeptReport<AllReduceReport> kept;
    /** A signal's thread reads it. */
    private final List<Timing> timings = Collections.synchronizedList(new ArrayList<>());

    private AllReduceRun(
            AllReduceOptions options,
            List<String> arguments,
            Class<?> main,
            Prediction prediction,
            KeptReport<AllReduceReport> kept) {
        this.kept = kept;
        this.options = options;
        this.arguments = arguments;
        this.main = main;
        this.prediction = prediction;
        this.launch = options.launch();
        this.progress = new Progress(options.timeout());
    }

    /**
     * Runs a rank, and starts other ranks if necessary.
     *
     * @param arguments the arguments of the command line, for the other ranks
     * @param main the main class of the processes that this one starts
     * @param prediction of NCCL's choices
     * @param kept keeps the results so far, for a signal or a failure
     */
    static AllReduceReport run(
            AllReduceOptions options,
            List<String> arguments,
            Class<?> main,
            Prediction prediction,
            KeptReport<AllReduceReport> kept) {
        return new AllReduceRun(options, arguments, main, prediction, kept).watched();
    }

    /** Runs in another thread, because a call of NCCL may wait forever for a failed rank. */
    private AllReduceReport watched() {
        FutureTask<AllReduceReport> task = new FutureTask<>(this::all);
        Thread.ofPlatform().daemon().name("rdma4j-nccl-rank").start(task);
        try {
            while (true) {
                try {
                    return task.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException _) {
                    others.requireAlive();
                    if (progress.isOverdue()) {
                        throw RunFailedException.ofLostPeer(
                                "rank %d: nothing has happened for %d s (%s)"
                                        .formatted(
                                                launch.rank(), options.timeout().toSeconds(), progress.doing()),
                                "see whether the other ranks are there and can be reached; where the operations of one"
                                        + " size take longer, give more time with -T");
                    }
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailedException("interrupted", "");
        } finally {
            if (!task.isDone()) {
                end(task);
            }
        }
    }

    /** Makes a thread that is blocked in NCCL return, so that it releases its resources. */
    private void end(FutureTask<?> task) {
        NcclCommunicator held = communicator;
        if (held == null) {
            // Only the end of the process ends ncclCommInitRank.
            return;
        }
        try {
            held.abort();
        } catch (RuntimeException _) {
            // The caller reports why the run was aborted, which matters more than this failure.
        }
        try {
            task.get(AFTER_ABORT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException _) {
            // The thread ends with the process.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private AllReduceReport all() {
        Instant started = Instant.now();
        // Open the log before NCCL's library is loaded.
        try (LogFile log = new LogFile(options.log())) {
            Nccl.unavailability().ifPresent(why -> {
                throw unavailable(why);
            });
            try (Meeting meeting = meeting();
                    CudaContext context = device().retainPrimaryContext()) {
                return measured(started, meeting, log, context);
            }
        } finally {
            // The meeting has ended: no other rank waits for this one any more.
            others.close();
        }
    }

    private static PerftestException unavailable(NcclUnavailableException why) {
        return new PerftestException(why.getMessage(), "");
    }

    private Meeting meeting() {
        if (launch.ranks() == 1) {
            return Meeting.alone();
        }
        String common = options.common();
        progress.step("waiting for the other ranks");
        if (launch.startsOthers()) {
            requireGpus();
            try (ServerSocket server = Meeting.listen(Meeting.here())) {
                String address = server.getInetAddress().getHostAddress() + ":" + server.getLocalPort();
                others = StartedRanks.start(main, arguments, options, launch.ranks(), address);
                return Meeting.host(server, launch.ranks(), common, options.timeout(), others::requireAlive);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        InetSocketAddress address = Meeting.address(launch.server().orElseThrow());
        if (launch.rank() > 0) {
            return Meeting.join(address, launch.rank(), launch.ranks(), common, options.timeout());
        }
        try (ServerSocket server = Meeting.listen(address)) {
            return Meeting.host(server, launch.ranks(), common, options.timeout(), () -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses too few GPUs once, before the process of each rank fails for the same reason. */
    private void requireGpus() {
        int there = Cuda.devices().size();
        int last = launch.ranks() - 1;
        if (options.gpuOf(last) >= there) {
            throw new PerftestException(
                    "rank %d has no GPU: it would be CUDA device %d, and this machine has %d"
                            .formatted(last, options.gpuOf(last), there),
                    "start no more ranks than GPUs; CUDA_VISIBLE_DEVICES may hide some");
        }
    }

    private CudaDevice device() {
        if (options.gpu().isPresent()) {
            return Cuda.device(options.gpu().get());
        }
        return Cuda.device(
                launch.localRank() >= 0
                        ? launch.localRank()
                        : launch.rank() % Math.max(1, Cuda.devices().size()));
    }

    private AllReduceReport measured(Instant started, Meeting meeting, LogFile log, CudaContext context) {
        progress.step("the id of rank 0");
        byte[] id = meeting.exchange(new byte[0], _ -> NcclUniqueId.create().bytes());
        progress.step("ncclCommInitRank");
        String library = "NCCL %s, %s".formatted(Nccl.version(), Nccl.library());
        Environment environment = Environment.ofMachine();
        List<Place> places = places(meeting, context.device());
        kept.begin(() -> timings.isEmpty()
                ? Optional.empty()
                : Optional.of(report(started, environment, library, places, List.of(), NOT_READ)));
        try (NcclCommunicator made = NcclCommunicator.init(
                context,
                launch.ranks(),
                launch.rank(),
                NcclUniqueId.of(id),
                config -> config.mode(NcclMode.BLOCKING).timeout(options.timeout()))) {
            communicator = made;
            try (RankLoop loop = new RankLoop(options, meeting, made, progress)) {
                loop.run(timings);
            }
            // A rank that leaves early would make the other ranks fail.
            meeting.barrier();
            progress.step("the end of the communicator");
        }
        progress.step("reading NCCL's log");
        NcclLog entries = log.read();
        List<Choice> mine = choices(entries, context.device());
        List<List<Choice>> all = new ArrayList<>();
        meeting.exchange(RankChoice.write(mine), received -> {
            received.forEach(each -> all.add(RankChoice.read(each)));
            return new byte[0];
        });
        return report(
                started, environment, library, places, RankChoice.merge(all), entries.isEmpty() ? log.whyEmpty() : "");
    }

    private AllReduceReport report(
            Instant started,
            Environment environment,
            String library,
            List<Place> places,
            List<RankChoice> choices,
            String logNote) {
        return new AllReduceReport(
                started,
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                environment,
                library,
                places,
                List.copyOf(timings),
                choices,
                logNote,
                RunState.COMPLETE,
                null);
    }

    private List<Choice> choices(NcclLog entries, CudaDevice device) {
        return entries.isEmpty() ? List.of() : prediction.compare(entries, device.ordinal());
    }

    private List<Place> places(Meeting meeting, CudaDevice device) {
        String mine = new Place(host(), ProcessHandle.current().pid(), device.toString()).write();
        String all = new String(
                meeting.exchange(
                        mine.getBytes(StandardCharsets.UTF_8),
                        received -> String.join(
                                        Place.SEPARATOR,
                                        received.stream()
                                                .map(each -> new String(each, StandardCharsets.UTF_8))
                                                .toList())
                                .getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8);
        return Place.read(all, launch.ranks());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException _) {
            return "a machine without a name";
        }
    }
}
