// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when a file cannot be opened, read or written, or memory cannot be registered. The message contains the call
 * with its arguments, the error of the kernel or of cuFile, and the remedy if the cause is known.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String codeName;
    private final String remedy;
    private final long transferred;

    /**
     * A call failed.
     *
     * @param call with its arguments, such as {@code pread(/data/a, offset=0, length=4096)}
     * @param code the errno, or the number of cuFile's status
     * @param codeName such as {@code ENOSPC}
     * @param explanation the meaning of the code in words, or an empty string
     * @param remedy what to do about it, or an empty string
     * @param transferred bytes from the beginning of the range that were certainly transferred
     */
    public StorageException(
            String call, int code, String codeName, String explanation, String remedy, long transferred) {
        super(Remedies.append(
                call + " failed: " + codeName
                        + (explanation.isEmpty() ? "" : " (" + explanation + ")")
                        + (transferred == 0 ? "" : ", after " + transferred + " bytes"),
                remedy));
        this.call = call;
        this.code = code;
        this.codeName = codeName;
        this.remedy = remedy;
        this.transferred = transferred;
    }

    /** {@return the call that failed, with its arguments} */
    public String call() {
        return call;
    }

    /**
     * {@return the errno below 5000, or the number of cuFile's status; 0 after a timeout, and if cuFile does not report
     * an error code}
     */
    public int code() {
        return code;
    }

    /** {@return the code by name, such as {@code ENOSPC} or {@code CU_FILE_IO_NOT_SUPPORTED}} */
    public String codeName() {
        return codeName;
    }

    /** {@return what to do about it; an empty string if no remedy is known} */
    public String remedy() {
        return remedy;
    }

    /** {@return how many bytes from the beginning of the range were certainly transferred} */
    public long transferred() {
        return transferred;
    }
}
