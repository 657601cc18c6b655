/* Reading the value of --fpga: see spec.h. */
#include "fpga/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpga/axi_dma.h"

#define SIM_DEPTH	16	/* unless it is named */
#define SIM_DEPTH_MAX	64

/* A name for a file of the kernel's: no slash, so that it stays in its folder. */
static int read_name(char name[FPGA_SPEC_NAME], const char *key, const char *text, size_t len, char *why, size_t why_len)
{
	if (len == 0)
		snprintf(why, why_len, "names no device after \"%s\"", key);
	else if (len >= FPGA_SPEC_NAME)
		snprintf(why, why_len, "has a name longer than %d bytes after \"%s\"", FPGA_SPEC_NAME - 1, key);
	else if (memchr(text, '/', len) || text[0] == '.')
		snprintf(why, why_len, "wants a device's name after \"%s\", not a file", key);
	else if (name[0])
		snprintf(why, why_len, "has \"%s\" twice", key);
	else {
		memcpy(name, text, len);
		name[len] = '\0';
		return 0;
	}
	return -1;
}

/* All of text[0 .. len) as a decimal number, at most `max`. */
static bool read_number(unsigned *number, const char *text, size_t len, unsigned max)
{
	*number = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*number = 10 * *number + (unsigned)(text[i] - '0');
		if (*number > max)
			return false;
	}
	return len > 0;
}

static int parse_sim(struct fpga_spec *spec, const char *value, char *why, size_t why_len)
{
	spec->sim = true;
	spec->depth = SIM_DEPTH;
	if (!value[0])
		return 0;
	if (read_number(&spec->depth, value + 1, strlen(value + 1), SIM_DEPTH_MAX) && spec->depth != 1 &&
	    (spec->depth & (spec->depth - 1)) == 0)
		return 0;
	snprintf(why, why_len, "\"%.20s\" is not a depth: 0, 2, 4, 8, 16, 32 or 64", value + 1);
	return -1;
}

static bool begins(const char *text, size_t len, const char *key)
{
	return len >= strlen(key) && strncmp(text, key, strlen(key)) == 0;
}

/* One of the parts behind the miner's name. */
static int parse_part(struct fpga_spec *spec, const char *part, size_t len, char *why, size_t why_len)
{
	if (begins(part, len, "dma="))
		return read_name(spec->dma, "dma=", part + 4, len - 4, why, why_len);
	if (begins(part, len, "buf="))
		return read_name(spec->buffer, "buf=", part + 4, len - 4, why, why_len);
	if (!begins(part, len, "length-bits=")) {
		snprintf(why, why_len, "\"%.*s\" is not dma=NAME, buf=NAME or length-bits=N", (int)(len < 40 ? len : 40), part);
		return -1;
	}
	if (spec->length_bits > 0) {
		snprintf(why, why_len, "has \"length-bits=\" twice");
		return -1;
	}
	if (read_number(&spec->length_bits, part + 12, len - 12, AXI_DMA_LENGTH_BITS_MAX) &&
	    spec->length_bits >= AXI_DMA_LENGTH_BITS_MIN)
		return 0;
	snprintf(why, why_len, "length-bits is a number from %d to %d", AXI_DMA_LENGTH_BITS_MIN, AXI_DMA_LENGTH_BITS_MAX);
	return -1;
}

static int parse_uio(struct fpga_spec *spec, const char *value, char *why, size_t why_len)
{
	size_t len = strcspn(value, ",");

	if (read_name(spec->miner, "uio:", value, len, why, why_len) < 0)
		return -1;
	while (value[len] == ',') {
		value += len + 1;
		len = strcspn(value, ",");
		if (parse_part(spec, value, len, why, why_len) < 0)
			return -1;
	}
	if (!spec->dma[0] != !spec->buffer[0]) {
		snprintf(why, why_len, "dma= and buf= go together: the stream wants a DMA engine and memory for it");
		return -1;
	}
	if (spec->length_bits > 0 && !spec->dma[0]) {
		snprintf(why, why_len, "length-bits= is of a dma=, and there is none");
		return -1;
	}
	if (spec->length_bits == 0)
		spec->length_bits = AXI_DMA_LENGTH_BITS;
	return 0;
}

int fpga_spec_parse(struct fpga_spec *spec, const char *value, char *why, size_t why_len)
{
	*spec = (struct fpga_spec){ .sim = false };
	if (strcmp(value, "sim") == 0 || strncmp(value, "sim:", 4) == 0)
		return parse_sim(spec, value + 3, why, why_len);
	if (strncmp(value, "uio:", 4) == 0)
		return parse_uio(spec, value + 4, why, why_len);
	if (strncmp(value, "serial:", 7) == 0) {
		spec->serial = true;
		return read_name(spec->miner, "serial:", value + 7, strlen(value + 7), why, why_len);
	}
	snprintf(why, why_len, "\"%.40s\" is not uio:NAME, serial:NAME or sim[:DEPTH]", value);
	return -1;
}

int fpga_spec_parse_offload(struct fpga_spec *spec, const char *value, char *why, size_t why_len)
{
	*spec = (struct fpga_spec){ .sim = false };
	if (strcmp(value, "sim") == 0)
		return parse_sim(spec, "", why, why_len);
	if (strncmp(value, "uio:", 4) != 0) {
		snprintf(why, why_len, "\"%.40s\" is not uio:NAME,dma=NAME,buf=NAME[,length-bits=N] or sim", value);
		return -1;
	}
	if (parse_uio(spec, value + 4, why, why_len) < 0)
		return -1;
	if (spec->dma[0])
		return 0;
	snprintf(why, why_len, "an offload core wants a stream: dma=NAME,buf=NAME");
	return -1;
}
