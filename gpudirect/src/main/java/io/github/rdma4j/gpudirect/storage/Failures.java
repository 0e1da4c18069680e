// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;
import java.util.Map;

/** Converts error codes to exceptions. */
final class Failures {
    /** The code for a result of -1 from cuFile in stream order, for which errno is no longer available. */
    static final int UNREPORTED = 4999;

    /** The errno for a read of a pipe at an offset. */
    static final int PIPE = 29;

    private static final int FIRST_STATUS = 5000;

    /** The meaning of an errno for a read or write of a file. */
    private record Meaning(String name, String explanation, String remedy) {}

    private static final Map<Integer, Meaning> ERRNOS = Map.ofEntries(
            meaning(1, "EPERM", "operation not permitted", "see the file's attributes (lsattr) and rights"),
            meaning(2, "ENOENT", "no such file", "pass CREATE and WRITE to create it"),
            meaning(4, "EINTR", "interrupted", ""),
            meaning(5, "EIO", "input/output error", "see the kernel's log for errors of the device"),
            meaning(6, "ENXIO", "no such device", ""),
            meaning(9, "EBADF", "the file is not open for this", "open it with READ, WRITE or both"),
            meaning(11, "EAGAIN", "try again", ""),
            meaning(12, "ENOMEM", "out of memory", "see the limit of the cgroup and RLIMIT_MEMLOCK"),
            meaning(13, "EACCES", "permission denied", "see the rights of the file and of its folders"),
            meaning(14, "EFAULT", "bad address", ""),
            meaning(16, "EBUSY", "busy", ""),
            meaning(17, "EEXIST", "the file already exists", "do not pass CREATE_NEW"),
            meaning(20, "ENOTDIR", "a part of the path is not a folder", ""),
            meaning(21, "EISDIR", "it is a folder", "name a file"),
            meaning(22, "EINVAL", "invalid argument", ""),
            meaning(23, "ENFILE", "too many open files in the system", "raise fs.file-max"),
            meaning(24, "EMFILE", "too many open files", "raise the limit of open files (ulimit -n), or close some"),
            meaning(26, "ETXTBSY", "the file is being executed", ""),
            meaning(27, "EFBIG", "the file would be too large", "see ulimit -f and the limits of the file system"),
            meaning(28, "ENOSPC", "no space left on the device", "free some (df, df -i)"),
            meaning(PIPE, "ESPIPE", "it cannot be read at offsets", "use a regular file, not a pipe or a socket"),
            meaning(30, "EROFS", "the file system is read-only", "mount it for writing"),
            meaning(36, "ENAMETOOLONG", "the name is too long", ""),
            meaning(40, "ELOOP", "too many symbolic links", ""),
            meaning(75, "EOVERFLOW", "a value is too large", ""),
            meaning(95, "EOPNOTSUPP", "not supported", ""),
            meaning(110, "ETIMEDOUT", "timed out", "see whether the server of the file system answers"),
            meaning(116, "ESTALE", "the file is gone from its server", "open it again"),
            meaning(121, "EREMOTEIO", "remote input/output error", "see the log of the file system's server"),
            meaning(122, "EDQUOT", "the quota is used up", "see quota -s"),
            meaning(125, "ECANCELED", "it was cancelled before it began", ""));

    private Failures() {}

    private static Map.Entry<Integer, Meaning> meaning(int errno, String name, String explanation, String remedy) {
        return Map.entry(errno, new Meaning(name, explanation, remedy));
    }

    /**
     * Returns the exception for a code: an errno below 5000, or a status of cuFile.
     *
     * @param code positive
     * @param call with its arguments
     * @param transferred bytes that were certainly transferred
     */
    static StorageException of(long code, String call, long transferred) {
        if (code > FIRST_STATUS) {
            return new CuFileException(call, (int) code, 0, transferred);
        }
        if (code == UNREPORTED) {
            return new StorageException(
                    call,
                    0,
                    "-1",
                    "an error of the file system, which cuFile does not report in stream order",
                    "use read and write, which report it, or see cufile.log in the working folder",
                    transferred);
        }
        Meaning meaning = ERRNOS.getOrDefault((int) code, new Meaning("errno " + code, "", ""));
        return new StorageException(call, (int) code, meaning.name, meaning.explanation, meaning.remedy, transferred);
    }

    /** Returns the name of an errno. */
    static String name(int errno) {
        return ERRNOS.getOrDefault(errno, new Meaning("errno " + errno, "", "")).name;
    }

    /** Returns the exception for copies that are not complete in time. */
    static StorageException timeout(String call, Duration limit, long transferred) {
        return new StorageException(
                call,
                0,
                "the GPU's copies are not done after " + TimeText.of(limit),
                "",
                "check what the GPU is doing, or raise StorageConfig.timeout",
                transferred);
    }
}
