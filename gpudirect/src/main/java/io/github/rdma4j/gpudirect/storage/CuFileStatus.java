// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

/**
 * The status of a cuFile call ({@code CUfileOpError}), with its cause and remedy.
 *
 * @since 0.1.0
 */
public enum CuFileStatus {
    /** Success. */
    SUCCESS(0, "success", ""),
    /** {@code nvidia-fs} is not loaded, and the compatibility mode is off. */
    DRIVER_NOT_INITIALIZED(
            5001,
            "nvidia-fs is not loaded, and the compatibility mode is off",
            "load nvidia-fs (modprobe nvidia-fs), or set properties.allow_compat_mode to true in cufile.json"),
    /** A property that the driver does not accept. */
    DRIVER_INVALID_PROPS(5002, "a property of the driver is not valid", "give sizes in whole pages of 4 KiB"),
    /** A property is out of range. */
    DRIVER_UNSUPPORTED_LIMIT(
            5003, "a property of the driver is out of its range", "see the limits in cufile.json's documentation"),
    /** Library and kernel module do not belong together. */
    DRIVER_VERSION_MISMATCH(
            5004,
            "the versions of libcufile and the kernel module nvidia-fs are incompatible",
            "install nvidia-fs of the same release as cuFile, and load it again"),
    /** The module's version cannot be read. */
    DRIVER_VERSION_READ_ERROR(
            5005, "the version of nvidia-fs cannot be read", "see whether /proc/driver/nvidia-fs/version is readable"),
    /** The driver is being closed. */
    DRIVER_CLOSING(5006, "cuFile is shutting down", "do not close the storage while others use it"),
    /** Not on this machine. */
    PLATFORM_NOT_SUPPORTED(
            5007,
            "GPUDirect Storage is not supported on this platform",
            "allow the compatibility mode in cufile.json, or take the staged path"),
    /** Not with this file. */
    IO_NOT_SUPPORTED(
            5008,
            "GPUDirect Storage is not supported on this file",
            "put the file on a file system that GPUDirect Storage supports (ext4 with data=ordered or XFS on NVMe, Lustre,"
                    + " NFS over RDMA …), or allow the compatibility mode in cufile.json"),
    /** Not with this GPU. */
    DEVICE_NOT_SUPPORTED(
            5009,
            "GPUDirect Storage is not supported on this GPU",
            "use a data-centre or professional GPU, or allow the compatibility mode in cufile.json"),
    /** The kernel module refused a call. */
    NVFS_DRIVER_ERROR(5010, "a call of nvidia-fs failed", "see the kernel's log for messages of nvidia-fs"),
    /** CUDA's driver refused a call. */
    CUDA_DRIVER_ERROR(5011, "a call of CUDA's driver failed", "see the CUresult in this message"),
    /** No device pointer. */
    CUDA_POINTER_INVALID(
            5012,
            "the memory is not device memory that CUDA knows",
            "use memory of the same context that is still open"),
    /** Device memory of a kind that cuFile does not take. */
    CUDA_MEMORY_TYPE_INVALID(5013, "cuFile does not take memory of this kind", "use memory of CudaContext.allocate"),
    /** Beyond the allocation. */
    CUDA_POINTER_RANGE_ERROR(5014, "the range leaves its allocation", "stay inside the memory"),
    /** Another context is current. */
    CUDA_CONTEXT_MISMATCH(5015, "the memory is of another context than the current one", "use one context"),
    /** Too much to pin. */
    INVALID_MAPPING_SIZE(
            5016,
            "more memory than cuFile may pin",
            "register less, or raise properties.max_device_pinned_mem_size_kb in cufile.json"),
    /** Beyond what is registered. */
    INVALID_MAPPING_RANGE(5017, "the range leaves what was registered", "register all of the memory"),
    /** No regular file. */
    INVALID_FILE_TYPE(5018, "the file is of a type that cuFile does not take", "use a regular file"),
    /** Opened with flags that it does not take. */
    INVALID_FILE_OPEN_FLAG(
            5019, "the file is opened with flags that cuFile does not take", "open it for reading, writing or both"),
    /** Not opened with O_DIRECT. */
    DIO_NOT_SET(
            5020,
            "this cuFile only supports files that are opened with O_DIRECT",
            "put the file on a file system with O_DIRECT, or install cuFile of CUDA 12.2 or later"),
    /** A wrong argument. */
    INVALID_VALUE(5022, "an argument is not valid", ""),
    /** Registered already. */
    MEMORY_ALREADY_REGISTERED(5023, "the memory is registered already", "register it once"),
    /** Not registered. */
    MEMORY_NOT_REGISTERED(5024, "the memory is not registered", "register it first"),
    /** No right. */
    PERMISSION_DENIED(
            5025, "access to nvidia-fs or to the file is denied", "see the rights of /dev/nvidia-fs* and of the file"),
    /** Opened already. */
    DRIVER_ALREADY_OPEN(5026, "cuFile is open already", ""),
    /** A file that is not registered. */
    HANDLE_NOT_REGISTERED(5027, "the file is not registered", "do not use a file that is closed"),
    /** A file that is registered already. */
    HANDLE_ALREADY_REGISTERED(5028, "the file is registered already", ""),
    /** The GPU is gone. */
    DEVICE_NOT_FOUND(5029, "the GPU is not found", "see whether nvidia-smi lists it"),
    /** A defect of cuFile. */
    INTERNAL_ERROR(5030, "an internal error of cuFile", "see cufile.log in the working folder"),
    /** No descriptor left. */
    GETNEWFD_FAILED(5031, "no file descriptor is left", "raise the limit of open files (ulimit -n)"),
    /** It did not start. */
    NVFS_SETUP_ERROR(
            5033,
            "cuFile did not start",
            "see cufile.log in the working folder; the dynamic loader must also find libcuda.so.1"),
    /** Switched off for this file. */
    IO_DISABLED(
            5034, "GPUDirect Storage is switched off for this file by cufile.json", "see the denylist in cufile.json"),
    /** A batch was not taken. */
    BATCH_SUBMIT_FAILED(5035, "the batch was not taken", "submit it again, or fewer transfers at once"),
    /** No memory of the GPU to pin. */
    GPU_MEMORY_PINNING_FAILED(
            5036,
            "memory of the GPU cannot be pinned",
            "register less at once: BAR1 is too small, or taken (nvidia-smi -q -d MEMORY)"),
    /** The batch is full. */
    BATCH_FULL(5037, "the batch is full", "await completions before more is submitted"),
    /** Not in stream order. */
    ASYNC_NOT_SUPPORTED(5038, "this cuFile has no stream-ordered transfers here", "use read and write"),
    /** Try again. */
    INTERNAL_BATCH_SETUP_ERROR(5039, "the batch could not be made", "try again later"),
    /** Try again. */
    INTERNAL_BATCH_SUBMIT_ERROR(5040, "the batch could not be submitted", "try again later"),
    /** Try again. */
    INTERNAL_BATCH_GETSTATUS_ERROR(5041, "the batch could not be queried", "try again later"),
    /** Try again. */
    INTERNAL_BATCH_CANCEL_ERROR(5042, "the batch could not be cancelled", "try again later"),
    /** Out of memory. */
    NOMEM_ERROR(5043, "cuFile has no memory left", "try again later, with fewer transfers at once"),
    /** The device failed. */
    IO_ERROR(5044, "the file could not be read or written", "see the kernel's log for errors of the device"),
    /** The buffer was not registered. */
    INTERNAL_BUF_REGISTER_ERROR(5045, "the memory could not be registered", "use it without registering it"),
    /** A defect of cuFile. */
    HASH_OPR_ERROR(5046, "an internal error of cuFile's tables", "see cufile.log in the working folder"),
    /** No context. */
    INVALID_CONTEXT_ERROR(5047, "no valid context is current", "use a context that is open"),
    /** The kernel module failed. */
    NVFS_INTERNAL_DRIVER_ERROR(
            5048, "an internal error of nvidia-fs", "see the kernel's log for messages of nvidia-fs"),
    /** A batch that needs the compatibility mode. */
    BATCH_NOCOMPAT_ERROR(
            5049,
            "the batch needs the compatibility mode, which is off",
            "set properties.allow_compat_mode to true in cufile.json"),
    /** The end of cuFile's own list. */
    IO_MAX_ERROR(5050, "an error of cuFile without a name", "see cufile.log in the working folder"),
    /** A number that this library does not know. */
    UNKNOWN(-1, "a status that rdma4j does not know", "see cufile.h of the installed version");

