// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionDeactivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Clients of a server on another machine lose the path while commands are under way: one that reconnects, one that does
 * not, and an idle one. Prints what they notice, and when. Fails if a command has no end, or if the path is back and
 * commands do not work. docs/records/2026-11-30-valkey.md has the command.
 */
final class LostPathRun {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int SECONDS_WITHOUT_PATH = 20;

    private static final long START = System.nanoTime();

    private LostPathRun() {}

    /** @param arguments the server's address; commands that cut the path and restore it, or only the first one */
    public static void main(String[] arguments) throws Exception {
        RedisURI uri = RedisURI.create(arguments[0], ValkeyCommands.PORT);
        try (RedisClient client = client(uri, true);
                RedisClient strictClient = client(uri, false);
                RedisClient idleClient = client(uri, true)) {
            StatefulRedisConnection<String, String> connection = client.connect();
            StatefulRedisConnection<String, String> strict = strictClient.connect();
            StatefulRedisConnection<String, String> idle = idleClient.connect();
            watch("reconnecting", client);
            watch("strict", strictClient);
            watch("idle", idleClient);
            connection.sync().set("a", "0");
            strict.sync().set("b", "0");

            List<RedisFuture<Long>> replies = new ArrayList<>();
            List<RedisFuture<Long>> strictReplies = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                replies.add(connection.async().incr("a"));
                strictReplies.add(strict.async().incr("b"));
            }
            shell(arguments[1]);
            for (int i = 0; i < 100; i++) {
                replies.add(connection.async().incr("a"));
                strictReplies.add(strict.async().incr("b"));
            }
            await("strict", strictReplies);
            print("strict, a new command", strict.async().incr("b"));
            Thread.sleep(Duration.ofSeconds(SECONDS_WITHOUT_PATH));
            if (arguments.length > 2) {
                shell(arguments[2]);
            }
            await("reconnecting", replies);
            print("reconnecting, a new command", connection.async().get("a"));
            print("idle, a new command", idle.async().get("a"));
            long start = System.nanoTime();
            try (StatefulRedisConnection<String, String> fresh = strictClient.connect()) {
                print("a new connection", fresh.async().get("b"));
            } catch (RedisConnectionException e) {
                say("a new connection failed after %d s: %s"
                        .formatted(Duration.ofNanos(System.nanoTime() - start).toSeconds(), causes(e)));
            }
        }
        say("done");
        // Not by the end of other threads: one that hangs would stay unnoticed.
        System.exit(0);
    }

    private static RedisClient client(RedisURI uri, boolean reconnect) {
        RedisClient client = RdmaRedisClient.create(uri);
        client.setOptions(ClientOptions.builder().autoReconnect(reconnect).build());
        return client;
    }

    private static void watch(String name, RedisClient client) {
        client.getResources().eventBus().get().subscribe(event -> say(name + ": " + describe(event)));
    }

    private static String describe(Event event) {
        return switch (event) {
            case ReconnectFailedEvent failed ->
                "attempt " + failed.getAttempt() + " failed: " + causes(failed.getCause());
            case ConnectionDeactivatedEvent _ -> "disconnected";
            default -> event.getClass().getSimpleName();
        };
    }

    private static String causes(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            text.append("\n        caused by ").append(cause);
        }
        return text.toString();
    }

    private static void await(String name, List<RedisFuture<Long>> replies) throws Exception {
        int executed = 0;
        String first = "";
        for (RedisFuture<Long> reply : replies) {
            try {
                reply.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                executed++;
            } catch (ExecutionException e) {
                first = first.isEmpty() ? ", the others failed; the first: " + causes(e.getCause()) : first;
            }
        }
        say("%s: %d of %d commands executed%s".formatted(name, executed, replies.size(), first));
    }

    private static void print(String name, RedisFuture<?> reply) throws Exception {
        try {
            say(name + ": " + reply.get(LIMIT.toSeconds(), TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            say(name + " failed: " + causes(e.getCause()));
        }
    }

    private static void shell(String command) throws Exception {
        int status =
                new ProcessBuilder("bash", "-c", command).inheritIO().start().waitFor();
        say(command + (status == 0 ? "" : ": exit status " + status));
    }

    private static synchronized void say(String text) {
        System.out.printf("%5.1f s  %s%n", (System.nanoTime() - START) / 1e9, text);
    }
}
