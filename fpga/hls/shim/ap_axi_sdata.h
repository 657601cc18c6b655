/* Vitis HLS' AXI4-Stream beat, as much of it as the core uses (UG1399, "AXI4-Stream interfaces"). */
#ifndef SHIM_AP_AXI_SDATA_H
#define SHIM_AP_AXI_SDATA_H

#include <ap_int.h>

template <int D, int U, int TI, int TD> struct ap_axiu {
	static_assert(U == 0 && TI == 0 && TD == 0, "the shim has no side channels");
	ap_uint<D> data;
	ap_uint<(D + 7) / 8> keep, strb;
	ap_uint<1> last;
};

#endif