    private static final int FIRST = 5000;
    private static final CuFileStatus[] BY_NUMBER = new CuFileStatus[IO_MAX_ERROR.number - FIRST + 1];

    static {
        for (CuFileStatus each : values()) {
            if (each.number > FIRST) {
                BY_NUMBER[each.number - FIRST] = each;
            }
        }
    }

    private final int number;
    private final String explanation;
    private final String remedy;

    CuFileStatus(int number, String explanation, String remedy) {
        this.number = number;
        this.explanation = explanation;
        this.remedy = remedy;
    }

    /** {@return its number in cufile.h; −1 for {@link #UNKNOWN}} */
    public int number() {
        return number;
    }

    /** {@return what it means} */
    public String explanation() {
        return explanation;
    }

    /** {@return what can be done about it; an empty string where nothing is known} */
    public String remedy() {
        return remedy;
    }

    /**
     * The status of a number.
     *
     * @param number as cuFile gave it
     * @return the status; {@link #UNKNOWN} for others
     */
    public static CuFileStatus of(int number) {
        if (number == 0) {
            return SUCCESS;
        }
        int index = number - FIRST;
        return index < 0 || index >= BY_NUMBER.length || BY_NUMBER[index] == null ? UNKNOWN : BY_NUMBER[index];
    }

    /** The name in cufile.h. */
    static String name(int number) {
        CuFileStatus status = of(number);
        return status == UNKNOWN ? "CUfileOpError " + number : "CU_FILE_" + status.name();
    }
}
