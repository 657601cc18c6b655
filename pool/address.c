/* Addresses to scripts: see address.h. */
#include "pool/address.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pool/double_sha256.h"

#define BASE58_BYTES	25	/* version, hash of 20 bytes, checksum of 4 */
#define BECH32_MAX	90	/* characters */
#define BECH32_CHECKSUM	6	/* characters */
#define BECH32M_CONST	0x2bc830a3u
#define PROGRAM_MAX	40	/* bytes */

enum { OP_0 = 0x00, OP_1 = 0x51, OP_DUP = 0x76, OP_EQUAL = 0x87, OP_EQUALVERIFY = 0x88, OP_HASH160 = 0xa9, OP_CHECKSIG = 0xac };

/* From each coin's chainparams.cpp. The second script_hash is the older one of two, or the same again. */
static const struct network {
	const char *name;
	const char *algo;		/* that the coin is, or was, mined by */
	uint8_t key_hash, script_hash, script_hash_old;
	const char *prefix;		/* of bech32 */
} networks[] = {
	{ "Bitcoin", "sha256d", 0, 5, 5, "bc" },
	{ "Bitcoin testnet", "sha256d", 111, 196, 196, "tb" },
	{ "Bitcoin regtest", "sha256d", 111, 196, 196, "bcrt" },
	{ "Litecoin", "scrypt", 48, 50, 5, "ltc" },
	{ "Litecoin testnet", "scrypt", 111, 58, 196, "tltc" },
	{ "Litecoin regtest", "scrypt", 111, 58, 196, "rltc" },
	{ "Vertcoin", "lyra2rev2", 71, 5, 5, "vtc" },
	{ "Vertcoin testnet", "lyra2rev2", 74, 196, 196, "tvtc" },
	{ "Vertcoin regtest", "lyra2rev2", 111, 196, 196, "bcrt" },
	{ "Monacoin", "lyra2rev2", 50, 55, 5, "mona" },
	{ "Monacoin testnet", "lyra2rev2", 111, 117, 196, "tmona" },
	{ "Monacoin regtest", "lyra2rev2", 111, 117, 196, "rmona" },
	{ 0 }
};

static void add_name(struct address *address, const char *name)
{
	size_t len = strlen(address->name);

	snprintf(address->name + len, sizeof address->name - len, "%s%s", len > 0 ? ", " : "", name);
}

/* Base 58, big-endian, leading 1s as zero bytes, of exactly BASE58_BYTES. */
static const char *decode_base58(uint8_t bytes[BASE58_BYTES], const char *text)
{
	static const char digits[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
	size_t zeros = strspn(text, "1");

	memset(bytes, 0, BASE58_BYTES);
	for (const char *c = text; *c; c++) {
		const char *digit = strchr(digits, *c);

		if (!digit)
			return "it has a character that no address has";
		unsigned carry = (unsigned)(digit - digits);
		for (size_t i = BASE58_BYTES; i > 0; i--) {
			carry += 58u * bytes[i - 1];
			bytes[i - 1] = (uint8_t)carry;
			carry >>= 8;
		}
		if (carry > 0)
			return "it is too long for a base58 address, and has no bech32 prefix that is known here";
	}

	size_t leading = 0;
	while (leading < BASE58_BYTES && bytes[leading] == 0)
		leading++;
	return leading == zeros ? NULL : "it is too short";
}

static void set_key_hash(struct address *address, const uint8_t hash[20])
{
	const uint8_t head[] = { OP_DUP, OP_HASH160, 20 }, tail[] = { OP_EQUALVERIFY, OP_CHECKSIG };

	memcpy(address->script, head, sizeof head);
	memcpy(address->script + sizeof head, hash, 20);
	memcpy(address->script + sizeof head + 20, tail, sizeof tail);
	address->script_len = sizeof head + 20 + sizeof tail;
}

static void set_script_hash(struct address *address, const uint8_t hash[20])
{
	const uint8_t head[] = { OP_HASH160, 20 }, tail[] = { OP_EQUAL };

	memcpy(address->script, head, sizeof head);
	memcpy(address->script + sizeof head, hash, 20);
	memcpy(address->script + sizeof head + 20, tail, sizeof tail);
	address->script_len = sizeof head + 20 + sizeof tail;
}

static bool is_key_version(const struct network *network, uint8_t version)
{
	return network->key_hash == version;
}

static bool is_script_version(const struct network *network, uint8_t version)
{
	return network->script_hash == version || network->script_hash_old == version;
}

static const char *parse_base58(struct address *address, const char *text, const char *algo)
{
	uint8_t bytes[BASE58_BYTES], checksum[32];
	bool key = false, script = false, only_own;

	const char *why = decode_base58(bytes, text);
	if (why)
		return why;
	if (double_sha256(checksum, bytes, BASE58_BYTES - 4) < 0)
		return "the crypto library cannot check it";
	if (memcmp(checksum, bytes + BASE58_BYTES - 4, 4) != 0)
		return "its checksum is wrong: a typing error?";

	for (const struct network *n = networks; n->name; n++) {
		key |= is_key_version(n, bytes[0]);
		script |= is_script_version(n, bytes[0]);
	}
	if (!key && !script)
		return "it is of a coin that is not known here";

	only_own = key && script;	/* two coins disagree: only coins of this algorithm count */
	key = script = false;
	for (const struct network *n = networks; n->name; n++) {
		bool is_key = is_key_version(n, bytes[0]), is_script = is_script_version(n, bytes[0]);

		if ((!is_key && !is_script) || (only_own && strcmp(n->algo, algo) != 0))
			continue;
		key |= is_key;
		script |= is_script;
		add_name(address, n->name);
	}
	if (key == script)
		return "it means different things in two coins, and the algorithm does not tell which: take another kind of address";
	if (key)
		set_key_hash(address, bytes + 1);
	else
		set_script_hash(address, bytes + 1);
	return NULL;
}

/* BIP 173's checksum, one value of 5 bits at a time. */
static uint32_t polymod_step(uint32_t sum, uint8_t value)
{
	static const uint32_t generator[5] = { 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3 };
	uint32_t top = sum >> 25;

	sum = (sum & 0x1ffffff) << 5 ^ value;
	for (unsigned i = 0; i < 5; i++)
		if (top >> i & 1)
			sum ^= generator[i];
	return sum;
}

static uint32_t polymod_prefix(const char *prefix, size_t len)
{
	uint32_t sum = 1;

	for (size_t i = 0; i < len; i++)
		sum = polymod_step(sum, (uint8_t)(tolower((unsigned char)prefix[i]) >> 5));
	sum = polymod_step(sum, 0);
	for (size_t i = 0; i < len; i++)
		sum = polymod_step(sum, (uint8_t)(tolower((unsigned char)prefix[i]) & 31));
	return sum;
}

/* Groups of 5 bits to bytes; what is left over must be less than a group, and zero. Returns their number, or 0. */
static size_t regroup(uint8_t bytes[PROGRAM_MAX], const uint8_t *values, size_t count)
{
	uint32_t bits = 0;
	unsigned held = 0;
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		bits = (bits << 5 | values[i]) & 0xfff;
		held += 5;
		if (held < 8)
			continue;
		held -= 8;
		if (len == PROGRAM_MAX)
			return 0;
		bytes[len++] = (uint8_t)(bits >> held);
	}
	return held < 5 && (bits & ((1u << held) - 1)) == 0 ? len : 0;
}

