// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The same calls as a JNI library would make them: objects and arguments as numbers, one call per operation.
#include <infiniband/verbs.h>
#include <jni.h>
#include <stdint.h>

JNIEXPORT jint JNICALL Java_io_github_rdma4j_verbs_benchmarks_JniCalls_poll(JNIEnv *env, jclass type, jlong cq, jint entries,
                                                                            jlong wc) {
    return ibv_poll_cq((struct ibv_cq *)cq, entries, (struct ibv_wc *)wc);
}

JNIEXPORT jint JNICALL Java_io_github_rdma4j_verbs_benchmarks_JniCalls_postWrite(JNIEnv *env, jclass type, jlong qp, jlong id,
                                                                                 jlong addr, jint length, jint lkey,
                                                                                 jlong remote_addr, jint rkey, jint flags) {
    struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};
    struct ibv_send_wr wr, *bad;
    wr.wr_id = id;
    wr.next = NULL;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.send_flags = flags;
    wr.wr.rdma.remote_addr = remote_addr;
    wr.wr.rdma.rkey = rkey;
    return ibv_post_send((struct ibv_qp *)qp, &wr, &bad);
}

JNIEXPORT jint JNICALL Java_io_github_rdma4j_verbs_benchmarks_JniCalls_postReceive(JNIEnv *env, jclass type, jlong qp, jlong id,
                                                                                   jlong addr, jint length, jint lkey) {
    struct ibv_sge sge = {.addr = addr, .length = length, .lkey = lkey};
    struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1}, *bad;
    return ibv_post_recv((struct ibv_qp *)qp, &wr, &bad);
}
