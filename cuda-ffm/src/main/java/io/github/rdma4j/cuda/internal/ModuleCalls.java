// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuFuncGetAttribute_v2020;
import io.github.rdma4j.cuda.bindings.PFN_cuFuncGetParamInfo_v12040;
import io.github.rdma4j.cuda.bindings.PFN_cuFuncSetAttribute_v9000;
import io.github.rdma4j.cuda.bindings.PFN_cuLaunchKernel_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuModuleGetFunction_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuModuleGetGlobal_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuModuleLoadDataEx_v2010;
import io.github.rdma4j.cuda.bindings.PFN_cuModuleUnload_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuOccupancyMaxPotentialBlockSize_v6050;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for modules and kernels. All return a CUresult. */
public final class ModuleCalls {
    private static final MethodHandle LOAD_DATA =
            Driver.function("cuModuleLoadDataEx", 2010, PFN_cuModuleLoadDataEx_v2010.descriptor());
    private static final MethodHandle UNLOAD =
            Driver.function("cuModuleUnload", 2000, PFN_cuModuleUnload_v2000.descriptor());
    private static final MethodHandle GET_FUNCTION =
            Driver.function("cuModuleGetFunction", 2000, PFN_cuModuleGetFunction_v2000.descriptor());
    private static final MethodHandle GET_GLOBAL =
            Driver.function("cuModuleGetGlobal", 3020, PFN_cuModuleGetGlobal_v3020.descriptor());
    private static final MethodHandle FUNCTION_GET_ATTRIBUTE =
            Driver.function("cuFuncGetAttribute", 2020, PFN_cuFuncGetAttribute_v2020.descriptor());
    private static final MethodHandle FUNCTION_SET_ATTRIBUTE =
            Driver.function("cuFuncSetAttribute", 9000, PFN_cuFuncSetAttribute_v9000.descriptor());
    private static final MethodHandle FUNCTION_GET_PARAMETER =
            Driver.function("cuFuncGetParamInfo", 12040, PFN_cuFuncGetParamInfo_v12040.descriptor());
    private static final MethodHandle LAUNCH_KERNEL =
            Driver.function("cuLaunchKernel", 4000, PFN_cuLaunchKernel_v4000.descriptor());
    private static final MethodHandle OCCUPANCY_MAX_POTENTIAL_BLOCK_SIZE = Driver.function(
            "cuOccupancyMaxPotentialBlockSize", 6050, PFN_cuOccupancyMaxPotentialBlockSize_v6050.descriptor());

    private ModuleCalls() {}

    /** cuModuleLoadDataEx: Loads PTX, a cubin or a fat binary. */
    public static int loadData(
            MemorySegment module, MemorySegment image, int count, MemorySegment options, MemorySegment values) {
        try {
            return (int) LOAD_DATA.invokeExact(
                    module.address(), image.address(), count, options.address(), values.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuModuleUnload: Unloads it. */
    public static int unload(long module) {
        try {
            return (int) UNLOAD.invokeExact(module);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuModuleGetFunction: A kernel by name. */
    public static int getFunction(MemorySegment function, long module, MemorySegment name) {
        try {
            return (int) GET_FUNCTION.invokeExact(function.address(), module, name.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuModuleGetGlobal: A variable by name. */
    public static int getGlobal(MemorySegment address, MemorySegment size, long module, MemorySegment name) {
        try {
            return (int) GET_GLOBAL.invokeExact(address.address(), size.address(), module, name.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuFuncGetAttribute: One attribute of a kernel. */
    public static int functionGetAttribute(MemorySegment value, int attribute, long function) {
        try {
            return (int) FUNCTION_GET_ATTRIBUTE.invokeExact(value.address(), attribute, function);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuFuncSetAttribute: Sets one. */
    public static int functionSetAttribute(long function, int attribute, int value) {
        try {
            return (int) FUNCTION_SET_ATTRIBUTE.invokeExact(function, attribute, value);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuFuncGetParamInfo: Returns the offset and the size of a parameter. */
    public static int functionGetParameter(long function, long index, MemorySegment offset, MemorySegment size) {
        try {
            return (int) FUNCTION_GET_PARAMETER.invokeExact(function, index, offset.address(), size.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuLaunchKernel: Launches a kernel. */
    public static int launchKernel(
            long function,
            int gridX,
            int gridY,
            int gridZ,
            int blockX,
            int blockY,
            int blockZ,
            int sharedBytes,
            long stream,
            long parameters,
            long extra) {
        try {
            return (int) LAUNCH_KERNEL.invokeExact(
                    function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, parameters, extra);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuOccupancyMaxPotentialBlockSize: The block size that fills the device best. */
    public static int occupancyMaxPotentialBlockSize(
            MemorySegment grid,
            MemorySegment block,
            long function,
            long sharedSizeFunction,
            long sharedBytes,
            int limit) {
        try {
            return (int) OCCUPANCY_MAX_POTENTIAL_BLOCK_SIZE.invokeExact(
                    grid.address(), block.address(), function, sharedSizeFunction, sharedBytes, limit);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
