# Not run here: no Quartus. The clocks of the golden design's own file and of the miner's PLL; nothing of ours has a pin.
derive_pll_clocks
derive_clock_uncertainty
