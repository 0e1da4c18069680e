/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Devices. Except for the name, their attributes are like a present-day data-centre GPU's.
 */
#include "standin.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

int standin_device_count(void) { return standin_settings.devices; }

static bool is_device(CUdevice device) { return device >= 0 && device < standin_settings.devices; }

/* A feature that a driver has from some version on. */
static int since(int version, int value) { return standin_settings.driver_version >= version ? value : 0; }

static int default_attribute(int device, int attribute) {
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: return 49152;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: return 32;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: return 1000000;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: return 4;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: return 0x1a + device;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: return standin_settings.capability / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: return standin_settings.capability % 10;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: return 2;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED: return 1;
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED: return since(12000, 1);
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: return since(10020, 1);
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: return since(11000, 1);
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: return since(11020, 1);
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED: return since(11030, 1);
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS:
        return since(11030, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST | CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_MEMOPS);
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING:
        return since(11030, standin_settings.capability >= 90 ? CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES
                                                              : CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE);
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: return since(11070, 1);
    case CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES: return 0;
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED: return since(11070, standin_settings.dmabuf != DMABUF_NONE);
    default: return 0;
    }
}

int standin_device_attribute(int device, int attribute) {
    int value;
    return standin_attribute_is_set(device, attribute, &value) ? value : default_attribute(device, attribute);
}

CUresult cuDeviceGetCount(int *count) {
    CALL(cuDeviceGetCount);
    if (count == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *count = standin_settings.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    CALL(cuDeviceGet);
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    CALL(cuDeviceGetName);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (name == NULL || length < 1)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)length, "Stand-in GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    CALL(cuDeviceGetUuid_v2);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (uuid == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(0xf0 - 16 * device + i);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    CALL(cuDeviceTotalMem_v2);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = standin_settings.memory;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    CALL(cuDeviceGetAttribute);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    /* A driver refuses the numbers that it does not know. */
    if (value == NULL || (int)attribute < 1 || (int)attribute >= MAX_ATTRIBUTE ||
        ((int)attribute >= CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED && standin_settings.driver_version < 11070))
        return CUDA_ERROR_INVALID_VALUE;
    *value = standin_device_attribute(device, (int)attribute);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
    CALL(cuDeviceGetPCIBusId);
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (text == NULL || length < 13)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)length, "%04X:%02X:%02X.0", standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
             standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    CALL(cuDeviceGetByPCIBusId);
    unsigned domain = 0, bus, slot, function = 0;
    if (device == NULL || text == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (int i = 0; i < standin_settings.devices; i++)
        if ((unsigned)standin_device_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) == domain &&
            (unsigned)standin_device_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) == bus &&
            (unsigned)standin_device_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) == slot && function == 0) {
            *device = i;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    CALL(cuDeviceCanAccessPeer);
    if (!is_device(device) || !is_device(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    if (can == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *can = device != peer && standin_settings.peers;
    return CUDA_SUCCESS;
}
