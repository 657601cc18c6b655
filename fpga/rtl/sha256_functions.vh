// SHA-256's functions (FIPS 180-4, 4.1.2), and the change of byte order, for inclusion inside a module.

/* verilator lint_off VARHIDDEN */	// the copies of two modules do not hide each other
function [31:0] ch;
	input [31:0] x, y, z;
	ch = z ^ (x & (y ^ z));
endfunction

function [31:0] maj;
	input [31:0] x, y, z;
	maj = (x & y) | (z & (x | y));
endfunction

function [31:0] big_sigma0;
	input [31:0] x;
	big_sigma0 = {x[1:0], x[31:2]} ^ {x[12:0], x[31:13]} ^ {x[21:0], x[31:22]};
endfunction

function [31:0] big_sigma1;
	input [31:0] x;
	big_sigma1 = {x[5:0], x[31:6]} ^ {x[10:0], x[31:11]} ^ {x[24:0], x[31:25]};
endfunction

function [31:0] sigma0;
	input [31:0] x;
	sigma0 = {x[6:0], x[31:7]} ^ {x[17:0], x[31:18]} ^ {3'd0, x[31:3]};
endfunction

function [31:0] sigma1;
	input [31:0] x;
	sigma1 = {x[16:0], x[31:17]} ^ {x[18:0], x[31:19]} ^ {10'd0, x[31:10]};
endfunction

function [31:0] swap32;
	input [31:0] x;
	swap32 = {x[7:0], x[15:8], x[23:16], x[31:24]};
endfunction
/* verilator lint_on VARHIDDEN */
