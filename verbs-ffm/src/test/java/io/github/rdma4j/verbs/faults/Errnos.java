// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** The causes that native calls fail with here, as Linux numbers them. */
enum Errnos {
    /** No failure: the call succeeds, and has nothing. */
    NONE(0),
    EPERM(1),
    ENOENT(2),
    EINTR(4),
    EIO(5),
    ENXIO(6),
    EBADF(9),
    EAGAIN(11),
    ENOMEM(12),
    EACCES(13),
    EFAULT(14),
    EBUSY(16),
    EEXIST(17),
    ENODEV(19),
    EINVAL(22),
    ENFILE(23),
    EMFILE(24),
    ENOSPC(28),
    ENOSYS(38),
    ENODATA(61),
    EOVERFLOW(75),
    EMSGSIZE(90),
    EOPNOTSUPP(95),
    EADDRINUSE(98),
    EADDRNOTAVAIL(99),
    ENETUNREACH(101),
    ENOBUFS(105),
    ETIMEDOUT(110),
    ECONNREFUSED(111),
    EHOSTUNREACH(113);

    /** Errors that any system call may return: out of memory, a wrong argument, and a device that is gone. */
    private static final Set<Errnos> ANY = EnumSet.of(ENOMEM, EINVAL, EIO);

    /**
     * Errnos that are answers and not failures: the device has no ECE, the descriptor is not in the set yet, the kernel
     * has no RDMA and so no device, or the table has no such entry.
     */
    private static final Map<String, Errnos> ANSWERS = Map.of(
            "ibv_query_ece", EOPNOTSUPP,
            "epoll_ctl", ENOENT,
            "ibv_get_device_list", ENOSYS,
            "_ibv_query_gid_ex", ENODATA);

    private static final Path MANUAL = Path.of("/usr/share/man");
    private static final Pattern NAME = Pattern.compile("\\bE[A-Z]{3,}\\b");

    private final int number;

    Errnos(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** Returns the errnos in the function's manual page and those that any call may return, or only one of them. */
    static Set<Errnos> of(String function, boolean all) {
        if (!all) {
            if (Judgement.SOCKETS.contains(function)) {
                return EnumSet.of(ENOBUFS);
            }
            return EnumSet.of(function.matches(".*(alloc|create|open|reg)_.*|mmap") ? ENOMEM : EIO);
        }
        EnumSet<Errnos> errnos = EnumSet.copyOf(ANY);
        Matcher matcher = NAME.matcher(manualPage(function));
        while (matcher.find()) {
            try {
                errnos.add(valueOf(matcher.group()));
            } catch (IllegalArgumentException e) {
                // Another name in capitals, or an errno that none of these functions leaves: not an answer here.
                continue;
            }
        }
        errnos.remove(ANSWERS.getOrDefault(function, NONE));
        return errnos;
    }

    private static String manualPage(String function) {
        String name = function.replaceFirst("^_", "");
        if (name.contains(".")) {
            name = name.replaceFirst(".*\\.(ibv_)?", "ibv_");
        }
        for (String section : new String[] {"2", "3"}) {
            Path page = MANUAL.resolve("man" + section).resolve(name + "." + section + ".gz");
            if (Files.exists(page)) {
                try (InputStream stream = new GZIPInputStream(Files.newInputStream(page))) {
                    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return "";
    }
}