static const char *parse_bech32(struct address *address, const char *text, size_t prefix_len)
{
	static const char digits[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
	uint8_t values[BECH32_MAX], program[PROGRAM_MAX];
	const char *data = text + prefix_len + 1;
	size_t count = strlen(data);
	bool upper = false, lower = false;

	if (strlen(text) > BECH32_MAX || count < 1 + BECH32_CHECKSUM)
		return "it is too long or too short";
	for (const char *c = text; *c; c++) {
		upper |= isupper((unsigned char)*c) != 0;
		lower |= islower((unsigned char)*c) != 0;
	}
	if (upper && lower)
		return "it mixes capitals and small letters";

	uint32_t sum = polymod_prefix(text, prefix_len);
	for (size_t i = 0; i < count; i++) {
		const char *digit = strchr(digits, tolower((unsigned char)data[i]));

		if (!digit)
			return "it has a character that no address has";
		values[i] = (uint8_t)(digit - digits);
		sum = polymod_step(sum, values[i]);
	}
	uint8_t version = values[0];
	if (sum != (version == 0 ? 1 : BECH32M_CONST))
		return "its checksum is wrong: a typing error?";
	if (version > 16)
		return "its witness version is above 16";

	size_t len = regroup(program, values + 1, count - 1 - BECH32_CHECKSUM);
	if (len < 2 || (version == 0 && len != 20 && len != 32))
		return "its witness program has no length that is allowed";
	if (version > 1 || (version == 1 && len != 32))
		return "its witness version has no rules yet: anyone could take what is paid to it";

	address->script[0] = version == 0 ? OP_0 : (uint8_t)(OP_1 + version - 1);
	address->script[1] = (uint8_t)len;
	memcpy(address->script + 2, program, len);
	address->script_len = (uint8_t)(2 + len);
	return NULL;
}

const char *address_parse(struct address *address, const char *text, const char *algo)
{
	const char *separator = strrchr(text, '1');
	size_t prefix_len = separator ? (size_t)(separator - text) : 0;

	*address = (struct address){ .script_len = 0 };
	if (text[0] == '\0')
		return "it is empty";
	for (const struct network *n = networks; n->name; n++)
		if (strlen(n->prefix) == prefix_len && strncasecmp(n->prefix, text, prefix_len) == 0)
			add_name(address, n->name);
	return address->name[0] ? parse_bech32(address, text, prefix_len) : parse_base58(address, text, algo);
}
