/*
 * The contract is that of fpga/rtl/sha256d_axis.v: a block is 16 words, a digest 8, bytes as they stand in memory with
 * the first in bits 7:0. One call takes one block and gives one digest; TLAST comes back with the digest's last word, and
 * within a block it ends the block, as if zero bytes followed.
 */
#ifndef FPGA_HLS_SHA256D_AXIS_H
#define FPGA_HLS_SHA256D_AXIS_H

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

typedef ap_axiu<32, 0, 0, 0> axis_word;

void sha256d_axis(hls::stream<axis_word> &s_axis, hls::stream<axis_word> &m_axis);

#endif
