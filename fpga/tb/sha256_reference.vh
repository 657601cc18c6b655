// SHA-256's compression as the standard writes it (FIPS 180-4, 6.2.2), for benches, in behavioural Verilog and
// sharing nothing with rtl/. K and IV are made from primes in a bench's own way: by the fractional bits of roots.
reg [31:0] ref_k [0:63], ref_iv [0:7];

function [31:0] ref_rotr(input [31:0] x, input integer n);
	ref_rotr = x >> n | x << (32 - n);
endfunction

// The largest r with r^power <= prime * 2^(32 * power): its low 32 bits are the root's fractional bits.
function [31:0] ref_root(input integer prime, input integer power);
	reg [127:0] r, bound, value;
	integer bit_no;
	begin
		r = 128'd0;
		bound = {96'd0, prime} << (32 * power);
		for (bit_no = 36; bit_no >= 0; bit_no = bit_no - 1) begin
			r[bit_no] = 1'b1;
			value = power == 2 ? r * r : r * r * r;
			if (value > bound) r[bit_no] = 1'b0;
		end
		ref_root = r[31:0];
	end
endfunction

task ref_init;
	integer candidate, divisor, n, prime;
	begin
		n = 0;
		for (candidate = 2; n < 64; candidate = candidate + 1) begin
			prime = 1;
			for (divisor = 2; divisor < candidate; divisor = divisor + 1)
				if (candidate % divisor == 0) prime = 0;
			if (prime != 0) begin
				ref_k[n] = ref_root(candidate, 3);
				if (n < 8) ref_iv[n] = ref_root(candidate, 2);
				n = n + 1;
			end
		end
	end
endtask

function [255:0] ref_first_state(input integer unused);
	ref_first_state = {ref_iv[0], ref_iv[1], ref_iv[2], ref_iv[3], ref_iv[4], ref_iv[5], ref_iv[6], ref_iv[7]};
endfunction

function [255:0] ref_compress(input [255:0] state, input [511:0] block);
	reg [31:0] w [0:63];
	reg [31:0] a, b, c, d, e, f, g, h, t1, t2;
	integer t;
	begin
		{a, b, c, d, e, f, g, h} = state;
		for (t = 0; t < 16; t = t + 1)
			w[t] = block[511 - 32*t -: 32];
		for (t = 16; t < 64; t = t + 1)
			w[t] = (ref_rotr(w[t-2], 17) ^ ref_rotr(w[t-2], 19) ^ w[t-2] >> 10) + w[t-7]
				+ (ref_rotr(w[t-15], 7) ^ ref_rotr(w[t-15], 18) ^ w[t-15] >> 3) + w[t-16];
		for (t = 0; t < 64; t = t + 1) begin
			t1 = h + (ref_rotr(e, 6) ^ ref_rotr(e, 11) ^ ref_rotr(e, 25)) + ((e & f) ^ (~e & g)) + ref_k[t] + w[t];
			t2 = (ref_rotr(a, 2) ^ ref_rotr(a, 13) ^ ref_rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			h = g; g = f; f = e; e = d + t1;
			d = c; c = b; b = a; a = t1 + t2;
		end
		ref_compress = {state[255:224] + a, state[223:192] + b, state[191:160] + c, state[159:128] + d,
			state[127:96] + e, state[95:64] + f, state[63:32] + g, state[31:0] + h};
	end
endfunction

function [31:0] ref_swap(input [31:0] x);
	ref_swap = {x[7:0], x[15:8], x[23:16], x[31:24]};
endfunction

// SHA-256 of one padded block, hashed again.
function [255:0] ref_sha256d(input [255:0] state, input [511:0] block);
	ref_sha256d = ref_compress(ref_first_state(0), {ref_compress(state, block), 32'h80000000, 192'd0, 32'd256});
endfunction

// The most significant 32 bits of the digest of a header, as a number: what is compared with the target.
function [31:0] ref_top_word(input [255:0] midstate, input [95:0] tail, input [31:0] nonce);
	reg [255:0] digest;
	begin
		digest = ref_sha256d(midstate, {tail, ref_swap(nonce), 32'h80000000, 320'd0, 32'd640});
		ref_top_word = ref_swap(digest[31:0]);
	end
endfunction

// Bitcoin's first block: state after its first 64 bytes, the twelve bytes after, and the nonce that solves it.
localparam [255:0] GENESIS_MIDSTATE = 256'hbc909a33_6358bff0_90ccac7d_1e59caa8_c3c8d8e9_4f0103c8_96b18736_4719f91b;
localparam [95:0]  GENESIS_TAIL = 96'h4b1e5e4a_29ab5f49_ffff001d;
localparam [31:0]  GENESIS_NONCE = 32'h7c2bac1d;
