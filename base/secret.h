/*
 * What no text of ours may show: passwords. Whatever leaves the program as text (log, dump, record,
 * JSON) passes through secret_mask(), which puts *** for every secret it finds, and for the login
 * in any URL, scheme://login@host.
 *
 * A secret is found as it is, and in the forms in which servers send back what they were sent: with
 * the escapes of JSON, URLs, forms and HTML (base/escape.h), within base64 (RFC 4648, as in
 * "Authorization: Basic"), and in these upon each other, up to three deep.
 *
 * What a newcomer would get wrong: not every password can be masked everywhere, or with the usual
 * "x" no line could be read. So
 *
 *	up to 3 bytes, or up to 7 digits	not looked for: such a password guards nothing
 *	4 to 7 bytes, or nothing but hex	only as a word of its own, and only in foreign text: it is
 *	digits					as likely a word of ours, or a part of a job
 *	all others				anywhere
 *
 * Where a password stands in a line of our own making (mining.authorize), that line is shown
 * without it, whatever it is. And who wants to give a password away can spell it in a way that
 * nobody foresaw: this is against servers that echo, not against those that conspire.
 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stddef.h>

#define SECRETS_MAX 200		/* three for each pool, and some */

enum secret_scope {
	SECRET_OWN,		/* a line of ours: what it quotes may be anything, but has been masked as foreign */
	SECRET_FOREIGN,		/* from a peer, to it, or from the command line */
};

/*
 * Remember a secret; nothing, and one that is known already, is taken too. Before other threads
 * start. 0, or -1 (not logged): no memory, or more than SECRETS_MAX.
 */
int secret_add(const char *text);

/* Wipe them all. After other threads have ended. */
void secret_forget(void);

/* In place; the text does not get longer, so one or two bytes get as many stars. Without memory all of it is masked. */
void secret_mask(char *text, enum secret_scope);

/*
 * A foreign text for a log line: masked first and then cut to fit `out`, up to some kilobytes, because
 * half a secret is one too. A huge text costs no more than its first 64 KiB, and is * if these are
 * secrets for the most part. Returns `out`.
 */
const char *secret_show(char *out, size_t size, const char *text);

#endif
